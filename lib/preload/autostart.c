// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profil command's half inside the profiled program: run by the dynamic linker before
 * main(), it starts a profile of all code that is loaded by then, with counters in the
 * memory that the command shares with us (run.h), and tells at the end of the program,
 * and of each child that it forked, what the counters do not show. Without PROFIL_RUN in
 * the environment it does nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/profil.h>

#include "autostart.h"
#include "code.h"
#include "device.h"
#include "jit.h"
#include "libc.h"
#include "preloaded.h"
#include "block_signals.h"
#include "rate.h"
#include "shm.h"

#define RUN_VARIABLE	"PROFIL_RUN"

static struct profil_shm tables;

/* This process's place, once its profile was started; NULL if none was. */
static struct profil_run_process *self;

/* That asked the kernel, in Hz. */
static unsigned int rate;

/* Figures of profiles of this process that another one has taken the place of */
static struct profil_status earlier;

/*
 * Of starting the profile again, in whatever thread. Held over fork(), so that it is
 * free in the child, and @earlier whole.
 */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* Code has come that the profile does not have: it could not be started again then. */
static bool pending;

/*
 * What a thread that has @starting is kept from, and has back afterwards: to be cancelled,
 * as it could be in open(), which the program has not called; and to have a signal's
 * handler fork or map memory, which would wait for that very thread.
 */
struct interrupted {
	sigset_t signals;
	int cancel;
};

bool profil_run_has_profile(void)
{
	return self || secure_getenv(RUN_VARIABLE);
}

