// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program compiled with -pg that loads a shared object compiled with -pg, and that ends in many
 * ways, for gmon_test.sh. own() takes as long as plug() of the object, which has two functions, of
 * 75 and 25 % of its work.
 *
 * usage: kept SECONDS OBJECT MODE [ARG]: MODE is one of the functions do_MODE() below
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plug.h"

/* of libprofil or the C library, which has it in no header */
void moncontrol(int mode);

static plug_function *plug;
static void *object;

static double own_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void own(void);

void __attribute__((noinline)) own(void)
{
	PLUG_WORK(100);
}

/* Called by the object */
void called_back(void);

void __attribute__((noinline)) called_back(void)
{
	__asm__ volatile("");
}

static void load(const char *path)
{
	object = dlopen(path, RTLD_NOW);
	plug = object ? (plug_function *)dlsym(object, "plug") : NULL;
	if (!plug) {
		fprintf(stderr, "kept: %s\n", dlerror());
		exit(1);
	}
}

/* Prints the rounds, their CPU time in ms, and whether the object has computed with its arguments. */
static void work(double seconds)
{
	const double begin = own_seconds();
	unsigned long rounds = 0;
	int wrong = 0;

	while (own_seconds() < begin + seconds) {
		own();
		wrong += plug(called_back, 1.5, 2.5f) != 4.0;
		rounds++;
	}
	printf("work %d %lu %.0f %s\n", (int)getpid(), rounds, 1000 * (own_seconds() - begin),
	       wrong ? "wrong" : "right");
	fflush(stdout);
}

static void do_exit(double seconds, const char *path, const char *arg)
{
	(void)arg;
	load(path);
	work(seconds);
}

static void do__exit(double seconds, const char *path, const char *arg)
{
	do_exit(seconds, path, arg);
	_exit(0);
}

/* ARG: number of the signal */
static void do_signal(double seconds, const char *path, const char *arg)
{
	do_exit(seconds, path, arg);
	kill(getpid(), atoi(arg));
	pause();
}

/* Closes its output, and is killed while its profile is counted */
static void do_busy(double seconds, const char *path, const char *arg)
{
	(void)arg;
	load(path);
	work(seconds);
	fclose(stdout);
	kill(getpid(), SIGSTOP);
	for (;;)
		own();
}

/* ARG: a directory without files, which becomes the root. The user may write nowhere. */
static void do_jail(double seconds, const char *path, const char *arg)
{
	load(path);
	if (chroot(arg) || chdir("/") || setgroups(0, NULL) || setgid(65532) || setuid(65532)) {
		perror("kept");
		exit(1);
	}
	work(seconds);
}

/* As a daemon: another directory and session, and no descriptors */
static void do_daemon(double seconds, const char *path, const char *arg)
{
	int fd;

	(void)arg;
	load(path);
	work(seconds / 2);
	if (chdir("/"))
		exit(1);
	setsid();
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	/* the numbers belong to the program now */
	while (open("/dev/null", O_RDWR) >= 0 && fd++ < 1500)
		;
	work(seconds / 2);
}

/* Both work; the child is killed, and then the parent ends. */
static void do_fork(double seconds, const char *path, const char *arg)
{
	pid_t pid;

	(void)arg;
	load(path);
	pid = fork();
	if (pid) {
		printf("child %d\n", (int)pid);
		fflush(stdout);
	}
	work(seconds);
	if (!pid)
		kill(getpid(), SIGKILL);
	/* there is no other child */
	while (wait(NULL) != pid || wait(NULL) != -1)
		;
}

/* The object is unloaded, and loaded again where another mapping was. ARG: another object */
static void do_reload(double seconds, const char *path, const char *arg)
{
	load(path);
	work(seconds / 2);
	/* that it is unloaded is noted, although nothing is counted then */
	moncontrol(0);
	dlclose(object);
	load(arg);
	moncontrol(1);
	work(seconds);
	dlclose(object);
	load(path);
	work(seconds / 2);
}

/* ARG: the program that it executes */
static void do_exec(double seconds, const char *path, const char *arg)
{
	do_exit(seconds, path, arg);
	execl(arg, arg, NULL);
}

static const struct {
	const char *name;
	void (*function)(double seconds, const char *path, const char *arg);
} modes[] = {
	{ "exit", do_exit },
	{ "_exit", do__exit },
	{ "signal", do_signal },
	{ "busy", do_busy },
	{ "jail", do_jail },
	{ "daemon", do_daemon },
	{ "fork", do_fork },
	{ "reload", do_reload },
	{ "exec", do_exec },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 3 && i < sizeof(modes) / sizeof(*modes); i++) {
		if (!strcmp(argv[3], modes[i].name)) {
			modes[i].function(atof(argv[1]), argv[2], argc > 4 ? argv[4] : NULL);
			return 0;
		}
	}
	fprintf(stderr, "usage: kept SECONDS OBJECT MODE [ARG]\n");
	return 2;
}
