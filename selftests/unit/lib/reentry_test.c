// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library is called while another call of it is unfinished: by a signal handler, by a forked
 * child, by another thread. Each function under test calls hook() while it holds its lock. If one
 * waits for itself, the test does not end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/gmon/gmon.h"
#include "lib/ioctl.h"
#include "lib/monitor/monitor.h"
#include "support/calls.h"

#define MS		1000000L

/* What happens within the next call, once */
static void (*_Atomic within)(void);

static void hook(void)
{
	void (*function)(void) = atomic_exchange(&within, NULL);

	if (function)
		function();
}

/* Called by AIX's profil() between the start and the note of it: see the Makefile for --wrap */
unsigned int __real_profil_ioctl_serial(void);
unsigned int __wrap_profil_ioctl_serial(void);

unsigned int __wrap_profil_ioctl_serial(void)
{
	unsigned int serial = __real_profil_ioctl_serial();

	hook();
	return serial;
}

/* Called by pcsample() between the stop and the start; the other callers hold no lock then */
int __real_profil_ioctl_start(struct profil_start *start);
int __wrap_profil_ioctl_start(struct profil_start *start);

int __wrap_profil_ioctl_start(struct profil_start *start)
{
	if (start->flags & PROFIL_PC_LOG)
		hook();
	return __real_profil_ioctl_start(start);
}

/* Uses of the heap by the library */
static atomic_int heap_uses;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_malloc(size_t size)
{
	heap_uses++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	heap_uses++;
	return __real_calloc(nr, size);
}

static int monitor_profil(uint16_t *counters, size_t bytes, uintptr_t low, unsigned int scale)
{
	hook();
	return profil_osf1((short *)counters, bytes, low, scale);
}

const struct profil_monitor_system profil_monitor_system = { .profil = monitor_profil };

/* While profiling is on, a call that turns it on would do nothing. */
static int call_aix(void)
{
	return stop_aix() || stop_aix_form() || start_aix();
}

static int call_aix_form(void)
{
	return stop_aix() || stop_aix_form() || start_aix_form();
}

static int call_gmon(void)
{
	monstartup(0x1000, 0x2000);
	moncontrol(0);
	moncontrol(1);
	return 0;
}

static int call_monitor(void)
{
	return profil_monitor_control(0) < 0 || profil_monitor_control(1) < 0;
}

/* The functions that signal handlers may call, and that call hook() within their lock */
static int (*const calls[])(void) = {
	start_native, call_aix, call_aix_form, start_pcsample, call_gmon, call_monitor, start_solaris,
	start_bsd, start_linux099, start_osf1, start_svid, start_glibc,
};

static int call_all(void)
{
	int failed = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		failed += calls[i]() != 0;
	return failed;
}

/* hook() in functions that only use the device; not there in the others, which have their own. */
static void set_hook(size_t i, void (*function)(void))
{
	const bool has_own = calls[i] == call_aix || calls[i] == call_aix_form ||
			     calls[i] == start_pcsample || calls[i] == call_monitor;

	fake_device.during = has_own ? NULL : hook;
	atomic_store(&within, function);
}

static void pause_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * MS };

	nanosleep(&time, NULL);
}

static volatile sig_atomic_t in_call, handled_within, handled, failed_in_handler;

static void on_signal(int number)
{
	handled++;
	handled_within += in_call;
	failed_in_handler += call_all();
}

static void send_signals(void)
{
	in_call = 1;
	kill(getpid(), SIGUSR1);
	/* as the kernel sends it for PROFIL_FAULT_SIGNAL */
	kill(getpid(), SIGSEGV);
	in_call = 0;
}

/* A profile by monitor(), which moncontrol() pauses */
static int set_up_with_monitor(void **state)
{
	static char memory[4096];
	const struct profil_monitor_buffer monitored = {
		.low = 0x1000, .high = 0x2000, .at = memory, .bytes = sizeof(memory),
	};

	set_up(state);
	fake_device.figures.flags = 0;
	return profil_monitor_begin(&monitored);
}

