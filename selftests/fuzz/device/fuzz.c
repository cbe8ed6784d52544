// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fuzzer of /dev/profil. It runs random programs (program.h), each in a process of its
 * own, and checks the documented interface: results of calls, counters that are written,
 * memory that stays pinned. Sanitizers of the kernel check more.
 *
 * usage: fuzz [--seed N] [--seconds N | --programs N] [--corpus FILE] [--save FILE] [--last FILE]
 *        fuzz --replay FILE
 *
 * --seconds how long to run random programs (10)
 * --programs how many of them to run
 * --corpus  programs to start with
 * --save    write the programs that cover more than the ones before them
 * --last    write each program before it is run, to find it after a kernel crash
 * --replay  run the programs of a file once
 *
 * A program covers more if kcov reports new code (if the kernel has kcov), or if an
 * operation fails with an error that it never had after the operation before it. Needs
 * root.
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

#include "../../lib/kernel/pinned_pages.h"
#include "run.h"

#define MAX_KEPT	1000
#define MAX_SAVED	200	/* keeps the file small */
#define TIMEOUT_MS	60000	/* a program should take 0.2 s */
#define CPU_SECONDS	20

/* Counting the pins of all sessions is slow, so it is not done after each program. */
#define PROGRAMS_PER_PIN_CHECK	64

static struct program kept[MAX_KEPT];
static unsigned int nr_kept, nr_programs;
static struct program unchecked[PROGRAMS_PER_PIN_CHECK];
static unsigned int nr_unchecked;

static const char *last_path;
static long long pins_before;
static unsigned long nr_after;	/* of shared->after, seen so far */

/* --- running a program ------------------------------------------------------- */

static void begin_shared(void)
{
	shared->processes = 0;
	shared->signals = 0;
	shared->anything = 0;
	shared->nr_allowed = 0;
	shared->nr_files = 0;
	memset(shared->files, 0, sizeof(shared->files));
}

/* Each program starts in a copy of the same memory, with limited CPU time. */
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

/* Return: its wait status, or -1 if it does not end. */
static int wait_for_end(pid_t pid)
{
	struct pollfd end = {
		.fd = (int)syscall(SYS_pidfd_open, pid, 0),
		.events = POLLIN,
	};
	int status = -1;

	if (poll(&end, 1, TIMEOUT_MS) == 1)
		waitpid(pid, &status, 0);
	close(end.fd);
	/* and its other processes */
	kill(-pid, SIGKILL);
	if (status != -1)
		while (wait(NULL) > 0)
			;
	return status;
}

/* Run a program. Return: what is wrong, or NULL. The text is valid until the next run. */
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
	status = wait_for_end(begin(program));
	if (*shared->failure)
		return shared->failure;
	if (status == -1)
		return "the program does not end";
	if (status) {
		snprintf(message, sizeof(message), "wait status %#x", status);
		return message;
	}
	if (await_figure("sessions", 0))
		return "a session was not freed";
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

/* Pages stay pinned: run the last programs again, one by one, to find which one did it. */
static void find_pin(void)
{
	unsigned int i;

	for (i = 0; i < nr_unchecked; i++) {
		long long before = pins_of_all();

		if (is_failure(&unchecked[i], run_one(&unchecked[i])))
			return;
		if (!pins_return_to(before)) {
			is_failure(&unchecked[i], "pages stay pinned");
			return;
		}
	}
	printf("# pages stay pinned, but after none of the last programs alone\n");
}

static bool pins_are_left(void)
{
	bool left = !pins_return_to(pins_before);

	if (left)
		find_pin();
	nr_unchecked = 0;
	return left;
}

static bool run_and_check(const struct program *program)
{
	unchecked[nr_unchecked++] = *program;
	return !is_failure(program, run_one(program)) &&
	       (nr_unchecked < PROGRAMS_PER_PIN_CHECK || !pins_are_left());
}

/* --- choosing programs -------------------------------------------------------- */

