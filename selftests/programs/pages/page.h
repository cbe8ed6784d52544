/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the programs in this folder. Each declares profil() as its system's manual page does,
 * uses no header of this project, and is linked with the library of that system. They are
 * written in the common subset of C89 and C++. With PROFIL_PAGE_TYPES, the system's header of
 * this project is included before the page's declaration.
 *
 * The program uses CPU time at one instruction, whose counter follows from the page's rule. That
 * counter must change, and no other byte of the buffer.
 *
 * The arguments come from 64-bit variables with garbage in the upper halves, which a compiler may
 * leave in the registers if the page's types have 32 bits.
 */
#ifndef PAGES_PAGE_H
#define PAGES_PAGE_H

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif
/* The C library's <unistd.h> declares another profil(). */
#ifndef PROFIL_PAGE_TYPES
extern pid_t fork(void);
extern int execl(const char *path, const char *arg, ...);
extern void _exit(int status);
#endif
#ifdef __cplusplus
}
#endif

#define BYTES		0x400
#define GUARD		64
#define GARBAGE		0xdeadbeef00000000ULL

/* CPU time in ms, in which 20 samples and 8 are due */
#define LONG_TIME	((int)(20000 / rate()))
#define SHORT_TIME	((int)(8000 / rate()))

static double rate(void)
{
	const char *hz = getenv("PROFIL_RATE");

	return hz ? atof(hz) : 100;
}

/*
 * The only instruction to be counted, a jump to itself, is in a page above the program and its
 * heap, and below the libraries: all offsets are close to this page. unit/support/preloaded_device.c
 * knows its address.
 */
#define PLACE	0x20000000UL

static char *spin_here;

static const unsigned char jump_to_itself[] = {
#if defined(__x86_64__) || defined(__i386__)
	0xeb, 0xfe
#else
	0x00, 0x00, 0x00, 0x14
#endif
};

static void place_instruction(void)
{
	char *page = (char *)mmap((void *)PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page != (char *)PLACE) {
		printf("# cannot map code at %#lx\n", PLACE);
		exit(1);
	}
	spin_here = page + 0x404;
	memcpy(spin_here, jump_to_itself, sizeof(jump_to_itself));
}

static __thread sigjmp_buf out;	/* of a thread at the instruction */

static void leave(int signal_number)
{
	(void)signal_number;
	siglongjmp(out, 1);
}