/* A handler runs after the call that it interrupts, and can call each function. */
TEST_WITH(handler_calls_after_call, set_up_with_monitor, tear_down)
{
	size_t i;

	signal(SIGUSR1, on_signal);
	signal(SIGSEGV, on_signal);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		handled = 0;
		set_hook(i, send_signals);
		assert_int_equal(0, calls[i]());
		assert_null(atomic_load(&within));
		assert_int_equal(2, handled);
		assert_int_equal(0, handled_within);
		assert_int_equal(0, failed_in_handler);
	}
	signal(SIGUSR1, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
}

/* A handler that leaves by longjmp() leaves no lock behind. */
static sigjmp_buf after_handler;

static void leave(int number)
{
	siglongjmp(after_handler, number);
}

static bool is_left(int (*call)(void))
{
	if (sigsetjmp(after_handler, 1))
		return true;
	call();
	return false;
}

TEST_WITH(handler_leaves_by_jump, set_up_with_monitor, tear_down)
{
	size_t i;

	signal(SIGUSR1, SIG_IGN);
	signal(SIGSEGV, leave);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		set_hook(i, send_signals);
		assert_true(is_left(calls[i]));
		assert_int_equal(0, call_all());
	}
	signal(SIGSEGV, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
}

static atomic_bool inside, done;

/*
 * Stay in the call until the other thread is done, but not forever: if the lock works, that thread
 * waits for this one. In the time given, it reaches the lock; if it does not, the test passes.
 */
static void stay_within(void)
{
	int i;

	atomic_store(&inside, true);
	for (i = 0; i < 30 && !atomic_load(&done); i++)
		pause_ms(10);
}

static void *run_call(void *call)
{
	return (*(int (**)(void))call)() ? call : NULL;
}

static void enter_in_thread(size_t i, pthread_t *thread)
{
	atomic_store(&inside, false);
	atomic_store(&done, false);
	set_hook(i, stay_within);
	assert_int_equal(0, pthread_create(thread, NULL, run_call, (void *)&calls[i]));
	while (!atomic_load(&inside))
		pause_ms(1);
}

/* A child that is forked while another thread is in a call can call each function. */
TEST_WITH(child_forked_within_call, set_up_with_monitor, tear_down)
{
	pthread_t thread;
	int status;
	pid_t pid;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		enter_in_thread(i, &thread);
		pid = fork();
		if (!pid)
			_exit(call_all() + (profil_monitor_end() != 0));
		atomic_store(&done, true);
		assert_int_equal(pid, waitpid(pid, &status, 0));
		assert_int_equal(0, status);
		assert_int_equal(0, pthread_join(thread, NULL));
	}
}

/* profil_aix() of a second thread waits: the profile that it finds on can be turned off. */
TEST_WITH(aix_threads_agree, set_up_with_monitor, tear_down)
{
	pthread_t thread;

	assert_int_equal(0, stop_aix());
	profil_stop(NULL);
	fake_device.starts = 0;
	atomic_store(&inside, false);
	atomic_store(&done, false);
	atomic_store(&within, stay_within);
	assert_int_equal(0, pthread_create(&thread, NULL, run_call,
					   (void *)&(int (*)(void)){ start_aix }));
	while (!atomic_load(&inside))
		pause_ms(1);
	assert_int_equal(0, start_aix());
	atomic_store(&done, true);
	assert_int_equal(0, pthread_join(thread, NULL));
	assert_true(is_on());
	assert_int_equal(1, fake_device.starts);
	assert_int_equal(0, stop_aix());
	assert_false(is_on());
}

/* A forked child continues after the samples of its parent, and its number includes them. */
TEST_WITH(pcsample_includes_parents_samples, set_up_with_monitor, tear_down)
{
	fake_device.figures.flags = PROFIL_PC_LOG;
	fake_device.figures.counted = 3;
	fake_device.figures.log_inherited = 2;
	assert_int_equal(5, start_pcsample());
}

static void cancel_self(void)
{
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

/* A thread that is cancelled within a call completes it. */
TEST_WITH(cancelled_thread_leaves_no_lock, set_up_with_monitor, tear_down)
{
	pthread_t thread;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		set_hook(i, cancel_self);
		assert_int_equal(0, pthread_create(&thread, NULL, run_call, (void *)&calls[i]));
		assert_int_equal(0, pthread_join(thread, NULL));
		assert_int_equal(0, call_all());
	}
}

static void change_errno(void)
{
	errno = EDOM;
}