static void explain(int error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The first failure of a run is the one that is told in words. */
static void explain(int error, const char *format, ...)
{
	struct profil_run *run = tables.run;
	int32_t none = 0;
	va_list args;

	if (!__atomic_compare_exchange_n(&run->error, &none, error, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	va_start(args, format);
	vsnprintf(run->message, sizeof(run->message), format, args);
	va_end(args);
}

static void set_state(struct profil_run_process *process, enum profil_run_state state)
{
	/* whoever sees it sees what it is about */
	__atomic_store_n(&process->state, state, __ATOMIC_RELEASE);
}

static void fail(struct profil_run_process *process, int error)
{
	process->error = error;
	set_state(process, PROFIL_RUN_FAILED);
}

/*
 * Take what the command put into the environment out again: what this program
 * executes is not part of the run.
 */
static void clean_environment(void)
{
	const char *preload = getenv("LD_PRELOAD");
	Dl_info us;
	size_t length;

	unsetenv(RUN_VARIABLE);
	if (!preload || !dladdr((void *)&clean_environment, &us))
		return;
	length = strlen(us.dli_fname);
	if (strncmp(preload, us.dli_fname, length))
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

/* What to do about an errno of opening the run's memory, which is in /proc. */
static const char *open_remedy(int error)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
		return profil_device_remedy(error);
	case EACCES:
	case EPERM:
		return "the program is another user's, or a security module keeps it from the command's files";
	default:
		return "see proc(5)";
	}
}

static void explain_start(int device, enum profil_code_step step, int error)
{
	char why[sizeof(tables.run->message)];

	if (step == PROFIL_CODE_LIST)
		explain(error, "no memory to list the program's libraries");
	else if (step == PROFIL_CODE_OPEN)
		explain(error, "%s, the counters' memory: %s (%s): %s", tables.path,
			strerrordesc_np(error), strerrorname_np(error),
			open_remedy(error));
	else if (step == PROFIL_CODE_MEMORY && error == EFBIG)
		explain(error, "the limit of files' sizes leaves no room for the counters (EFBIG): raise it, ulimit -f");
	else if (step == PROFIL_CODE_MEMORY)
		explain(error, "no memory for the counters: %s (%s)",
			strerrordesc_np(error), strerrorname_np(error));
	else if (profil_rate_explain(device, error, rate, tables.run->clock, why, sizeof(why)))
		explain(error, "%s", why);
	else
		explain(error, PROFIL_DEVICE ": start: %s (%s): %s",
			strerrordesc_np(error), strerrorname_np(error),
			profil_device_start_remedy(error));
}

/* A child made by fork() goes on with its parent's program and profile. Return: its place. */
static struct profil_run_process *enter_child(const struct profil_run_process *parent)
{
	struct profil_run_process *child = profil_shm_enter(tables.run);

	child->flags = PROFIL_RUN_FORKED;
	child->program = parent->program;
	child->rate = parent->rate;
	child->requested_rate = parent->requested_rate;
	set_state(child, PROFIL_RUN_STARTED);
	return child;
}

static void lock_starting(struct interrupted *interrupted)
{
	profil_block_signals(&interrupted->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &interrupted->cancel);
	pthread_mutex_lock(&starting);
}

static void unlock_starting(const struct interrupted *interrupted)
{
	pthread_mutex_unlock(&starting);
	pthread_setcancelstate(interrupted->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &interrupted->signals, NULL);
}

/* Of the thread that forks, which has the lock */
static struct interrupted forking;

static void before_fork(void)
{
	struct interrupted interrupted;

	lock_starting(&interrupted);
	forking = interrupted;
}

static void after_fork(void)
{
	struct interrupted interrupted = forking;

	unlock_starting(&interrupted);
}

static void in_child(void)
{
	/* its profile begins anew */
	earlier = (struct profil_status){ 0 };
	if (self)
		self = enter_child(self);
	after_fork();
}

/*
 * The rate of the run: if the command has chosen none, the first program does for all, so
 * that samples of all of them are worth the same.
 */
static unsigned int choose_rate(int device, struct profil_run *run)
{
	uint32_t first = 0;
	unsigned int own = 0;

	/* if PROFIL_RATE is none, it stays 0, which the kernel refuses */
	if (!__atomic_load_n(&run->rate, __ATOMIC_RELAXED))
		profil_rate_choose(device, &own);
	return __atomic_compare_exchange_n(&run->rate, &first, own, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? own : first;
}

static void start(int device, struct profil_run_process *process)
{
	struct profil_status status = { .size = sizeof(status) };
	enum profil_code_step step;
	int error;

	rate = choose_rate(device, tables.run);
	error = profil_code_start(device, &tables, rate, &process->program, &step);
	/* not before: the first profile of all has the kernel patch its text for it */
	process->start_cpu_ns = cpu_ns();
	if (error) {
		explain_start(device, step, -error);
		fail(process, -error);
		return;
	}
	process->requested_rate = rate;
	process->rate = rate;
	if (!profil_device_call(device, PROFIL_IOC_STATUS, &status))
		process->rate = status.rate;
	set_state(process, PROFIL_RUN_STARTED);
	self = process;
	/* if that fails, the children that come to exit() enter themselves there */
	profil_atfork(before_fork, after_fork, in_child);
}

/* Without follow, only one program has the run. */
static bool is_first(struct profil_run *run)
{
	int32_t nobody = 0;

	return __atomic_compare_exchange_n(&run->owner, &nobody, getpid(), false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * What this process was before it executed this program has ended, and by a call that
 * we do not hear of.
 */
static void end_earlier(void)
{
	struct profil_run_process *before =
		profil_shm_earlier(tables.run, getpid(), getppid());

	if (!before)
		return;
	before->end_cpu_ns = cpu_ns();
	set_state(before, PROFIL_RUN_ENDED);
}

static void enter(void)
{
	struct profil_run_process *process;
	int device;

	end_earlier();
	process = profil_shm_enter(tables.run);
	device = profil_device_open();
	if (device < 0) {
		explain(-device, PROFIL_DEVICE ": %s (%s): %s",
			strerrordesc_np(-device), strerrorname_np(-device),
			profil_device_remedy(-device));
		fail(process, -device);
		return;
	}
	start(device, process);
	profil_device_close(device);
}

static void __attribute__((constructor)) autostart(void)
{
	const char *path = secure_getenv(RUN_VARIABLE);
	int saved = errno;
	bool follows;
	int error;

	if (!path || !profil_is_for_libc())
		return;
	error = profil_shm_open(&tables, path);
	follows = !error && (tables.run->flags & PROFIL_RUN_FOLLOW);
	/* also if it is no run, or none any more: it cannot be followed */
	if (!follows)
		clean_environment();
	if (!error && (is_first(tables.run) || follows))
		enter();
	errno = saved;
}

/*
 * What this process's profile has come to. Return: 0; or -errno: also where the program
 * has stopped it, or replaced it by one of its own: the figures are gone then. Ours has just
 * this flag, which of libprofil's faces only profil_start() can be given alone.
 */
static int read_status(int device, struct profil_status *status)
{
	int error;

	*status = (struct profil_status){ .size = sizeof(*status) };
	error = profil_device_call(device, PROFIL_IOC_STATUS, status);
	if (!error && status->flags != PROFIL_PIN_ON_HIT)
		error = -ENOENT;
	return error;
}

static void add_earlier(struct profil_status *status)
{
	status->counted += earlier.counted;
	status->lost += earlier.lost;
	status->fork_failures += earlier.fork_failures;
	if (!status->error)
		status->error = earlier.error;
}

/*
 * With @starting held. What is counted goes on being counted if anything fails here. Return:
 * 0, also if there is nothing to start again; or -errno.
 */
static int start_again(void)
{
	struct profil_status status;
	enum profil_code_step step;
	uint32_t program;
	int device = profil_device_open(), error;

	if (device < 0)
		return device;
	error = read_status(device, &status);
	if (!error && status.state == PROFIL_STATE_RUNNING) {
		error = profil_code_start(device, &tables, rate, &program, &step);
		if (!error) {
			add_earlier(&status);
			earlier = status;
		}
	}
	profil_device_close(device);
	return error;
}

/*
 * Whether what failed so may be done later. What has gone for good, the command or our own
 * profile, is not tried at each call of a program that lives on.
 */
static bool may_pass(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -ENOSPC;
}

/* With @starting held, when code may have come. */
static void take_up(bool news)
{
	if (news || pending)
		pending = may_pass(start_again());
}

void profil_autostart_loaded(void)
{
	struct interrupted interrupted;
	int saved = errno;

	if (!self)
		return;
	lock_starting(&interrupted);
	take_up(profil_code_changed());
	unlock_starting(&interrupted);
	errno = saved;
}

void profil_autostart_made(const void *start, size_t bytes)
{
	struct interrupted interrupted;
	int saved = errno;

	if (!self)
		return;
	lock_starting(&interrupted);
	take_up(profil_jit_add(start, bytes));
	unlock_starting(&interrupted);
	errno = saved;
}

static void end(struct profil_run_process *process)
{
	struct profil_status status;
	int device = profil_device_open();
	bool told = device >= 0 && !read_status(device, &status);

	if (device >= 0)
		profil_device_close(device);
	if (told) {
		add_earlier(&status);
		process->flags |= PROFIL_RUN_TOLD;
		process->rate = status.rate;
		process->samples = status.counted;
		process->lost = status.lost;
		process->fork_failures = status.fork_failures;
		process->error = (int32_t)status.error;
	}
	process->end_cpu_ns = cpu_ns();
	set_state(process, PROFIL_RUN_ENDED);
}

void profil_autostart_end(void)
{
	int saved = errno;

	if (self && self->pid == getpid())
		end(self);
	errno = saved;
}

void profil_autostart_go_on(void)
{
	if (!self || self->pid != getpid())
		return;
	self->flags &= ~(uint32_t)PROFIL_RUN_TOLD;
	set_state(self, PROFIL_RUN_STARTED);
}

/* At the end of the program by exit(), and of each child of it that gets there. */
static void __attribute__((destructor)) autoend(void)
{
	struct profil_run_process *process = self;

	/*
	 * Made by clone(2) or _Fork(), which call no handlers, or by vfork(), whose
	 * memory is its parent's: @self stays
	 */
	if (process && process->pid != getpid())
		process = enter_child(process);
	if (process)
		end(process);
}
