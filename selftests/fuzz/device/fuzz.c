// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fuzzer of /dev/profil: runs programs (program.h), each in a process of its
 * own, and looks for promises that are broken: results that are not documented,
 * counts where none belong, memory that stays pinned. Kernels with sanitizers look
 * for more.
 *
 * usage: fuzz [--seed N] [--seconds N] [--corpus FILE] [--save FILE] [--last FILE]
 *        fuzz --replay FILE
 *
 * --corpus  programs to begin with, --save where to write those that reach more than
 *           the ones before them, --last where each is written before it is run, to be
 *           found there if the kernel crashes; --replay runs those of a file once
 *
 * What is new about a program is told by kcov, where the kernel has it, and by
 * errors that come behind operations where they never did. Needs root.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../memory.h"
#include "run.h"

#define MAX_KEPT	1000
#define MAX_SAVED	200	/* the repository need not have more */
#define PATIENCE_MS	60000	/* of a program that should take 0.2 s */
#define CPU_SECONDS	20

/* Pins are counted together, which takes long: not after each program. */
#define PROGRAMS_PER_LOOK	64

static struct program kept[MAX_KEPT];
static unsigned int nr_kept, nr_programs;
static struct program looked_at[PROGRAMS_PER_LOOK];
static unsigned int nr_looked_at;

static const char *last_path;
static long long pins_before;
static unsigned long nr_after;	/* of shared->after, seen so far */

/* --- running one ----------------------------------------------------------- */

static void begin_shared(void)
{
	shared->processes = 0;
	shared->signals = 0;
	shared->anything = 0;
	shared->nr_allowed = 0;
}

/* So that each program begins in the same memory, and none takes all of it */
static pid_t begin(const struct program *program)
{
	const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	pid_t pid = fork();

	if (pid)
		return pid;
	setpgid(0, 0);
	setrlimit(RLIMIT_CPU, &cpu);
	kcov_begin();
	run(program, 0);
}

/* Its end, or -1 if that does not come. */
static int await(pid_t pid)
{
	struct pollfd end = {
		.fd = (int)syscall(SYS_pidfd_open, pid, 0),
		.events = POLLIN,
	};
	int status = -1;

	if (poll(&end, 1, PATIENCE_MS) == 1)
		waitpid(pid, &status, 0);
	close(end.fd);
	/* and all that it has left */
	kill(-pid, SIGKILL);
	if (status != -1)
		while (wait(NULL) > 0)
			;
	return status;
}

/* What a program did wrong, or NULL. The message is the program's own. */
static const char *run_one(const struct program *program)
{
	static char message[128];
	int status;
	FILE *last;

	if (last_path) {
		last = fopen(last_path, "we");
		if (!last)
			err(1, "%s", last_path);
		program_print(last, program, 0, "");
		fclose(last);
	}
	begin_shared();
	nr_programs++;
	status = await(begin(program));
	if (*shared->failure)
		return shared->failure;
	if (status == -1)
		return "it does not end";
	if (status) {
		snprintf(message, sizeof(message), "wait status %#x", status);
		return message;
	}
	if (await_figure("sessions", 0))
		return "a session is left";
	if (await_figure("pinned_bytes", 0))
		return "pinned_bytes is not 0";
	return NULL;
}

static bool is_failure(const struct program *program, const char *why)
{
	if (!why)
		return false;
	printf("# %s, in:\n", why);
	program_print(stdout, program, 0, "# | ");
	return true;
}

/* Pins were left by one of the last: which? */
static void find_pin(void)
{
	unsigned int i;

	for (i = 0; i < nr_looked_at; i++) {
		long long before = pins_of_all();

		if (is_failure(&looked_at[i], run_one(&looked_at[i])))
			return;
		if (!pins_went_back_to(before)) {
			is_failure(&looked_at[i], "pages stay pinned");
			return;
		}
	}
	printf("# pages stay pinned, but by none of the last programs alone\n");
}

static bool pins_are_left(void)
{
	bool left = !pins_went_back_to(pins_before);

	if (left)
		find_pin();
	nr_looked_at = 0;
	return left;
}

static bool run_and_look(const struct program *program)
{
	looked_at[nr_looked_at++] = *program;
	return !is_failure(program, run_one(program)) &&
	       (nr_looked_at < PROGRAMS_PER_LOOK || !pins_are_left());
}

/* --- choosing -------------------------------------------------------------- */

static bool is_new(void)
{
	unsigned int places = kcov_new();
	const uint8_t *after = &shared->after[0][0][0];
	unsigned long nr = 0;
	size_t i;

	for (i = 0; i < sizeof(shared->after); i++)
		nr += after[i];
	if (nr == nr_after && !places)
		return false;
	nr_after = nr;
	return true;
}

static void keep(const struct program *program)
{
	if (nr_kept < MAX_KEPT)
		kept[nr_kept++] = *program;
	else
		kept[random_below(MAX_KEPT)] = *program;
}

static void choose(struct program *program)
{
	if (!nr_kept || !random_below(4)) {
		program_make(program);
		return;
	}
	*program = kept[random_below(nr_kept)];
	program_vary(program, &kept[random_below(nr_kept)]);
}

/* Those of a file, each once. */
static bool run_file(const char *path)
{
	FILE *in = fopen(path, "re");
	struct program program;
	bool good = true;
	int got = 0;

	if (!in)
		err(1, "%s", path);
	while (good && (got = program_read(in, &program)) > 0) {
		good = run_and_look(&program);
		if (good && is_new())
			keep(&program);
	}
	fclose(in);
	if (got < 0)
		errx(1, "%s: what is this?", path);
	return good;
}

