// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live view of a fixed recording, for ../host/top_test.sh.
 *
 * usage: top_sample DIRECTORY FUNCTIONS OBJECTS
 *        top_sample DIRECTORY FUNCTIONS OBJECTS REFRESHES
 *
 * Writes OBJECTS programs with FUNCTIONS functions together to DIRECTORY. Function 1 has half of
 * all samples. Shows them on the terminal until q is typed, and adds a byte to the file
 * DIRECTORY/refreshes each time; or, on a terminal and by a clock of its own, REFRESHES times, once
 * the names are known. Each of these is a function of its own, which callgrind shows.
 */
#define _GNU_SOURCE
#include <err.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <top/top.h>
#include <util/time_ns.h>

#include "support/fake_log.h"
#include "support/made_program.h"
#include "support/test.h"

#define FUNCTION_BYTES	64
#define OBJECT_BYTES	0x1000000ul	/* of addresses, with more functions than are used */
#define START		0x400000ul
#define BATCH		1000		/* samples whose records fit in a pipe */
#define PER_REFRESH	20		/* of two busy CPUs, ten times a second, at 100 Hz */

static struct fake_log fake;
static struct recording *recording;
static struct top *top;
static unsigned long nr_functions, nr_objects;

static char *argv_of_run[] = { "program", NULL };
static struct child_end so_far = { .pid = FAKE_PID };
static const struct collect_log fake_status = {
	.status.rate = 100, .status.clock = PROFIL_CLOCK_TICK, .requested_rate = 100,
};
static struct live_run run;

/* Return: the same numbers in each run, below @limit. */
static unsigned long number(unsigned long limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % limit;
}

static uint64_t pc_of(unsigned long function)
{
	return START + function % nr_objects * OBJECT_BYTES +
	       function / nr_objects * FUNCTION_BYTES;
}

static void make_object(unsigned long object)
{
	const size_t nr = nr_functions / nr_objects + 1;
	struct made_function *functions = calloc(nr + 1, sizeof(*functions));
	char path[PATH_MAX], name[32];
	size_t i;

	for (i = 0; i < nr; i++) {
		/* a name in UTF-8, with a wide character */
		snprintf(name, sizeof(name), i * nr_objects + object == 2 ? "größe_漢" : "function_%zu",
			 i * nr_objects + object);
		functions[i] = (struct made_function){
			.name = strdup(name), .start = i * FUNCTION_BYTES, .size = FUNCTION_BYTES,
		};
	}
	snprintf(path, sizeof(path), "%s/object%lu", get_current_dir_name(), object);
	if (!made_program_write(path, ELFCLASS64, 0, nr * FUNCTION_BYTES, functions, false))
		err(1, "%s", path);
	fake_log_map_file(&fake, FAKE_PID, START + object * OBJECT_BYTES, nr * FUNCTION_BYTES,
			  made_program_text(path), path, object ? 0 : PROFIL_MAP_PROGRAM);
	if (recording_read(recording, fake.read) != 1)
		errx(1, "the log cannot be read");
}

static void make_program(void)
{
	unsigned long i;

	fake_log_exec(&fake, FAKE_PID, 1000000, 0, "program");
	for (i = 0; i < nr_objects; i++)
		make_object(i);
	fake_log_run(&fake, FAKE_PID);
}

/* Half of them in function 1 */
static void take_samples(int nr)
{
	while (nr--)
		fake_log_sample(&fake, FAKE_PID,
				pc_of(nr % 2 ? 1 : number(nr_functions)) + number(16) * 4, 1);
}

static __attribute__((noinline, noclone)) void step_refresh(void)
{
	if (recording_read(recording, fake.read) != 1 || top_show(top, &run))
		errx(1, "no view");
}

/* A sample in each function */
static void take_all(void)
{
	unsigned long i;

	for (i = 0; i < nr_functions; i++) {
		fake_log_sample(&fake, FAKE_PID, pc_of(i), 1);
		if (i % BATCH == BATCH - 1 && recording_read(recording, fake.read) != 1)
			errx(1, "the log cannot be read");
	}
}

/* --- on the terminal -------------------------------------------------------------- */

