// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profil command's half inside the profiled program: run by the dynamic
 * linker before main(), it starts a profile of all code that is loaded by then,
 * with counters in the memory that the command shares with us (run.h), and tells
 * at the end of the program, and of each child that it forked, what the counters
 * do not show. Without PROFIL_RUN in the environment it does nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "autostart.h"
#include "device.h"
#include "objects.h"
#include "rate.h"
#include "run.h"

#define RUN_VARIABLE	"PROFIL_RUN"

/* Text per counter, in bytes: as fine as functions begin. */
#define TEXT_BYTES	4

/* Of the profile that was started here; NULL if none was. */
static struct profil_run *started;

/* The child that has counted itself as forked: this process, or one above it. */
static pid_t counted;

bool profil_autostart_has_profile(void)
{
	return started || secure_getenv(RUN_VARIABLE);
}

static void fail(struct profil_run *run, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void fail(struct profil_run *run, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(run->message, sizeof(run->message), format, args);
	va_end(args);
	run->error = error;
	__atomic_store_n(&run->state, PROFIL_RUN_FAILED, __ATOMIC_RELEASE);
}

/*
 * Take what the command put into the environment out again: what this program
 * executes is not part of the run.
 */
static void clean_environment(void)
{
	const char *preload = getenv("LD_PRELOAD");
	Dl_info self;
	size_t length;

	unsetenv(RUN_VARIABLE);
	if (!preload || !dladdr((void *)&clean_environment, &self))
		return;
	length = strlen(self.dli_fname);
	if (strncmp(preload, self.dli_fname, length))
		return;
	if (!preload[length])
		unsetenv("LD_PRELOAD");
	else if (preload[length] == ':' || preload[length] == ' ')
		setenv("LD_PRELOAD", preload + length + 1, 1);
}

static uint64_t cpu_ns(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
}

static uint64_t page_up(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Give all parts behind the header their places, and return the whole size. */
static uint64_t lay_out(struct profil_run *run,
			const struct profil_object *objects, size_t nr,
			struct profil_run_object *out)
{
	uint64_t at = sizeof(*run);
	size_t i;

	run->text_bytes = TEXT_BYTES;
	run->objects = at;
	run->nr_objects = nr;
	at += nr * sizeof(*out);
	for (i = 0; i < nr; i++) {
		out[i].start = objects[i].start;
		out[i].end = objects[i].end;
		out[i].bias = objects[i].bias;
		out[i].path = at;
		at += strlen(objects[i].path) + 1;
	}
	at = page_up(at);
	run->outside = at;
	at += sizeof(uint32_t);
	for (i = 0; i < nr; i++) {
		out[i].nr_counters = (out[i].end - out[i].start +
				      run->text_bytes - 1) / run->text_bytes;
		out[i].counters = at;
		at += out[i].nr_counters * sizeof(uint32_t);
	}
	return page_up(at);
}

/*
 * Make the memory as large as it has to be, and fill all in but the counters. The
 * mapping stays as long as they do. Return: it; or NULL, and the run has failed.
 */
static char *make_memory(int memory_fd, struct profil_run *run,
			 const struct profil_object *objects, size_t nr)
{
	struct profil_run_object *out = calloc(nr, sizeof(*out));
	char *memory;
	size_t i;

	if (!out)
		goto failed;
	run->size = lay_out(run, objects, nr, out);
	if (ftruncate(memory_fd, (off_t)run->size))
		goto failed;
	memory = mmap(NULL, run->size, PROT_READ | PROT_WRITE, MAP_SHARED,
		      memory_fd, 0);
	if (memory == MAP_FAILED)
		goto failed;
	memcpy(memory + run->objects, out, nr * sizeof(*out));
	for (i = 0; i < nr; i++)
		strcpy(memory + out[i].path, objects[i].path);
	free(out);
	return memory;

failed:
	fail(run, errno, "no memory for the counters, %llu KiB: %s (%s)",
	     (unsigned long long)run->size / 1024, strerrordesc_np(errno),
	     strerrorname_np(errno));
	free(out);
	return NULL;
}

/*
 * Start counting into the memory. Nearly all of it stays untouched, so that only
 * the pages that are hit are pinned: RLIMIT_MEMLOCK, small by default, would not
 * go far otherwise. Return: 0 or -errno.
 */
static int start(int device, struct profil_run *run, char *memory)
{
	struct profil_run_object *objects = (void *)(memory + run->objects);
	struct profil_start arg = {
		.size = sizeof(arg),
		.flags = PROFIL_PIN_ON_HIT,
		.rate = run->rate,
		.width = 32,
		.overflow = PROFIL_OVERFLOW_SATURATE,
		.nr_regions = (uint32_t)run->nr_objects,
		.clock = run->clock,
		.catch_all = (uintptr_t)memory + run->outside,
	};
	struct profil_region *regions;
	int error;
	size_t i;

	regions = calloc(run->nr_objects, sizeof(*regions));
	if (!regions)
		return -ENOMEM;
	for (i = 0; i < run->nr_objects; i++) {
		regions[i].start = objects[i].start;
		regions[i].end = objects[i].end;
		regions[i].offset = objects[i].start;
		regions[i].buf = (uintptr_t)memory + objects[i].counters;
		regions[i].bytes = objects[i].nr_counters * sizeof(uint32_t);
		regions[i].scale = 0x10000 * sizeof(uint32_t) / run->text_bytes;
		regions[i].rounding = PROFIL_ROUND_DOWN;
	}
	arg.regions = (uintptr_t)regions;
	error = profil_device_call(device, PROFIL_IOC_START, &arg);
	free(regions);
	return error;
}

static void explain_start(int device, struct profil_run *run, int error)
{
	char why[sizeof(run->message)];

	if ((error == EINVAL || error == EPERM) &&
	    profil_rate_explain(device, run->rate, run->clock, why, sizeof(why)))
		fail(run, error, "%s", why);
	else
		fail(run, error, PROFIL_DEVICE ": start: %s (%s)",
		     strerrordesc_np(error), strerrorname_np(error));
}

/* Called by fork(), in the child. */
static void count_fork(void)
{
	counted = getpid();
	__atomic_add_fetch(&started->nr_forked, 1, __ATOMIC_RELAXED);
}

static void start_run(int device, int memory_fd, struct profil_run *run)
{
	struct profil_status status = { .size = sizeof(status) };
	struct profil_object *objects;
	long nr = profil_objects_list(&objects);
	char *memory;
	int error;

	if (nr < 0) {
		fail(run, ENOMEM, "no memory to list the program's libraries");
		return;
	}
	/* if PROFIL_RATE is none, it stays 0, which the kernel refuses */
	if (!run->rate)
		profil_rate_choose(device, &run->rate);
	memory = make_memory(memory_fd, run, objects, (size_t)nr);
	free(objects);
	if (!memory)
		return;
	run->start_cpu_ns = cpu_ns();
	error = start(device, run, memory);
	if (error) {
		explain_start(device, run, -error);
		munmap(memory, run->size);
		return;
	}
	started = (struct profil_run *)memory;
	/* if that fails, the children that come to exit() count themselves there */
	pthread_atfork(NULL, NULL, count_fork);
	run->asked_rate = run->rate;
	if (!profil_device_call(device, PROFIL_IOC_STATUS, &status))
		run->rate = status.rate;
	__atomic_store_n(&run->state, PROFIL_RUN_STARTED, __ATOMIC_RELEASE);
}

/* Of several programs that a static one executes, the first has the run. */
static bool take_run(struct profil_run *run)
{
	int32_t nobody = 0;

	return __atomic_compare_exchange_n(&run->pid, &nobody, getpid(), false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void __attribute__((constructor)) autostart(void)
{
	const char *path = secure_getenv(RUN_VARIABLE);
	struct profil_run *run;
	int memory_fd, device;
	int saved = errno;

	if (!path)
		return;
	memory_fd = open(path, O_RDWR | O_CLOEXEC);
	clean_environment();
	/* with nothing to tell it by, the command finds the run untouched */
	if (memory_fd < 0)
		goto out;
	run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED,
		   memory_fd, 0);
	if (run == MAP_FAILED)
		goto close_memory;
	if (run->magic != PROFIL_RUN_MAGIC) {
		goto unmap;
	} else if (run->version != PROFIL_RUN_VERSION) {
		fail(run, EPROTO,
		     "this libprofil speaks version %d of the run's format, the command version %u: install both from one build",
		     PROFIL_RUN_VERSION, run->version);
		goto unmap;
	} else if (!take_run(run)) {
		goto unmap;
	}
	device = profil_device_open();
	if (device < 0) {
		fail(run, -device, PROFIL_DEVICE ": %s (%s): %s",
		     strerrordesc_np(-device), strerrorname_np(-device),
		     profil_device_remedy(-device));
		goto unmap;
	}
	start_run(device, memory_fd, run);
	profil_device_close(device);
unmap:
	munmap(run, sizeof(*run));
close_memory:
	close(memory_fd);
out:
	errno = saved;
}

static void tell_rate(uint32_t rate)
{
	uint32_t lowest = __atomic_load_n(&started->rate, __ATOMIC_RELAXED);

	while (rate < lowest &&
	       !__atomic_compare_exchange_n(&started->rate, &lowest, rate, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * What this process's profile lost. Nothing is told of one that the program has
 * stopped, or replaced by one of its own, which pins all at once: its figures
 * are gone.
 */
static void tell_losses(void)
{
	struct profil_status status = { .size = sizeof(status) };
	int device = profil_device_open();
	int error;

	if (device < 0)
		return;
	error = profil_device_call(device, PROFIL_IOC_STATUS, &status);
	profil_device_close(device);
	if (error || !(status.flags & PROFIL_PIN_ON_HIT))
		return;
	tell_rate(status.rate);
	__atomic_add_fetch(&started->lost, status.lost, __ATOMIC_RELAXED);
	__atomic_add_fetch(&started->forks_denied, status.forks_denied,
			   __ATOMIC_RELAXED);
	if (status.error)
		__atomic_store_n(&started->lost_error, status.error,
				 __ATOMIC_RELAXED);
	__atomic_add_fetch(&started->nr_told, 1, __ATOMIC_RELAXED);
}

/* At the end of the program by exit(), and of each child of it that gets there. */
static void __attribute__((destructor)) autoend(void)
{
	if (!started)
		return;
	tell_losses();
	if (started->pid == getpid()) {
		started->end_cpu_ns = cpu_ns();
		return;
	}
	/* else it was made by clone(2) or _Fork(), which call no handlers */
	if (counted != getpid())
		count_fork();
	__atomic_add_fetch(&started->forked_cpu_ns, cpu_ns(), __ATOMIC_RELAXED);
	/* last: who counts as ended has told its CPU time */
	__atomic_add_fetch(&started->nr_ended, 1, __ATOMIC_RELEASE);
}
