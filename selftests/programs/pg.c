// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unmodified program, compiled with -pg, for gprof_test.sh. It calls three functions equally
 * often, with 60, 30 and 10 % of its work. It prints the number of calls, and the CPU time of each
 * function in seconds: in a virtual machine, the shares of time differ from those of the work.
 *
 * usage: pg SECONDS [MODE]
 *
 * MODE is one of the functions do_MODE() below, or, for ITIMER_PROF and SIGPROF:
 *   timer          the program sets the timer after its profile has begun
 *   early-timer    it sets the timer before, ahead of the C library's start-up code
 *   blocked        SIGPROF is blocked all the time
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/gmon.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMER_MS	20
#define THREADS		4

/* Defined by the C library and the linker, but declared in no header */
void moncontrol(int mode);
extern char __executable_start, etext;

/*
 * The functions have the same code at the same place within a cache line. Each takes so long that
 * reading the clock in between and mcount() take little of the time.
 */
#define SPIN(name, share)						\
	void name(void);						\
	void __attribute__((noinline, noclone, aligned(256))) name(void) \
	{								\
		volatile unsigned int i;				\
									\
		for (i = 0; i < (share) * 20000; i++)			\
			;						\
	}

SPIN(sixty, 60)
SPIN(thirty, 30)
SPIN(ten, 10)
/* These two are called in some modes only. */
SPIN(of_child, 100)
SPIN(unseen, 100)

struct work {
	unsigned long rounds;
	double seconds[3];
};

static double own_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void spin(struct work *work, double seconds)
{
	static void (*const functions[])(void) = { sixty, thirty, ten };
	double now = own_seconds(), until = now + seconds, before;
	int i;

	while (now < until) {
		for (i = 0; i < 3; i++) {
			before = now;
			functions[i]();
			now = own_seconds();
			work->seconds[i] += now - before;
		}
		work->rounds++;
	}
}

static void print(const struct work *work)
{
	printf("work %lu %f %f %f\n", work->rounds, work->seconds[0],
	       work->seconds[1], work->seconds[2]);
	fflush(stdout);
}

static unsigned long spin_in(void (*function)(void), double seconds)
{
	double until = own_seconds() + seconds;
	unsigned long rounds = 0;

	while (own_seconds() < until) {
		function();
		rounds++;
	}
	return rounds;
}

static void do_plain(double seconds)
{
	struct work work = { 0 };

	spin(&work, seconds);
	print(&work);
}

static void *thread(void *work)
{
	spin(work, ((struct work *)work)->seconds[0]);
	return NULL;
}

static void do_threads(double seconds)
{
	struct work work[THREADS], sum = { 0 };
	pthread_t threads[THREADS];
	int i, j;

	for (i = 0; i < THREADS; i++) {
		work[i] = (struct work){ .seconds[0] = seconds / THREADS };
		if (pthread_create(&threads[i], NULL, thread, &work[i]))
			exit(1);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		work[i].seconds[0] -= seconds / THREADS;
		sum.rounds += work[i].rounds;
		for (j = 0; j < 3; j++)
			sum.seconds[j] += work[i].seconds[j];
	}
	print(&sum);
}

/* While sampling is off, unseen() uses as much CPU time again, which must not be sampled. */
static void do_moncontrol(double seconds)
{
	struct work work = { 0 };

	spin(&work, seconds / 2);
	moncontrol(0);
	spin_in(unseen, seconds);
	moncontrol(1);
	moncontrol(1);
	spin(&work, seconds / 2);
	print(&work);
}

/* Writes two files, one after the other. */
static void do_again(double seconds)
{
	_mcleanup();
	if (rename("gmon.out", "gmon.first"))
		perror("gmon.out");
	spin_in(unseen, seconds);
	monstartup((unsigned long)&__executable_start, (unsigned long)&etext);
	/* the second call has no effect */
	monstartup((unsigned long)&__executable_start, (unsigned long)&etext);
	do_plain(seconds);
}

