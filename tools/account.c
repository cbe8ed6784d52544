// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU time of a run, as lines above its table.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include <linux/profil.h>

#include "account.h"
#include "base_name.h"
#include "table.h"
#include "terminal.h"

#define NS_PER_S	1e9
#define NS_PER_MS	1e6

/* Samples and CPU time may differ by this much before it is worth a word. */
#define SLACK_PERCENT	2
#define SLACK_SAMPLES	2	/* for each process */
#define SLACK_ERRORS	5	/* standard errors: 3 of 10 million runs are beyond them */

#define MOST_NAMES	5	/* of programs, in one line */

/**
 * struct account - what the processes have told, added up
 * @result:      that it is of
 * @digits:      of a second that its rate can tell apart
 * @first:       program of the command's own process whose profile was the first; NULL:
 *               nothing of that was profiled. A static program, say, may have executed
 *               others in processes of their own
 * @last:        and the last, of which more is known than it has told
 * @earlier_ns:  CPU time of the command's own process in profiles before the last
 * @nr_forked:   other processes: forked children,
 * @nr_executed: and programs that were executed
 * @nr_unknown:  of these, have not told of their end
 * @others_ns:   CPU time of those that have
 * @before_ns:   CPU time before programs were profiled
 * @nr_untold:   processes, the command's own among them, that have not told what they lost
 */
struct account {
	const struct result *result;
	int digits;
	const struct result_process *first;
	const struct result_process *last;
	uint64_t earlier_ns;
	uint64_t nr_forked;
	uint64_t nr_executed;
	uint64_t nr_unknown;
	uint64_t others_ns;
	uint64_t before_ns;
	uint64_t nr_untold;
};

static void account_own(struct account *account, const struct result_process *process)
{
	if (!account->first)
		account->first = process;
	if (account->last)
		account->earlier_ns += account->last->cpu_ns;
	account->last = process;
}

static void account_other(struct account *account, const struct result_process *process)
{
	if (process->is_fork) {
		account->nr_forked++;
	} else {
		account->nr_executed++;
		account->before_ns += process->before_ns;
	}
	account->nr_unknown += !process->has_ended;
	account->others_ns += process->cpu_ns;
}

static struct account make_account(const struct result *result)
{
	struct account account = {
		.result = result,
		.digits = table_decimals(result->rate),
		.nr_unknown = result->unlisted,
		.nr_untold = result->unlisted,
	};
	size_t i;

	for (i = 0; i < result->nr_processes; i++) {
		const struct result_process *process = &result->processes[i];

		account.nr_untold += !process->has_told;
		if (process->pid == result->pid)
			account_own(&account, process);
		else
			account_other(&account, process);
	}
	return account;
}

/*
 * CPU time of the command's process when its last profile ended, in ns: at exit(), or for
 * one that did not come there, as far as is known at its very end.
 */
static uint64_t end_cpu_ns(const struct account *account)
{
	uint64_t end = account->last->before_ns + account->last->cpu_ns;
	uint64_t all = account->result->program_cpu_ns;

	return account->last->has_ended && end < all ? end : all;
}

/*
 * CPU time that was profiled, in s: the command's, and that of the others which told it.
 * There may be more.
 */
static double profiled_cpu(const struct account *account)
{
	double cpu = (double)account->others_ns + (double)account->earlier_ns;
	uint64_t end;

	if (account->last) {
		end = end_cpu_ns(account);
		if (end > account->last->before_ns)
			cpu += (double)(end - account->last->before_ns);
	}
	return cpu / NS_PER_S;
}

/*
 * CPU time that may have been sampled, in s. A process reads its CPU time when the call that
 * starts its profile has returned, of which the last part is sampled; and before it ends,
 * where the kernel samples it until its memory is gone. So all CPU time of the command's own
 * process counts, and that of all others which were waited for.
 */
static double sampled_cpu(const struct account *account)
{
	const struct result *result = account->result;
	double others = (double)account->others_ns + (double)account->before_ns;
	double own = account->first ? (double)result->program_cpu_ns : 0;

	return (own + fmax(others, (double)result->children_cpu_ns)) / NS_PER_S;
}

static double unprofiled_cpu(const struct result *result)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < result->nr_unprofiled; i++)
		ns += result->unprofiled[i].cpu_ns;
	return (double)ns / NS_PER_S;
}

