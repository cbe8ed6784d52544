/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pcsample(2) of Solaris as a program uses it: a second call ends sampling and returns how many
 * program counters are in the array. A forked child's array goes on where the parent's was.
 */
extern long pcsample(unsigned long samples[], long nsamples);

#include "../pages/page.h"

#define N	200

static unsigned long samples[N];

/* Return: how many of the first @n samples are at the instruction. */
static long at_instruction(long n)
{
	long i, found = 0;

	for (i = 0; i < n; i++)
		found += samples[i] == (unsigned long)spin_here;
	return found;
}

static void go_on_in_child(void)
{
	long n;

	spin(LONG_TIME);
	n = pcsample((unsigned long *)0, 0L);
	if (n < 25 || at_instruction(n) < 25)
		fail("child: samples at the instruction", at_instruction(n < N ? n : N));
}

int main(int argc, char **argv)
{
	double due;
	long n;
	int status;

	begin(argc, argv);
	doing = "a second call";
	pcsample(samples, (long)N);
	due = rate() * spin(LONG_TIME);
	n = pcsample((unsigned long *)0, 0L);
	must_be_due((unsigned short)at_instruction(n), due);
	doing = "fork";
	pcsample(samples, (long)N);
	spin(LONG_TIME);
	status = status_of_child(go_on_in_child);
	if (status)
		fail("status", status);
	return 0;
}