static void show(void)
{
	const int refreshes = open("refreshes", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	const uint64_t start = time_ns(CLOCK_MONOTONIC);
	struct pollfd keys = { .fd = STDOUT_FILENO, .events = POLLIN };

	do {
		take_samples(PER_REFRESH);
		run.so_far.elapsed_ns = time_ns(CLOCK_MONOTONIC) - start;
		step_refresh();
		if (write(refreshes, ".", 1) != 1)
			err(1, "refreshes");
	} while (poll(&keys, 1, 100) <= 0 || top_key(top, &run));
	top_end(top, &run);
}

/* --- on a terminal of its own ------------------------------------------------------ */

#define COLUMNS	160
#define ROWS	50

/* The clock of the view; 0: it has that of the machine. See the Makefile for --wrap. */
static uint64_t clock_ns;

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_ppoll(struct pollfd *polled, nfds_t nr, const struct timespec *time,
		 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *polled, nfds_t nr, const struct timespec *time,
		 const sigset_t *mask);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock != CLOCK_MONOTONIC || !clock_ns)
		return __real_clock_gettime(clock, time);
	*time = (struct timespec){ .tv_sec = (time_t)(clock_ns / NS_PER_S),
				   .tv_nsec = (long)(clock_ns % NS_PER_S) };
	return 0;
}

/* The child that reads names answers within the moment that the view waits for it. */
int __wrap_ppoll(struct pollfd *polled, nfds_t nr, const struct timespec *time,
		 const sigset_t *mask)
{
	return __real_ppoll(polled, nr, clock_ns ? NULL : time, mask);
}

static int master;

static void set_rows(unsigned short rows)
{
	const struct winsize size = { .ws_row = rows, .ws_col = COLUMNS };

	if (ioctl(master, TIOCSWINSZ, &size))
		err(1, "no size of a terminal");
}

static int open_pty(void)
{
	int slave;

	master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (master < 0 || grantpt(master) || unlockpt(master))
		err(1, "no pseudo-terminal");
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0)
		err(1, "no pseudo-terminal");
	set_rows(ROWS);
	return slave;
}

/* Add what was written to the terminal, up to so many bytes. Return: how many there were. */
static size_t drain(char *text, size_t room)
{
	char bytes[4096];
	size_t sum = 0;
	ssize_t nr;

	while ((nr = read(master, bytes, sizeof(bytes))) > 0) {
		if (sum + (size_t)nr < room)
			memcpy(text + sum, bytes, (size_t)nr);
		sum += (size_t)nr;
	}
	return sum;
}

/*
 * Whether samples wait for names. A terminal of another size is written anew, with the line that
 * says so.
 */
static bool is_waiting(void)
{
	static char text[4 * COLUMNS * ROWS];
	static bool is_smaller;

	is_smaller = !is_smaller;
	set_rows(is_smaller ? ROWS - 1 : ROWS);
	if (top_show(top, &run))
		errx(1, "no view");
	memset(text, 0, sizeof(text));
	drain(text, sizeof(text));
	return is_smaller || strstr(text, "wait for names");
}

static void refresh(long nr)
{
	uint64_t before, used = 0;
	size_t bytes = 0;
	long i;

	while (is_waiting())
		usleep(10000);
	for (i = 0; i < nr; i++) {
		take_samples(PER_REFRESH);
		/* the shares of the last seconds fall */
		clock_ns += NS_PER_S / 10;
		before = time_ns(CLOCK_PROCESS_CPUTIME_ID);
		step_refresh();
		used += time_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
		bytes += drain(NULL, 0);
	}
	printf("%ld refreshes: %.3f ms of CPU time and %zu bytes each\n", nr,
	       (double)used / 1e6 / (double)nr, bytes / (size_t)nr);
}

int main(int argc, char **argv)
{
	struct top_options options = { .terminal = STDOUT_FILENO, .output = "profil.out" };
	char why[SCREEN_WHY];

	if (argc < 4 || chdir(argv[1]))
		errx(1, "usage: top_sample DIRECTORY FUNCTIONS OBJECTS [REFRESHES]");
	nr_functions = strtoul(argv[2], NULL, 10);
	nr_objects = strtoul(argv[3], NULL, 10);
	if (argc > 4) {
		options.terminal = open_pty();
		clock_ns = NS_PER_S;
	}
	recording = recording_new();
	fake_log_open(&fake);
	run = (struct live_run){
		.recording = recording, .log = fake_status, .so_far = so_far, .argv = argv_of_run,
	};
	top = top_new(&options, recording);
	make_program();
	take_all();
	if (!top || top_begin(top, why))
		errx(1, "%s", why);
	if (argc > 4)
		refresh(strtol(argv[4], NULL, 10));
	else
		show();
	top_free(top);
	recording_free(recording);
	fake_log_close(&fake);
	return 0;
}