static void print_figures(FILE *out, const struct account *account)
{
	const struct result *result = account->result;
	uint64_t samples = result_samples(result);
	int digits = account->digits;

	fprintf(out, "# %" PRIu64 " sample%s at %.6g Hz = %.*f s of CPU",
		samples, samples == 1 ? "" : "s", result_rate(result), digits,
		result_seconds(result, samples));
	if (account->first)
		fprintf(out, "; the process used %.*f s (%.*f s before the profile began, %.*f s after it ended)",
			digits, (double)result->program_cpu_ns / NS_PER_S,
			digits, (double)account->first->before_ns / NS_PER_S,
			digits, (double)(result->program_cpu_ns -
					 end_cpu_ns(account)) / NS_PER_S);
	else
		fputs("\n# these samples are of programs that the command executed; the command itself is not profiled", out);
	putc('\n', out);
}

static void print_lowered_rate(FILE *out, const struct result *result)
{
	if (result->rate >= result->asked_rate)
		return;
	fprintf(out, "# the kernel has lowered the rate from %" PRIu32 " Hz to %" PRIu32 " Hz%s: samples took more of a CPU than the module's max_cpu_percent allows%s\n",
		result->asked_rate, result->rate,
		result->mean_rate > 0 ? ", not everywhere" : "",
		result->mean_rate > 0 ? "; seconds are by the mean" : "");
}

static void print_number(FILE *out, uint64_t number, const char *one, const char *more)
{
	fprintf(out, "%" PRIu64 " %s", number, number == 1 ? one : more);
}

static void print_others(FILE *out, const struct account *account)
{
	uint64_t unlisted = account->result->unlisted;
	uint64_t nr = account->nr_forked + account->nr_executed + unlisted;

	if (!nr)
		return;
	fputs("# and ", out);
	if (account->nr_forked)
		print_number(out, account->nr_forked, "forked child", "forked children");
	if (account->nr_forked && account->nr_executed)
		fputs(" and ", out);
	if (account->nr_executed)
		print_number(out, account->nr_executed, "executed program", "executed programs");
	if (unlisted)
		fprintf(out, "%s%" PRIu64 " for which there was no place in the list",
			account->nr_forked || account->nr_executed ? " and " : "", unlisted);
	if (!account->nr_unknown)
		fprintf(out, " used %.*f s", account->digits, (double)account->others_ns / NS_PER_S);
	else if (account->nr_unknown < nr)
		fprintf(out, ", of which %" PRIu64 " used %.*f s", nr - account->nr_unknown,
			account->digits, (double)account->others_ns / NS_PER_S);
	putc('\n', out);
	if (account->nr_unknown)
		fprintf(out, "# %" PRIu64 " of them did not come to exit() (a signal, execl(), or still running): the CPU time used there, and the samples lost there, are not known\n",
			account->nr_unknown);
}

static void print_unprofiled(FILE *out, const struct account *account)
{
	const struct result *result = account->result;
	double rest = unprofiled_cpu(result);
	size_t i;

	fprintf(out, "#   %.*f s in programs that were not profiled:", account->digits, rest);
	for (i = 0; i < result->nr_unprofiled && i < MOST_NAMES; i++) {
		const struct result_unprofiled *program = &result->unprofiled[i];

		fputs(i ? ", " : " ", out);
		terminal_print_name(out, base_name(program->program));
		fprintf(out, " %.*f s", account->digits, (double)program->cpu_ns / NS_PER_S);
		if (program->processes > 1)
			fprintf(out, " in %" PRIu64 " processes", program->processes);
		rest -= (double)program->cpu_ns / NS_PER_S;
	}
	if (i < result->nr_unprofiled)
		fprintf(out, ", and %zu more %.*f s", result->nr_unprofiled - i,
			account->digits, fabs(rest));
	putc('\n', out);
}

/*
 * Where the CPU time went: the lines below the first add up to it. Those that nobody waited
 * for are in the first one's figure only as far as they have told.
 */
