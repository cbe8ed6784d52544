// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs code in memory of each kind, as compilers make it, for the tests of the profil command.
 *
 * usage: madecode KIND
 *
 * Each kind but the last two takes some 0.2 s at 250 million instructions per second:
 *
 *	private		anonymous memory
 *	shared		shared anonymous memory
 *	zero		/dev/zero, private
 *	shared-zero	/dev/zero, shared
 *	memfd		memfd_create(2)
 *	unlinked	a file that is unlinked before
 *	sysv		shared memory of System V
 *	copied		hot() of this program, whose text is copied to anonymous memory
 *	sharing		a process that shares this one's memory replaces the file DIR/one by DIR/two
 *			in a mapping; the code runs for a quarter of the time before that
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

#define PAGE	4096
#define TIMES	25000000ul	/* 0.4 s in a guest of 4 ns per instruction */
#define CODE	(PROT_READ | PROT_WRITE | PROT_EXEC)

/* Any place is as good for its instructions. */
static void __attribute__((noinline, noclone, aligned(64))) spin(unsigned long times)
{
	COUNT_DOWN(times);
}

/* In pages of its own, as none of its text is there while it is copied */
void hot(unsigned long times);
void after_hot(void);
void __attribute__((noinline, noclone, aligned(PAGE), section("hot_text"))) hot(unsigned long times)
{
	COUNT_DOWN(times);
}

void __attribute__((noinline, noclone, aligned(PAGE), section("hot_text"))) after_hot(void)
{
	__asm__ volatile("");
}

static void *map(int flags, int fd)
{
	void *code = mmap(NULL, PAGE, CODE, flags, fd, 0);

	if (code == MAP_FAILED)
		err(1, "mmap");
	return code;
}

static int make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);

	if (fd < 0 || ftruncate(fd, PAGE))
		err(1, "%s", path);
	return fd;
}

static void *make(const char *kind)
{
	int fd;

	if (!strcmp(kind, "private"))
		return map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!strcmp(kind, "shared"))
		return map(MAP_SHARED | MAP_ANONYMOUS, -1);
	if (!strcmp(kind, "zero"))
		return map(MAP_PRIVATE, open("/dev/zero", O_RDWR));
	if (!strcmp(kind, "shared-zero"))
		return map(MAP_SHARED, open("/dev/zero", O_RDWR));
	if (!strcmp(kind, "sysv"))
		return shmat(shmget(IPC_PRIVATE, PAGE, 0700), NULL, SHM_EXEC);
	if (!strcmp(kind, "memfd")) {
		fd = memfd_create("doublemapper", 0);
		if (ftruncate(fd, PAGE))
			err(1, "memfd");
		return map(MAP_SHARED, fd);
	}
	if (!strcmp(kind, "unlinked")) {
		fd = make_file("ffi");
		unlink("ffi");
		return map(MAP_SHARED, fd);
	}
	errx(1, "unknown kind %s", kind);
}

static void run_copied(void)
{
	static char copy[PAGE];
	char *page = (char *)hot;

	memcpy(copy, page, PAGE);
	if (mmap(page, PAGE, CODE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
		err(1, "mmap");
	memcpy(page, copy, PAGE);
	__builtin___clear_cache(page, page + PAGE);
	hot(TIMES);
}

static void *shared_code;

/* Map a new file with the code there, or anywhere. */
static void map_new(const char *dir, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = make_file(path);
	if (pwrite(fd, (const void *)spin, 64, 0) != 64)
		err(1, "%s", path);
	shared_code = mmap(shared_code, PAGE, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | (shared_code ? MAP_FIXED : 0), fd, 0);
	if (shared_code == MAP_FAILED)
		err(1, "mmap");
}

static int replace(void *dir)
{
	map_new(dir, "two");
	_exit(0);
}

static void run_sharing(char *dir)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid;

	map_new(dir, "one");
	((void (*)(unsigned long))shared_code)(TIMES / 4);
	pid = clone(replace, stack + sizeof(stack), CLONE_VM | SIGCHLD, dir);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		err(1, "clone");
	((void (*)(unsigned long))shared_code)(TIMES * 3 / 4);
}

int main(int argc, char **argv)
{
	void *code;

	if (argc == 2 && !strcmp(argv[1], "copied")) {
		run_copied();
	} else if (argc == 3 && !strcmp(argv[1], "sharing")) {
		run_sharing(argv[2]);
	} else if (argc == 2) {
		code = make(argv[1]);
		memcpy(code, (const void *)spin, 64);
		__builtin___clear_cache(code, (char *)code + 64);
		((void (*)(unsigned long))code)(TIMES);
	} else {
		errx(1, "usage: madecode KIND [DIR]");
	}
	return 0;
}