static bool fuzz(double seconds)
{
	double end = clock_seconds(CLOCK_MONOTONIC) + seconds;
	struct program program;

	while (clock_seconds(CLOCK_MONOTONIC) < end) {
		choose(&program);
		if (!run_and_look(&program))
			return false;
		if (is_new())
			keep(&program);
	}
	return true;
}

/* Run all again, the latest first, and write those that still reach more. */
static bool save(const char *path)
{
	FILE *out = fopen(path, "we");
	unsigned int i, saved = 0;
	bool good = true;

	if (!out)
		err(1, "%s", path);
	fprintf(out, "# SPDX-License-Identifier: GPL-2.0-only\n"
		"# Programs of the fuzzer that reach more than those above them:\n"
		"# program.h says how they are written.\n\n");
	kcov_forget();
	memset(shared->after, 0, sizeof(shared->after));
	nr_after = 0;
	for (i = nr_kept; i-- && saved < MAX_SAVED; ) {
		good = run_and_look(&kept[i]);
		if (!good)
			break;
		if (!is_new())
			continue;
		program_print(out, &kept[i], 0, "");
		fputc('\n', out);
		saved++;
	}
	fclose(out);
	printf("# %u programs saved\n", saved);
	return good;
}

/* --- the machine ----------------------------------------------------------- */

static void make_shared(void)
{
	int fd = memfd_create("shared", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*shared)) || dup2(fd, SHARED_FD) < 0)
		err(1, "shared memory");
	close(fd);
}

static void map_shared_memory(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      SHARED_FD, 0);
	if (shared == MAP_FAILED)
		err(1, "shared memory");
}

/* A program that has executed itself. */
static void run_rest(char *text)
{
	FILE *in = fmemopen(text, strlen(text), "r");
	struct program program = { 0 };

	map_shared_memory();
	if (in && program_read(in, &program) < 0)
		failure("cannot read what it has written");
	run(&program, 0);
}

/* Results of one command, or of all. */
static void print_results(unsigned int first, unsigned int last)
{
	unsigned int i, j;

	for (i = 0; i < NR_RESULTS; i++) {
		uint64_t sum = 0;

		for (j = first; j <= last; j++)
			sum += shared->results[j][i];
		if (sum)
			printf(" %s %llu", result_name(i),
			       (unsigned long long)sum);
	}
}

static uint64_t starts(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < NR_RESULTS; i++)
		sum += shared->results[1][i];
	return sum;
}

/* Did it do anything? Else it would pass for ever after it broke. */
static bool was_worth_it(void)
{
	return nr_programs && shared->results[1][0] * 20 >= starts() &&
	       shared->samples >= nr_programs;
}

static int report(bool good)
{
	bool worth = was_worth_it();
	/* after a failure they may be its, and of no use in a search */
	bool left = good ? pins_are_left() : !pins_went_back_to(pins_before);

	printf("# all commands:");
	print_results(0, NR_COMMANDS - 1);
	printf("\n# START:");
	print_results(1, 1);
	printf("; %llu not made\n", (unsigned long long)shared->skipped);
	printf("# %u places by kcov, %lu errors behind operations\n",
	       kcov_places(), nr_after);
	printf("%sok 1 - %u programs, %u kept, %llu calls to START, ",
	       good ? "" : "not ", nr_programs, nr_kept,
	       (unsigned long long)starts());
	printf("of which %llu succeeded\n",
	       (unsigned long long)shared->results[1][0]);
	printf("%sok 2 - %llu samples; 1 START in 20 and 1 sample a program are wanted\n",
	       worth ? "" : "not ", (unsigned long long)shared->samples);
	printf("%sok 3 - nothing stays pinned\n", left ? "not " : "");
	return good && worth && !left ? 0 : 1;
}

/* Huge pages to count in, and rates that nobody lowers, until the end */
static char *old_hugepages;

static void prepare_machine(void)
{
	long long huge = number_in("/proc/sys/vm/nr_hugepages", "");

	if (asprintf(&old_hugepages, "%lld", huge) < 0)
		err(1, NULL);
	write_text("/proc/sys/vm/nr_hugepages", "8");
	set_guard(false);
	/* orphans of programs come to us */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pins_before = pins_of_all();
}

static void restore_machine(void)
{
	write_text("/proc/sys/vm/nr_hugepages", old_hugepages);
	set_guard(true);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "corpus", required_argument, NULL, 'c' },
		{ "save", required_argument, NULL, 'w' },
		{ "last", required_argument, NULL, 'l' },
		{ "replay", required_argument, NULL, 'r' },
		{ "rest", required_argument, NULL, 'x' },
		{ 0 }
	};
	const char *corpus = NULL, *save_path = NULL, *replay = NULL;
	unsigned long long seed = 1;
	double seconds = 10;
	bool good = true;
	int option, status;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtod(optarg, NULL);
			break;
		case 'c':
			corpus = optarg;
			break;
		case 'w':
			save_path = optarg;
			break;
		case 'l':
			last_path = optarg;
			break;
		case 'r':
			replay = optarg;
			break;
		case 'x':
			run_rest(optarg);
			break;
		default:
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..3\n");
	if (access("/dev/profil", F_OK) || geteuid()) {
		printf("ok 1 # SKIP needs root and the module loaded\n");
		return 4;
	}
	make_shared();
	map_shared_memory();
	prepare_machine();
	random_seed(seed);
	printf("# seed %llu, %s\n", seed,
	       kcov_init() ? "guided by kcov" : "without kcov: nearly blind");
	if (replay) {
		good = run_file(replay);
	} else {
		if (corpus)
			good = run_file(corpus);
		if (good)
			good = fuzz(seconds);
		if (good && save_path)
			good = save(save_path);
	}
	status = report(good);
	restore_machine();
	return status;
}