static bool is_new(void)
{
	unsigned int new_code = kcov_new();
	const uint8_t *after = &shared->after[0][0][0];
	unsigned long nr = 0;
	size_t i;

	for (i = 0; i < sizeof(shared->after); i++)
		nr += after[i];
	if (nr == nr_after && !new_code)
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

/* Run each program of a file once. */
static bool run_file(const char *path)
{
	FILE *in = fopen(path, "re");
	struct program program;
	bool good = true;
	int got = 0;

	if (!in)
		err(1, "%s", path);
	while (good && (got = program_read(in, &program)) > 0) {
		good = run_and_check(&program);
		if (good && is_new())
			keep(&program);
	}
	fclose(in);
	if (got < 0)
		errx(1, "%s: not a program", path);
	return good;
}

/* @programs: their number; 0: as many as there is time for */
static bool fuzz(double seconds, unsigned long programs)
{
	double end = clock_seconds(CLOCK_MONOTONIC) + seconds;
	struct program program;
	unsigned long i;

	for (i = 0; programs ? i < programs : clock_seconds(CLOCK_MONOTONIC) < end; i++) {
		choose(&program);
		if (!run_and_check(&program))
			return false;
		if (is_new())
			keep(&program);
	}
	return true;
}

/* Run all kept programs again, newest first, and write those that still cover more. */
static bool save(const char *path)
{
	FILE *out = fopen(path, "we");
	unsigned int i, saved = 0;
	bool good = true;

	if (!out)
		err(1, "%s", path);
	fprintf(out, "# SPDX-License-Identifier: GPL-2.0-only\n"
		"# Programs of the fuzzer that cover more than those above them.\n"
		"# program.h describes the syntax.\n\n");
	kcov_forget();
	memset(shared->after, 0, sizeof(shared->after));
	nr_after = 0;
	for (i = nr_kept; i-- && saved < MAX_SAVED; ) {
		good = run_and_check(&kept[i]);
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

/* --- setup and report ------------------------------------------------------- */

static void make_shared(void)
{
	int fd = memfd_create("shared", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*shared)) || dup2(fd, SHARED_FD) < 0)
		err(1, "shared memory");
	close(fd);
}

static void map_shared_memory(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
	if (shared == MAP_FAILED)
		err(1, "shared memory");
}

/* Continue a program after it has executed /proc/self/exe. */
static void run_rest(char *text)
{
	FILE *in = fmemopen(text, strlen(text), "r");
	struct program program = { 0 };

	map_shared_memory();
	if (in && program_read(in, &program) < 0)
		failure("cannot read the rest of the program");
	run(&program, 0);
}

/* Print how often the commands from @first to @last returned each result. */
static void print_results(unsigned int first, unsigned int last)
{
	unsigned int i, j;

	for (i = 0; i < NR_RESULTS; i++) {
		uint64_t sum = 0;

		for (j = first; j <= last; j++)
			sum += shared->results[j][i];
		if (sum)
			printf(" %s %llu", result_name(i), (unsigned long long)sum);
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

/* Whether enough starts succeeded and samples were taken: else the run shows nothing. */
static bool was_useful(void)
{
	return nr_programs && shared->results[1][0] * 20 >= starts() &&
	       shared->samples >= nr_programs;
}

static int report(bool good)
{
	bool useful = was_useful();
	/* after a failure the last programs are not run again */
	bool left = good ? pins_are_left() : !pins_return_to(pins_before);

	printf("# all commands:");
	print_results(0, NR_COMMANDS - 1);
	printf("\n# START:");
	print_results(1, 1);
	printf("; %llu skipped\n# ATTACH:", (unsigned long long)shared->skipped);
	print_results(_IOC_NR(PROFIL_IOC_ATTACH), _IOC_NR(PROFIL_IOC_ATTACH));
	printf("\n# read:");
	print_results(COMMAND_READ, COMMAND_READ);
	printf("; %llu samples\n", (unsigned long long)shared->samples_read);
	printf("# %u places covered (kcov), %lu pairs of operations and errors\n",
	       kcov_places(), nr_after);
	printf("%sok 1 - no program failed: %u run, %u kept, %llu starts, ",
	       good ? "" : "not ", nr_programs, nr_kept,
	       (unsigned long long)starts());
	printf("%llu successful\n",
	       (unsigned long long)shared->results[1][0]);
	printf("%sok 2 - 1 start in 20 succeeds, and there is 1 sample per program: %llu samples\n",
	       useful ? "" : "not ", (unsigned long long)shared->samples);
	printf("%sok 3 - no page stays pinned\n", left ? "not " : "");
	return good && useful && !left ? 0 : 1;
}

/* Until restore_machine() there are huge pages, and rates are not lowered. */
static char *old_hugepages;

static void prepare_machine(void)
{
	long long huge = read_number("/proc/sys/vm/nr_hugepages", "");

	if (asprintf(&old_hugepages, "%lld", huge) < 0)
		err(1, NULL);
	write_text("/proc/sys/vm/nr_hugepages", "8");
	set_throttle(false);
	/* reap orphaned children of programs */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pins_before = pins_of_all();
}

static void restore_machine(void)
{
	write_text("/proc/sys/vm/nr_hugepages", old_hugepages);
	set_throttle(true);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "programs", required_argument, NULL, 'n' },
		{ "corpus", required_argument, NULL, 'c' },
		{ "save", required_argument, NULL, 'w' },
		{ "last", required_argument, NULL, 'l' },
		{ "replay", required_argument, NULL, 'r' },
		{ "rest", required_argument, NULL, 'x' },
		{ 0 }
	};
	const char *corpus = NULL, *save_path = NULL, *replay = NULL;
	unsigned long long seed = 1;
	unsigned long programs = 0;
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
		case 'n':
			programs = strtoul(optarg, NULL, 0);
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
	       kcov_init() ? "guided by kcov" : "without kcov: new code is not recognized");
	if (replay) {
		good = run_file(replay);
	} else {
		if (corpus)
			good = run_file(corpus);
		if (good)
			good = fuzz(seconds, programs);
		if (good && save_path)
			good = save(save_path);
	}
	status = report(good);
	restore_machine();
	return status;
}
