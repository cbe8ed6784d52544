// SPDX-License-Identifier: GPL-2.0-only
/*
 * Library that scripts/vm/run loads into the emulator of a sealed guest, so that the host's
 * time has no effect on the guest. QEMU 10 uses it in two places:
 *
 * - The size of a CPU's TLB depends on the time of day (tlb_mmu_resize_locked()). A small TLB
 *   drops the entry of a page sooner. The next access then reads the page table again: it sets
 *   the accessed bit that the guest's kernel has cleared, and sees what another CPU has changed.
 *   Here the time of day stands still. Then a TLB grows with the number of its entries, and does
 *   not shrink.
 *
 * - When all CPUs are idle, the main thread advances the clock to the next timer
 *   (icount_start_warp_timer()). It wakes up at other times, too. The CPUs' thread marks a CPU
 *   as idle before it has counted the CPU's last instructions. If the main thread looks in
 *   between, the clock is ahead by these, and the turns of the CPUs have another length. Here
 *   the main thread goes on only while the CPUs' thread waits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* What the CPUs' thread waits for when all CPUs are idle, and the lock that it releases then */
static pthread_cond_t *work;
static pthread_mutex_t *big_lock;

/* Nonzero from the start of this wait until a thread ends it */
static int waits;

static pthread_t main_thread;

static void __attribute__((constructor)) remember_main_thread(void)
{
	main_thread = pthread_self();
}

/* No system call, as the CPUs' thread takes the big lock 10000 times in a second. */
static bool is_main_thread(void)
{
	return pthread_equal(pthread_self(), main_thread);
}

int gettimeofday(struct timeval *now, void *zone)
{
	(void)zone;
	*now = (struct timeval){ 0 };
	return 0;
}

/* The only thread besides the main thread that waits without a time limit is the CPUs'. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	static typeof(pthread_cond_wait) *next;
	int result;

	/* x86-64 also has a version for old programs. */
	if (!next)
		next = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	if (!work && !is_main_thread()) {
		work = cond;
		big_lock = mutex;
	}
	if (cond != work)
		return next(cond, mutex);

	__atomic_store_n(&waits, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &waits, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	result = next(cond, mutex);
	__atomic_store_n(&waits, 0, __ATOMIC_SEQ_CST);
	return result;
}

/* The caller has the big lock, so the CPUs' thread does not go on yet. */
int pthread_cond_broadcast(pthread_cond_t *cond)
{
	static typeof(pthread_cond_broadcast) *next;

	if (!next)
		next = dlvsym(RTLD_NEXT, "pthread_cond_broadcast", "GLIBC_2.3.2");
	if (cond == work)
		__atomic_store_n(&waits, 0, __ATOMIC_SEQ_CST);
	return next(cond);
}

/* The main thread takes the big lock whenever it wakes up. A signal ends the guest. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static typeof(pthread_mutex_lock) *next;

	if (!next)
		next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	if (mutex == big_lock && is_main_thread()) {
		while (!__atomic_load_n(&waits, __ATOMIC_SEQ_CST)) {
			if (syscall(SYS_futex, &waits, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) &&
			    errno == EINTR)
				break;
		}
	}
	return next(mutex);
}
