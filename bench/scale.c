// SPDX-License-Identifier: GPL-2.0-only
/*
 * What thousands of sampled processes cost: the sample of one more, and memory. In a guest with one
 * CPU whose clock counts instructions.
 *
 *	scale none|attached|sessions NUMBER
 *
 * NUMBER processes sleep meanwhile. "attached": another process profiles all of them; "sessions":
 * each profiles itself.
 *
 * Prints lines for bench/run.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "attach/target.h"
#include "common.h"
#include "files.h"
#include "load/gaps.h"

#define TICKS	200	/* interruptions to measure */
#define SPREAD	50	/* of the paths of the kernel around the median, in instructions */
#define LOG	(16 << 20)	/* bytes: for the records of all forks */
#define NR_FOR_MEMORY	10000	/* processes */

static void fail(const char *what)
{
	fprintf(stderr, "scale: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- the sleeping processes ---------------------------------------------------------------- */

struct sleepers {
	unsigned int number;
	bool profile_themselves;
	unsigned int ready;	/* in shared memory */
};

static void start_own(void)
{
	static uint64_t counter;
	int device = open_device();

	errno = device < 0 ? errno : start_counting(device, &counter, 0, 0);
	if (device < 0 || errno)
		fail("start");
}

/* Runs in the target: children of an attached process are attached, too. */
static void fork_sleepers(void *sleepers_)
{
	struct sleepers *sleepers = sleepers_;
	unsigned int i;
	pid_t pid;

	setpgid(0, 0);
	for (i = 0; i < sleepers->number; i++) {
		pid = fork();
		if (pid < 0)
			fail("fork");
		if (pid)
			continue;
		if (sleepers->profile_themselves)
			start_own();
		__atomic_add_fetch(&sleepers->ready, 1, __ATOMIC_RELEASE);
		wait_for_ever(NULL);
	}
	wait_for_ever(NULL);
}

static void await_sleepers(const struct sleepers *sleepers)
{
	while (__atomic_load_n(&sleepers->ready, __ATOMIC_ACQUIRE) < sleepers->number)
		usleep(100000);
	sleep(1);
}

/* --- measuring ----------------------------------------------------------------------------- */

static double available_bytes(void)
{
	return 1024 * (double)read_number("/proc/meminfo", "MemAvailable:");
}

int main(int argc, char **argv)
{
	bool attached = argc == 3 && !strcmp(argv[1], "attached");
	bool sessions = argc == 3 && !strcmp(argv[1], "sessions");
	struct sleepers *sleepers;
	struct gaps *gaps = make_gaps(TICKS), bare;
	struct profil_attach attach;
	double mean, available;
	struct target target;
	char name[64], machine[64] = "";
	int device;
	long cpus;

	if (argc != 3 || (!attached && !sessions && strcmp(argv[1], "none"))) {
		fputs("usage: scale none|attached|sessions NUMBER\n", stderr);
		return 2;
	}
	sleepers = mmap(NULL, sizeof(*sleepers), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	device = open_device();
	if (!gaps || sleepers == MAP_FAILED || device < 0)
		fail("memory or /dev/profil");
	sleepers->number = (unsigned int)atoi(argv[2]);
	sleepers->profile_themselves = sessions;

	measure_gaps(gaps);
	mean = mean_gap(gaps, SPREAD);
	bare = *gaps;

	/* to wait for the end of all */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	errno = start_target(&target, device, fork_sleepers, sleepers);
	if (errno)
		fail("fork");
	if (attached) {
		attach = attachment(device, &target);
		attach.log_bytes = LOG;
		errno = call(device, PROFIL_IOC_ATTACH, &attach);
		if (errno)
			fail("attach");
	}
	/* without the log, of which there is one for all */
	available = available_bytes();
	release(&target);
	await_sleepers(sleepers);
	available -= available_bytes();
	if (attached && log_status(device).forks_followed < sleepers->number)
		fail("forks that were not followed");

	/* another open file of the device: this one may have a log */
	start_own();
	measure_gaps(gaps);
	mean = mean_gap(gaps, SPREAD) - mean;
	snprintf(name, sizeof(name), "%u %s", sleepers->number,
		 attached ? "attached" : sessions ? "sessions" : "processes");
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (cpus > 1)
		snprintf(machine, sizeof(machine), " with %ld possible CPUs", cpus);
	printf("scale,sample at a tick%s,%s,instructions,%u,%.1f,%u\n", machine, name,
	       likely_difference(&bare, gaps, (unsigned int)mean), mean, gaps->nr);
	/* that of few is lost in the noise */
	if (sleepers->number >= NR_FOR_MEMORY)
		printf("scale,memory of a process%s,%s,bytes,%.0f,,%u\n", machine, name,
		       available / sleepers->number, sleepers->number);
	fflush(stdout);
	kill(-target.pid, SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return 0;
}