/* Parent and child continue, and each writes a file. The child's CPU time is in of_child(). */
static void do_fork(double seconds)
{
	struct work work = { 0 };
	pid_t pid;
	int status;

	spin(&work, seconds / 2);
	pid = fork();
	if (!pid) {
		printf("child %d %lu\n", getpid(), spin_in(of_child, seconds));
		exit(0);
	}
	spin(&work, seconds / 2);
	print(&work);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
}

/* The program after exec has a new profile. */
static void do_exec(double seconds)
{
	char text[32];

	spin_in(unseen, seconds);
	snprintf(text, sizeof(text), "%g", seconds);
	execl("/proc/self/exe", "pg", text, NULL);
	exit(1);
}

/* The program's own profile replaces that of -pg, and _mcleanup() does not end it. */
static void do_profil(double seconds)
{
	static unsigned short counters[1 << 16];
	unsigned long counted = 0;
	size_t i;

	do_plain(seconds);
	profil(counters, sizeof(counters), (size_t)&__executable_start, 0x10000);
	spin_in(unseen, seconds);
	/* writes the counts of the first profile; the second one continues */
	_mcleanup();
	spin_in(unseen, seconds);
	profil(counters, 0, 0, 0);
	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		counted += counters[i];
	printf("counted %lu\n", counted);
}

/* Prints whether the C library's sampling has left its signal handler or timer. */
static void do_signal(double seconds)
{
	struct sigaction action;
	struct itimerval timer;

	do_plain(seconds);
	moncontrol(0);
	moncontrol(1);
	if (sigaction(SIGPROF, NULL, &action) || getitimer(ITIMER_PROF, &timer))
		exit(1);
	printf("SIGPROF is %s, its timer %s\n",
	       action.sa_handler == SIG_DFL ? "free" : "taken",
	       timer.it_value.tv_sec || timer.it_value.tv_usec ? "on" : "off");
}

static const struct {
	const char *name;
	void (*function)(double seconds);
} modes[] = {
	{ "plain", do_plain },
	{ "threads", do_threads },
	{ "moncontrol", do_moncontrol },
	{ "again", do_again },
	{ "fork", do_fork },
	{ "exec", do_exec },
	{ "profil", do_profil },
	{ "signal", do_signal },
};

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

static void set_timer(void)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct itimerval timer = { .it_interval.tv_usec = TIMER_MS * 1000 };

	timer.it_value = timer.it_interval;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

/* Prints the number of the timer's signals in each of three parts of the run. */
static void with_timer(double seconds)
{
	struct work work = { 0 };
	int first, second;

	signals = 0;
	spin(&work, seconds / 2);
	first = signals;
	/* here, the C library would set its own timer, and then restore this one */
	moncontrol(0);
	moncontrol(1);
	signals = 0;
	spin(&work, seconds / 2);
	second = signals;
	_mcleanup();
	signals = 0;
	spin_in(unseen, seconds / 2);
	print(&work);
	printf("signals %d %d %d\n", first, second, (int)signals);
}

static void block_sigprof(void)
{
	sigset_t sigprof;

	sigemptyset(&sigprof);
	sigaddset(&sigprof, SIGPROF);
	sigprocmask(SIG_BLOCK, &sigprof, NULL);
}

/* Runs before the C library's start-up code and the libraries' constructors. */
static void preinit_function(int argc, char **argv, char **environment)
{
	(void)environment;
	if (argc > 2 && !strcmp(argv[2], "early-timer"))
		set_timer();
	if (argc > 2 && !strcmp(argv[2], "blocked"))
		block_sigprof();
}

static void (*const preinit)(int argc, char **argv, char **environment)
	__attribute__((section(".preinit_array"), used)) = preinit_function;

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	const char *mode = argc > 2 ? argv[2] : "plain";
	size_t i;

	if (!strcmp(mode, "timer"))
		set_timer();
	if (strstr(mode, "timer")) {
		with_timer(seconds);
		return 0;
	}
	if (!strcmp(mode, "blocked"))
		mode = "plain";
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (!strcmp(mode, modes[i].name)) {
			modes[i].function(seconds);
			return 0;
		}
	}
	fprintf(stderr, "pg: no such mode: %s\n", mode);
	return 2;
}