/* Return: CPU time used, in seconds. */
static double spin(int ms)
{
	struct itimerval timer;
	clock_t begin = clock();

	memset(&timer, 0, sizeof(timer));
	timer.it_value.tv_sec = ms / 1000;
	timer.it_value.tv_usec = ms % 1000 * 1000;
	signal(SIGVTALRM, leave);
	if (!sigsetjmp(out, 1)) {
		setitimer(ITIMER_VIRTUAL, &timer, NULL);
		((void (*)(void))(unsigned long)spin_here)();
	}
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* The buffer, between guard bytes; in memory shared with forked children */
static char *memory;
static char *buffer;

static volatile unsigned long long bytes_of_buffer = GARBAGE | BYTES;
static volatile unsigned long long address;
static volatile unsigned long long scale_of_buffer;

/* Unsigned, as on most pages; the other programs cast them */
#define SIZE		((unsigned int)bytes_of_buffer)
#define OFFSET		((unsigned int)address)
#define SCALE		((unsigned int)scale_of_buffer)

/* Set the distance of the instruction from the offset, and the scale, for the next start. */
static __inline__ void choose(unsigned int distance, unsigned int scale)
{
	memset(buffer, 0, BYTES);
	address = GARBAGE | ((unsigned long)spin_here - distance);
	scale_of_buffer = GARBAGE | scale;
}

/* The pc at this distance from the instruction */
static __inline__ char *at(long distance)
{
	return (char *)((unsigned long)spin_here + distance);
}

static const char *doing = "begin";

static void __attribute__((noreturn)) fail(const char *what, long value)
{
	printf("# %s: %s %ld (errno %d)\n", doing, what, value, errno);
	exit(1);
}

static int is_clear(void)
{
	int i;

	for (i = 0; i < BYTES + 2 * GUARD; i++)
		if (memory[i])
			return 0;
	return 1;
}

static unsigned short *counter(int byte)
{
	return (unsigned short *)(void *)(buffer + byte);
}

/*
 * The count must be the rate times the CPU time. Sampling points have a random phase: one sample
 * more or less at the start and at the end, and one less for time outside the instruction.
 */
static void must_be_due(unsigned short count, double due)
{
	if (count > due + 2 || count < due - 3) {
		printf("# due %g\n", due);
		fail("counter is", count);
	}
}

static int once;	/* this is all that is wanted */

/* Profiling is on: the counter at this byte increases, and nothing else changes. */
static void must_count(int byte)
{
	double due = rate() * spin(LONG_TIME);
	unsigned short count = *counter(byte);

	must_be_due(count, due);
	*counter(byte) = 0;
	if (!is_clear())
		fail("also counted elsewhere; in the counter", count);
	if (once)
		exit(0);
}

/* Large enough that the instruction has a counter with offset 0 at the lowest scales */
static unsigned short large[0x4000];

static void must_count_in_large(int byte)
{
	double due = rate() * spin(LONG_TIME);

	must_be_due(large[byte / 2], due);
}

static __inline__ void must_be_off(void)
{
	spin(SHORT_TIME);
	if (!is_clear())
		fail("counts while off, expected", 0);
}

/* Neither this distance of the instruction from the offset nor any other memory has a counter. */
static __inline__ void must_not_count(void)
{
	spin(LONG_TIME);
	if (!is_clear())
		fail("counts outside the region; first counter", *counter(0));
}

/*
 * All program counters have a counter, but the process is not active, except on its way there and
 * back.
 */
static __inline__ void must_not_count_asleep(void)
{
	struct timespec pause;
	unsigned short count;

	pause.tv_sec = LONG_TIME / 1000;
	pause.tv_nsec = LONG_TIME % 1000 * 1000000L;
	nanosleep(&pause, NULL);
	count = *counter(0);
	if (count > 2)
		fail("counter is", count);
	*counter(0) = 0;
}

static volatile int is_spinning;	/* that thread may get its signal */

static void *spin_until_signal(void *unused)
{
	sigset_t timer_signal;

	sigemptyset(&timer_signal);
	sigaddset(&timer_signal, SIGVTALRM);
	pthread_sigmask(SIG_BLOCK, &timer_signal, NULL);
	if (!sigsetjmp(out, 1)) {
		is_spinning = 1;
		((void (*)(void))(unsigned long)spin_here)();
	}
	return unused;
}

/*
 * Two threads spin, this one and another one, which was there before the call or begins after it:
 * the counter has the sum of their CPU time, and not that of one, which is half of it. Each thread
 * has its own phase at both ends. A quarter is more than a thread needs to begin.
 */
static __inline__ void must_count_in_threads(void (*turn_on)(void), int byte)
{
	unsigned short count;
	double due, most;
	pthread_t thread;
	clock_t begin;
	int first;

	signal(SIGUSR1, leave);
	for (first = 0; first < 2; first++) {
		*counter(byte) = 0;
		begin = clock();
		if (!first)
			turn_on();
		if (pthread_create(&thread, NULL, spin_until_signal, NULL))
			fail("no thread", errno);
		if (first)
			turn_on();
		due = rate() * spin(2 * LONG_TIME);
		count = *counter(byte);
		while (!is_spinning)
			;
		is_spinning = 0;
		pthread_kill(thread, SIGUSR1);
		pthread_join(thread, NULL);
		/* of a thread on another CPU, the kernel knows the time at its last tick */
		most = rate() * (clock() - begin) / CLOCKS_PER_SEC + 4;
		if (count > most || count < 0.75 * due) {
			printf("# due %g\n", due);
			fail("threads: counter is", count);
		}
	}
	*counter(byte) = 0;
	if (!is_clear())
		fail("threads: also counted elsewhere, expected", 0);
}

/* Return: the child's exit status, or 256 plus the signal that killed it. */
static int status_of_child(void (*function)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		function();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fail("fork failed", pid);
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A forked child is profiled too; here into the same buffer, which is shared. */
static void spin_in_child(void)
{
	spin(LONG_TIME);
}

static __inline__ void must_count_in_child(int byte)
{
	status_of_child(spin_in_child);
	if (*counter(byte) < rate() * LONG_TIME / 1000 / 2)
		fail("child: counter is", *counter(byte));
	*counter(byte) = 0;
	if (!is_clear())
		fail("child: also counted elsewhere, expected", 0);
}

static const char *program;

/* Execute the same program, which spins at the same address. */
static void execute(void)
{
	execl(program, program, "spin", (char *)NULL);
	_exit(1);
}

static __inline__ void must_be_off_after_exec(void)
{
	int status = status_of_child(execute);

	if (status)
		fail("exec: status", status);
	/* samples before exec are not at this instruction */
	if (!is_clear())
		fail("exec: counts while off, expected", 0);
}

/* Unmap the buffer, and map it again: a sample in between faults. */
static void lose_buffer(void)
{
	if (munmap(memory, BYTES + 2 * GUARD))
		_exit(1);
	spin(LONG_TIME);
	if (mmap(memory, BYTES + 2 * GUARD, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (void *)memory)
		_exit(2);
	spin(SHORT_TIME);
	_exit(is_clear() ? 0 : 3);
}

static void must_be_off_after_fault(void)
{
	int status = status_of_child(lose_buffer);

	if (status)
		fail("fault: status", status);
}

static __inline__ void must_count_after_fault(int byte)
{
	doing = "a memory fault";
	must_be_off_after_fault();
	must_count(byte);
}

/* Avoids warnings: some programs do not use these functions. */
static __inline__ void use_all(void)
{
	(void)must_count_in_large;
}

static void begin(int argc, char **argv)
{
	use_all();
	place_instruction();
	once = argc > 1 && !strcmp(argv[1], "once");
	if (argc > 1 && !once) {
		spin(LONG_TIME);
		exit(0);
	}
	program = argv[0];
	memory = (char *)mmap(NULL, BYTES + 2 * GUARD, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if ((void *)memory == MAP_FAILED)
		fail("no memory", 0);
	buffer = memory + GUARD;
}

#endif /* PAGES_PAGE_H */
