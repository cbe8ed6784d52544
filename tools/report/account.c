// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the CPU time of a run went, and whether its samples agree with it.
 */
#include <math.h>
#include <stddef.h>

#include <linux/profil.h>

#include "report/account.h"
#include "util/time_ns.h"

/* Samples and CPU time may differ by this much without a note. */
#define SLACK_PERCENT	2
#define SLACK_SAMPLES	2	/* for each process; or these seconds if they have more samples: */
/*
 * A part of exec and of exit has CPU time but no samples. In true(1) it is 0.5 ms on a machine with
 * 250 million instructions per second. Larger programs unmap several times as much.
 */
#define SLACK_SECONDS	0.002
#define SLACK_ERRORS	5	/* standard errors: exceeded by 3 of 10 million runs */

/**
 * struct sums - CPU time of the processes of a run, in ns
 * @first:     first profile of the command's own process; NULL: it has none
 * @last:      last profile of that process
 * @earlier:   profiled CPU time of that process before @last
 * @others:    profiled CPU time of the other processes
 * @others_before: CPU time of the other processes before their profiles started
 */
struct sums {
	const struct result_process *first;
	const struct result_process *last;
	uint64_t earlier;
	uint64_t others;
	uint64_t others_before;
};

static void add_own(struct sums *sums, const struct result_process *process)
{
	if (!sums->first)
		sums->first = process;
	if (sums->last)
		sums->earlier += sums->last->cpu_ns;
	sums->last = process;
}

/*
 * Whether a process ran its program already when it was attached: what executes a program was
 * forked, shortly before in most cases, or has executed another one. Some CPU time before tells the
 * same.
 */
static bool is_attached(const struct result *result, size_t i)
{
	const struct result_process *process = &result->processes[i];
	size_t before = i;

	if (process->is_fork || process->start_cpu_ns)
		return false;
	while (before-- > 0)
		if (result->processes[before].pid == process->pid)
			return false;
	return true;
}

static void add_other(struct account *account, struct sums *sums,
		      const struct result_process *process, bool ran_already)
{
	if (process->is_fork) {
		account->nr_forked++;
	} else if (ran_already) {
		account->nr_attached++;
	} else {
		account->nr_executed++;
		sums->others_before += process->start_cpu_ns;
	}
	account->nr_unfinished += !process->has_ended;
	sums->others += process->cpu_ns;
}

static struct sums add_processes(struct account *account, const struct result *result)
{
	struct sums sums = { 0 };
	size_t i;

	account->nr_unfinished = result->unlisted_processes - result->unlisted_ended;
	sums.others = result->unlisted_cpu_ns;
	for (i = 0; i < result->nr_processes; i++) {
		const struct result_process *process = &result->processes[i];

		if (process->pid == result->pid)
			add_own(&sums, process);
		else
			add_other(account, &sums, process, is_attached(result, i));
	}
	account->nr_others = account->nr_forked + account->nr_executed + account->nr_attached +
			     result->unlisted_processes;
	return sums;
}

/*
 * CPU time of the command's process when its last profile ended, in ns: as the log says, or else
 * all of its CPU time.
 */
static uint64_t own_end(const struct sums *sums, const struct result *result)
{
	uint64_t end = sums->last->start_cpu_ns + sums->last->cpu_ns;
	uint64_t all = result->program_cpu_ns;

	return sums->last->has_ended && end < all ? end : all;
}

/*
 * What the log says. A lower bound: processes with an unknown CPU time add nothing, and an exec or
 * exit may lack what the process used since its last tick.
 */
static double logged_seconds(const struct sums *sums, const struct result *result)
{
	double ns = (double)sums->others + (double)sums->earlier;

	if (sums->last && own_end(sums, result) > sums->last->start_cpu_ns)
		ns += (double)(own_end(sums, result) - sums->last->start_cpu_ns);
	return ns / NS_PER_S;
}

/* Samples that are reported as lost or skipped count as taken. */
static double taken_samples(const struct result *result)
{
	return (double)result_samples(result) + (double)result->lost + (double)result->skipped;
}

/*
 * For thousands of programs that are shorter than a tick, the log has little of their CPU time. But
 * each sample stands for the same time in a program that was profiled, and the command's CPU time
 * bounds their sum. So the samples count if they amount to notably more. This is true for the sum
 * only: chance gives one process a sample too many, and another too few.
 */
static double profiled_seconds(const struct account *account, double logged,
			       const struct result *result)
{
	double sampled = fmin(taken_samples(result) / result_rate(result),
			      account->waited - account->unprofiled);

	return sampled > logged * (1 + SLACK_PERCENT / 100.0) ? sampled : logged;
}

/*
 * An upper bound of the CPU time that was sampled. In the log, the CPU time of an exec or exit
 * lacks what the process used since its last tick or switch. So the bound includes all CPU time of
 * the command's own process and of all processes that were waited for.
 */
static double sampled_seconds(const struct sums *sums, const struct result *result)
{
	double others = (double)sums->others + (double)sums->others_before;
	double own = sums->first ? (double)result->program_cpu_ns : 0;

	return (own + fmax(others, (double)result->children_cpu_ns)) / NS_PER_S;
}

static double unprofiled_seconds(const struct result *result)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < result->nr_unprofiled; i++)
		ns += result->unprofiled[i].cpu_ns;
	return (double)ns / NS_PER_S;
}

/*
 * The samples of a child of vfork()
 * are in its parent's profile until it executes a program; this CPU time is in @others_before.
 *
 * With random sampling points, the number of samples of a program that uses part of each period
 * has a standard deviation of the square root of the expected number, at most.
 */
static void compare_samples(struct account *account, const struct sums *sums, double logged,
			    const struct result *result)
{
	double samples = taken_samples(result);
	double processes = (double)result->nr_processes + (double)result->unlisted_processes;
	double rate = result_rate(result);
	double slack = fmax(SLACK_SAMPLES, SLACK_SECONDS * rate) * processes;
	double least = logged * rate;
	double chance = result->clock == PROFIL_CLOCK_RANDOM ? SLACK_ERRORS * sqrt(least) : 0;
	double most = sampled_seconds(sums, result) * fmax(rate, result->requested_rate);

	if (samples < least - fmax(slack, least * SLACK_PERCENT / 100) - chance)
		account->missing = (least - samples) / rate;
	else if (!account->nr_unfinished &&
		 samples > most + slack + most * SLACK_PERCENT / 100 + SLACK_ERRORS * sqrt(most))
		account->excess = (samples - most) / rate;
}

struct account account_make(const struct result *result)
{
	struct account account = { 0 };
	const struct sums sums = add_processes(&account, result);
	const double logged = logged_seconds(&sums, result);

	if (sums.first) {
		account.command_is_profiled = true;
		account.before = (double)sums.first->start_cpu_ns / NS_PER_S;
		account.after = (double)(result->program_cpu_ns - own_end(&sums, result)) /
				NS_PER_S;
	}
	account.others = (double)sums.others / NS_PER_S;
	account.waited = ((double)result->program_cpu_ns + (double)result->children_cpu_ns) /
			 NS_PER_S;
	account.unprofiled = unprofiled_seconds(result);
	account.profiled = profiled_seconds(&account, logged, result);
	/* processes that were not waited for count as far as their CPU time is known */
	account.total = fmax(account.waited, account.profiled + account.unprofiled);
	account.rest = fmax(account.total - account.profiled - account.unprofiled, 0);
	compare_samples(&account, &sums, logged, result);
	return account;
}