static void print_balance(FILE *out, const struct account *account)
{
	const struct result *result = account->result;
	double waited = ((double)result->program_cpu_ns + (double)result->children_cpu_ns) /
			NS_PER_S;
	double profiled = profiled_cpu(account), unprofiled = unprofiled_cpu(result);
	double all = fmax(waited, profiled + unprofiled);
	int digits = account->digits;

	if (!account->nr_forked && !account->nr_executed && !result->unlisted &&
	    !result->nr_unprofiled)
		return;
	if (all > waited)
		fprintf(out, "# all of it used %.*f s of CPU, of which the command waited for %.*f s:\n",
			digits, all, digits, waited);
	else
		fprintf(out, "# all that the command waited for used %.*f s of CPU:\n", digits, all);
	fprintf(out, "#   %.*f s while it was profiled\n", digits, profiled);
	if (result->nr_unprofiled)
		print_unprofiled(out, account);
	fprintf(out, "#   %.*f s at starts and ends of programs, and in programs too short to be seen%s\n",
		digits, fmax(all - profiled - unprofiled, 0), account->nr_unknown ?
		", and in what did not come to exit()" : "");
}

/* All other errors of pinning but these two, which pass, end a profile. */
static bool ended_early(const struct result *result)
{
	int error = result->lost_error;

	return error && error != ENOMEM && error != ENOBUFS;
}

/* What is known to be missing takes the place of what may be. */
static void print_missing(FILE *out, const struct account *account, double missing)
{
	const struct result *result = account->result;

	fprintf(out, "# %s%.*f s of CPU have no samples: ",
		account->nr_unknown ? "at least " : "", account->digits, missing);
	if (ended_early(result))
		fputs("the profile had ended", out);
	else if (result->fork_failures)
		fputs("not all children were profiled", out);
	else
		fputs("an exec ended the profile, or a program stopped it or started its own, or it ran in bursts shorter than the time between two samples, of which a clock may see too few", out);
	if (account->nr_untold > result->fork_failures)
		fputs("; or samples were lost, as where the limit of locked memory (ulimit -l) is low: only who comes to exit() can tell", out);
	putc('\n', out);
}

/*
 * A clock that is in step with a program may see it each time, though it seldom runs. One
 * that takes points at random cannot.
 */
static void print_excess(FILE *out, const struct account *account, double excess)
{
	fprintf(out, "# the samples stand for %.*f s more than the CPU time: ",
		account->digits, excess);
	if (account->result->clock != PROFIL_CLOCK_RANDOM)
		fputs("the program may run in step with the clock (--clock random is in step with none), or ", out);
	fputs("something may have written into the counters, or processes that nobody waited for are not known\n", out);
}

/*
 * What is known to be lost is no difference. And what a child of vfork() used until it
 * executed a program counted for its parent, and is time before the program's profile.
 *
 * Of points at random, the number that meets a program that uses a part of each period
 * varies by no more than the square root of what is expected.
 */
static void print_difference(FILE *out, const struct account *account)
{
	const struct result *result = account->result;
	double samples = (double)result_samples(result) + (double)result->lost;
	double slack = SLACK_SAMPLES * ((double)result->nr_processes + (double)result->unlisted);
	double rate = result_rate(result);
	double least = profiled_cpu(account) * rate;
	double most = sampled_cpu(account) * fmax(rate, result->asked_rate);

	if (samples < least - fmax(slack, least * SLACK_PERCENT / 100))
		print_missing(out, account, (least - samples) / rate);
	else if (!account->nr_unknown &&
		 samples > most + slack + most * SLACK_PERCENT / 100 + SLACK_ERRORS * sqrt(most))
		print_excess(out, account, (samples - most) / rate);
}

void account_print(FILE *out, const struct result *result)
{
	const struct account account = make_account(result);

	print_figures(out, &account);
	print_lowered_rate(out, result);
	print_others(out, &account);
	print_balance(out, &account);
	print_difference(out, &account);
}

int account_print_no_samples(FILE *out, const struct terminal_style *style,
			     const struct result *result)
{
	const struct account account = make_account(result);

	/* if they were lost, that has been said */
	if (!account.first || result->lost)
		return terminal_print_comment(out, style, "# no samples");
	return terminal_print_comment(out, style,
				      "# no samples: the program used %.1f ms of CPU while it was profiled, and there is one sample every %.1f ms",
				      profiled_cpu(&account) * NS_PER_S / NS_PER_MS,
				      1000.0 / result_rate(result));
}
