/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program without any calls for profiling, compiled and linked with -p. It prints how often its
 * functions are called, and checks that mcount() preserves their arguments.
 *
 * usage: plain-p [threads|exit]
 */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/time.h>

#include "work.h"

#define THREADS	20
#define CALLS	50

long counted();

/* arguments in all registers that can hold arguments */
double fourteen(long a, long b, long c, long d, long e, long f, double g, double h, double i,
		double j, double k, double l, double m, double n)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
		11 * k + 12 * l + 13 * m + 14 * n;
}

/* %al holds the number of doubles */
double variable(int nr, ...)
{
	double total = 0;
	va_list list;

	va_start(list, nr);
	while (nr--)
		total += va_arg(list, double);
	va_end(list);
	return total;
}

/* a nested function gets the address of the outer function's variables in a register */
long nested(long n)
{
	long total = 0;

	void __attribute__((noinline)) inner(long i)
	{
		total += i;
		if (i)
			inner(i - 1);
	}

	inner(n);
	return total;
}

void check_arguments()
{
	int i;

	for (i = 0; i < CALLS; i++)
		if (fourteen(1, 2, 3, 4, 5, 6, 7., 8., 9., 10., 11., 12., 13., 14.) != 1015. ||
		    variable(8, 1., 2., 3., 4., 5., 6., 7., 8.) != 36. || nested(10) != 55 ||
		    counted((long)i) != i + 1) {
			printf("arguments are not preserved\n");
			exit(1);
		}
	printf("calls fourteen %d\ncalls variable %d\ncalls nested %d\n", CALLS, CALLS, CALLS);
}

/* More functions than the buffer has call counts; all threads call them in the same order. */
#define ONE(n)	void f##n() { sum++; }
#define TEN(n)	ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) \
		ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) \
		TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7)
#undef ONE
#define ONE(n)	f##n,
void (*functions[])() = {
	HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7)
};

#define FUNCTIONS	((int)(sizeof(functions) / sizeof(functions[0])))

long signals;
pthread_barrier_t barrier;

void of_signal(int number)
{
	functions[signals++ % FUNCTIONS]();
}

void *of_thread(void *unused)
{
	int i, j;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < CALLS; i++)
		for (j = 0; j < FUNCTIONS; j++)
			functions[j]();
	return unused;
}

void threads()
{
	struct itimerval timer = { { 0, 2000 }, { 0, 2000 } };
	pthread_t threads[THREADS];
	int i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	signal(SIGALRM, of_signal);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, of_thread, NULL))
			exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	signal(SIGALRM, SIG_IGN);
	printf("signals %ld\ncalls of_signal %ld\ncalls of_thread %d\n", signals, signals,
	       THREADS);
	for (i = 0; i < FUNCTIONS; i++)
		printf("calls f%d %ld\n", 100 + i, THREADS * CALLS + signals / FUNCTIONS +
		       (i < signals % FUNCTIONS));
}

int main(int argc, char **argv)
{
	printf("calls main 1\n");
	if (argc > 1 && strcmp(argv[1], "threads") == 0) {
		threads();
		return 0;
	}
	work(ROUNDS);
	printf("calls much %d\ncalls less %d\n", ROUNDS, ROUNDS);
	check_arguments();
	return 0;
}
