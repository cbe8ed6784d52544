// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is profiled, and how it is sampled: options of `profil run' and `profil top'.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rate.h>

#include <linux/profil.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/target.h"
#include "record/signals.h"
#include "util/array.h"
#include "util/clock_name.h"
#include "util/failure.h"
#include "util/time_ns.h"

/* Options without a letter */
enum { KEY_NO_FOLLOW = 0x400, KEY_CGROUP, KEY_CALL_GRAPH, KEY_CHILDREN };

#define HIGHEST_RATE		"max"	/* as an argument of --rate */

#define MIN_SECONDS		0.1	/* of the arguments of options */
#define MAX_SECONDS		86400.0

static const struct argp_option options[] = {
	{ "rate", 'r', "HZ", 0,
	  "Take HZ samples per second of CPU time; " HIGHEST_RATE ": as many as the kernel permits (default: PROFIL_RATE, or 100)", 0 },
	{ NULL, 'F', NULL, OPTION_ALIAS, NULL, 0 },
	{ "clock", 'c', "random|timer|tick", 0, "Sampling clock (default: random)", 0 },
	{ "no-follow", KEY_NO_FOLLOW, NULL, 0,
	  "Do not profile programs that the processes execute", 0 },
	{ "no-inherit", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "pid", 'p', "PID[,PID...]", 0,
	  "Profile these processes, instead of a COMMAND", 0 },
	{ "children", KEY_CHILDREN, NULL, 0,
	  "With --pid, profile also the children that the processes have, and theirs", 0 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "Profile the processes of this control group (version 2), and those that join it", 0 },
	/* of perf, to name what is to be typed instead */
	{ "all-cpus", 'a', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "call-graph", KEY_CALL_GRAPH, "MODE", OPTION_HIDDEN, NULL, 0 },
	{ NULL, 'g', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

static uint32_t parse_clock(const char *text, struct argp_state *state)
{
	uint32_t i;

	for (i = PROFIL_CLOCK_TICK; i <= PROFIL_CLOCK_RANDOM; i++)
		if (!strcmp(text, clock_name(i)))
			return i;
	options_error(state, "invalid clock '%s'; expected random, timer or tick", text);
	return PROFIL_CLOCK_AUTO;
}

static uint32_t default_clock(void)
{
	const uint32_t clock = attach_default_clock();

	if (clock != PROFIL_CLOCK_RANDOM)
		failure_warnx("the kernel has no high-resolution timers, so its tick takes the samples: the shares of a program in step with the tick are wrong (boot without highres=off)");
	return clock;
}

void target_finish(struct profiling_options *profiling)
{
	if (profiling->attach.clock == PROFIL_CLOCK_AUTO)
		profiling->attach.clock = default_clock();
}

uint64_t target_parse_seconds(const char *text, struct argp_state *state)
{
	double seconds;
	char *end;

	seconds = strtod(text, &end);
	if (end == text || *end || !(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS))
		options_error(state, "invalid time '%s'; expected %g to %.0f seconds", text,
			      MIN_SECONDS, MAX_SECONDS);
	return (uint64_t)(seconds * NS_PER_S);
}

static void add_pid(struct profiling_options *profiling, pid_t pid)
{
	pid_t *last;
	size_t i;

	for (i = 0; i < profiling->nr_pids; i++)
		if (profiling->pids[i] == pid)
			return;
	last = array_append(profiling->pids, profiling->nr_pids);
	if (!last)
		failure_exit(EXIT_OWN_FAILURE, "--pid", ENOMEM);
	*last = pid;
}

static void parse_pids(const char *text, struct profiling_options *profiling,
		       struct argp_state *state)
{
	const char *rest = text;
	char *end;

	do {
		unsigned long pid = strtoul(rest, &end, 10);

		if (isalpha((unsigned char)*text) && !text[strcspn(text, " '\"$;&|")])
			options_error(state, "invalid process ID '%s': for the processes of a program, type -p $(pidof %s)",
				      text, text);
		if (*rest < '0' || *rest > '9' || !pid || pid > INT_MAX || (*end && *end != ','))
			options_error(state, "invalid process IDs '%s'; expected numbers, separated by commas",
				      text);
		add_pid(profiling, (pid_t)pid);
		rest = end + 1;
	} while (*end);
}

/* Whether a word is a number: a process ID, as in -p $(pidof COMMAND) */
static bool is_pid(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

/* Exit if the options exclude each other. */
static void check(const struct profiling_options *profiling, struct argp_state *state)
{
	const bool has_pids = profiling->nr_pids;

	if (profiling->command && has_pids)
		options_error(state, "--pid and a command exclude each other: remove one of them");
	if (profiling->cgroup && (profiling->command || has_pids))
		options_error(state, "--cgroup excludes a command and --pid: remove one of them");
	if (!profiling->command && !profiling->cgroup && !has_pids)
		argp_usage(state);
	if (profiling->children && !has_pids)
		options_error(state, "--children needs --pid: the children of a command are profiled without it");
	if (profiling->cgroup && !profiling->attach.follow)
		options_error(state, "--cgroup and --no-follow exclude each other: the programs that a process executes are in its control group");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct profiling_options *profiling = state->input;

	switch (key) {
	case 'r':
	case 'F':
		profiling->attach.rate = strcmp(text, HIGHEST_RATE) ?
			options_parse_rate(text, state) : PROFIL_HIGHEST_RATE;
		return 0;
	case 'a':
		options_error(state, "profil profiles processes: --cgroup=/ is the whole machine, if root asks");
		return 0;
	case 'g':
	case KEY_CALL_GRAPH:
		options_error(state, "type -g, for `profil run': stacks are found by unwind information, without frame pointers");
		return 0;
	case 'c':
		profiling->attach.clock = parse_clock(text, state);
		return 0;
	case 'p':
		parse_pids(text, profiling, state);
		return 0;
	case KEY_CGROUP:
		if (!*text)
			options_error(state, "--cgroup needs the path of a control group; / is the whole machine");
		profiling->cgroup = text;
		return 0;
	case KEY_CHILDREN:
		profiling->children = true;
		return 0;
	case KEY_NO_FOLLOW:
		profiling->attach.follow = false;
		return 0;
	case ARGP_KEY_ARG:
		if (profiling->nr_pids && is_pid(text)) {
			parse_pids(text, profiling, state);
			return 0;
		}
		/* all arguments after the command belong to it */
		profiling->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(profiling, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp target_argp = { .options = options, .parser = parse_option };

void target_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	/* a closed pipe on standard error must not change the exit status */
	signals_ignore(SIGPIPE);
	/* a signal just after the end of the command must not prevent writing the result */
	signals_ignore(SIGUSR1);
	/* write whole lines, so that the command's output does not split them */
	setvbuf(stderr, NULL, _IOLBF, 0);
	argp_err_exit_status = EXIT_OWN_FAILURE;
	options_parse(argp, argc, argv, ARGP_IN_ORDER, input);
}