TEST_WITH(calls_change_no_errno_and_no_heap, set_up_with_monitor, tear_down)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		heap_uses = 0;
		/* where the hook is in a function that may */
		if (calls[i] != start_pcsample)
			set_hook(i, change_errno);
		errno = EXFULL;
		assert_int_equal(0, calls[i]());
		assert_int_equal(EXFULL, errno);
		assert_int_equal(0, heap_uses);
	}
}

/* Each line that these functions print */
static void print_lines(void)
{
	static const int errors[] = { ENOMEM, EINVAL, EOPNOTSUPP, EPERM };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		fake_device.start_error = errors[i];
		setenv("PROFIL_RATE", "251", 1);
		for (k = 0; k < ARRAY_SIZE(calls); k++)
			calls[k]();
		setenv("PROFIL_RATE", "many", 1);
		for (k = 0; k < ARRAY_SIZE(calls); k++)
			calls[k]();
		unsetenv("PROFIL_RATE");
	}
	fake_device.start_error = 0;
	start_native();
	fake_device.stop_error = EIO;
	for (k = 0; k < ARRAY_SIZE(calls); k++)
		calls[k]();
	stop_solaris();
	fake_device.stop_error = 0;
	fake_device_lose(EMFILE);
	for (k = 0; k < ARRAY_SIZE(calls); k++)
		calls[k]();
	fake_device.open_error = 0;
	profil_stop(NULL);
	/* not for handlers, but printed in the same way */
	profil_dialect("vax");
}

static void *hold_stderr(void *unused)
{
	flockfile(stderr);
	atomic_store(&inside, true);
	while (!atomic_load(&done))
		pause_ms(10);
	funlockfile(stderr);
	return NULL;
}

/* The lines that are printed do not wait for stdio, which the handler may have interrupted. */
TEST_WITH(lines_need_no_stdio, set_up_with_monitor, tear_down)
{
	pthread_t thread;
	bool printed;

	atomic_store(&inside, false);
	atomic_store(&done, false);
	assert_int_equal(0, pthread_create(&thread, NULL, hold_stderr, NULL));
	while (!atomic_load(&inside))
		pause_ms(1);
	begin_stderr();
	heap_uses = 0;
	print_lines();
	printed = end_stderr(" (ENOMEM); raise the limit of locked memory: ulimit -l\n");
	/* a failure is printed on stderr */
	atomic_store(&done, true);
	assert_int_equal(0, pthread_join(thread, NULL));
	assert_true(printed);
	assert_int_equal(0, heap_uses);
}

#define ROUNDS	5000	/* of each thread */
#define CHILDREN	20

static void *call_often(void *unused)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		calls[(unsigned int)i % ARRAY_SIZE(calls)]();
	return NULL;
}

static void on_timer(int number)
{
	handled++;
	call_all();
}

/* The same at random moments: three threads, a handler that runs every millisecond, and forks */
TEST_WITH(storm, set_up_with_monitor, tear_down)
{
	const struct itimerspec every_ms = { { 0, MS }, { 0, MS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	pthread_t threads[3];
	timer_t timer;
	int status;
	size_t i;
	pid_t pid;

	signal(SIGUSR1, on_timer);
	assert_int_equal(0, timer_create(CLOCK_MONOTONIC, &event, &timer));
	assert_int_equal(0, timer_settime(timer, 0, &every_ms, NULL));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, call_often, NULL));
	for (i = 0; i < CHILDREN; i++) {
		pid = fork();
		if (!pid)
			_exit(call_all() + (profil_monitor_end() != 0));
		while (waitpid(pid, &status, 0) < 0)
			assert_int_equal(EINTR, errno);
		assert_int_equal(0, status);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(0, pthread_join(threads[i], NULL));
	timer_delete(timer);
	signal(SIGUSR1, SIG_DFL);
	assert_true(handled > 0);
}

static char directory[] = "/tmp/reentry_test.XXXXXX";

FIXTURE(enter_directory)
{
	setenv("PROFIL_FALLBACK", "fatal", 1);
	unsetenv("PROFIL_DIALECT");
	unsetenv("PROFDIR");
	return !mkdtemp(directory) || chdir(directory);
}

FIXTURE(remove_directory)
{
	/* written by the children that end monitor() */
	unlink("mon.out");
	return rmdir(directory);
}

GROUP(enter_directory, remove_directory)
