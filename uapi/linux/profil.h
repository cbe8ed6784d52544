/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The ioctl interface of /dev/profil: the one thing that the kernel module and
 * user space share. Programs normally use libprofil; this is what lies below.
 *
 * A profile belongs to the calling process's address space, as profil(2) had
 * it, and not to the descriptor: start it, close the descriptor, and it goes
 * on until it is stopped, replaced, or the address space ends by exit or exec.
 * All threads are covered. No call can act on another process.
 *
 * fork(2): the child goes on being profiled, by the same rules, into its own
 * copy of the counters (which starts with the parent's counts), or into the same
 * counters where they lie in a MAP_SHARED mapping. A child that shares its
 * parent's memory (vfork, posix_spawn, CLONE_VM) counts there until it executes
 * another program. execve(2): off in the new program; on, as it was, if it fails.
 *
 * At every sampling point (a tick of the clock that finds a thread of the
 * process on a CPU, in user or in kernel mode) the module takes the pc at
 * which the thread is, or to which it will return, in user mode; finds the
 * region that holds the pc; and adds one to a counter in the caller's memory:
 *
 *	d     = pc - offset
 *	bytes = d * scale / 65536		counter bytes that lie below
 *	index = bytes / counter size		rounded as the region says
 *
 * Structures
 *   Every argument starts with its own size in bytes, set by the caller.
 *   Structures grow at their end: an older, shorter one is accepted and the
 *   missing fields are taken as 0; a longer one is accepted if all that this
 *   kernel does not know is 0, and fails with E2BIG otherwise. Fields marked
 *   "out" are written by the kernel, whatever they held. Pointers are __u64,
 *   so that 32-bit programs use the same structures.
 *
 * Errors, for every command (a call that fails changes nothing: an earlier
 * profile goes on as it was; but for a STOP whose argument is unmapped by another
 * thread during the call: EFAULT, and the profile has ended)
 *   ENOTTY      not a command of this device
 *   EFAULT      a pointer is wild; or a counter would lie in memory that the
 *               process itself could not write (unmapped, PROT_READ, PROT_NONE,
 *               program text, the kernel's half of the address space), or that
 *               userfaultfd(2) has to bring first: nobody waits for its handler
 *   E2BIG       unknown tail of the structure not 0, or it is longer than a page;
 *               more than max_regions regions; counters span more than max_bytes
 *   EINVAL      the structure is shorter than its first version; or a field has a
 *               value that it cannot have, and which one is told by pr_debug()
 *               (echo 'module profil +p' >/proc/dynamic_debug/control)
 *   EOPNOTSUPP  the field is fine but not to be had here: counters in a device
 *               mapping, in secret memory (memfd_secret(2)) or in a shared
 *               mapping of a file on disk, 64-bit
 *               counters on a 32-bit kernel, no clock because the
 *               kernel.ftrace_enabled sysctl is 0 or ftrace has turned itself off
 *   EPERM       a rate above what the administrator lets users ask for (max_rate)
 *   ENOMEM      RLIMIT_MEMLOCK of the user would be exceeded, or no memory
 *   ENOSPC      the user has as many sessions or regions as the administrator
 *               lets him have (module parameters max_user_sessions and
 *               max_user_regions)
 *   EINTR       the process is being killed
 */
#ifndef _UAPI_LINUX_PROFIL_H
#define _UAPI_LINUX_PROFIL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PROFIL_ABI_VERSION	1

#define PROFIL_IOC_MAGIC	0xF7

/*
 * The numbers carry no size, so that they stay when a structure grows.
 *
 * INFO    what this kernel offers
 * START   start a profile, or replace the running one in one step
 * STOP    end it: when the call returns, no CPU writes a counter any more.
 *         The final figures are returned, with the state that was ended.
 *         Nothing to stop is no error: the state is PROFIL_STATE_OFF.
 * STATUS  the figures so far
 */
#define PROFIL_IOC_INFO		_IO(PROFIL_IOC_MAGIC, 0)  /* struct profil_info */
#define PROFIL_IOC_START	_IO(PROFIL_IOC_MAGIC, 1)  /* struct profil_start */
#define PROFIL_IOC_STOP		_IO(PROFIL_IOC_MAGIC, 2)  /* struct profil_status */
#define PROFIL_IOC_STATUS	_IO(PROFIL_IOC_MAGIC, 3)  /* struct profil_status */

/* Optional abilities, in struct profil_info.features */
#define PROFIL_FEATURE_COUNTER64	0x1  /* width 64 */
#define PROFIL_FEATURE_PC_LOG		0x2  /* flag PROFIL_PC_LOG */
#define PROFIL_FEATURE_PIN_ON_HIT	0x4  /* flag PROFIL_PIN_ON_HIT */
#define PROFIL_FEATURE_THREAD_ONLY	0x8  /* flag PROFIL_THREAD_ONLY */
#define PROFIL_FEATURE_FAULT_SIGNAL	0x10 /* flag PROFIL_FAULT_SIGNAL */
#define PROFIL_FEATURE_CHECK_ON_HIT	0x20 /* flag PROFIL_CHECK_ON_HIT */
#define PROFIL_FEATURE_CLOCKS		0x40 /* clocks but the tick, PROFIL_KERNEL_ONLY */

/**
 * struct profil_info - argument of PROFIL_IOC_INFO
 * @size:        in: sizeof(struct profil_info)
 * @abi_version: out: PROFIL_ABI_VERSION of the module
 * @tick_hz:     out: rate of the scheduler tick, in Hz (CONFIG_HZ)
 * @max_rate:    out: highest rate that PROFIL_IOC_START accepts from the caller, in
 *               Hz: 20,000 with CAP_PERFMON, else module parameter max_rate
 * @max_regions: out: most regions in one profile
 * @reserved:    out: 0
 * @max_bytes:   out: most memory that the counters of one profile may span, in
 *               bytes, in whole pages
 * @features:    out: PROFIL_FEATURE_* bits
 */
struct profil_info {
	__u32 size;
	__u32 abi_version;
	__u32 tick_hz;
	__u32 max_rate;
	__u32 max_regions;
	__u32 reserved;
	__u64 max_bytes;
	__u64 features;
};

/*
 * Rounding rules, in struct profil_region.rounding; w is the size of a counter
 * in bytes (2, 4 or 8), division rounds down:
 *
 * DOWN   index = (d * scale / 65536) / w          OpenSolaris, Linux, OSF/1
 * PC     index = (d / w) * scale / 65536          4.4BSD, glibc
 * UP     index = (d * scale / 65536 + w - 1) / w  AIX
 * FIRST  index = 0, whatever the scale            AIX with scale 2
 */
#define PROFIL_ROUND_DOWN	0
#define PROFIL_ROUND_PC		1
#define PROFIL_ROUND_UP		2
#define PROFIL_ROUND_FIRST	3

/**
 * struct profil_region - a range of pcs and the counters for it
 * @start:    first pc of the region
 * @end:      first pc behind it; 0: the region has no upper end
 * @offset:   subtracted from the pc before it is scaled; at most @start.
 *            Normally @start itself; smaller where a region is a part of a
 *            larger one that another covers
 * @buf:      address of counter 0, a multiple of the counter size
 * @bytes:    size of the buffer in bytes, at least one counter; a rest that
 *            holds no whole counter is never touched. A pc whose counter would
 *            lie behind the buffer is out of range, as one in no region
 * @scale:    bytes of buffer per byte of text, as a fraction of 65536: at
 *            0x10000 a counter of w bytes stands for w bytes of text. 1 to
 *            2^32 - 1; 0 is EINVAL, except with PROFIL_ROUND_FIRST, where it
 *            must be 0
 * @rounding: PROFIL_ROUND_*
 *
 * Buffers of several regions may lie in one page, touch and overlap.
 */
struct profil_region {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u64 buf;
	__u64 bytes;
	__u32 scale;
	__u32 rounding;
};

/* Flags, in struct profil_start.flags */
#define PROFIL_USER_ONLY	0x1  /* only ticks that found user mode */
#define PROFIL_PC_LOG		0x2  /* store pcs, count nothing: see @log */
#define PROFIL_PIN_ON_HIT	0x4  /* pin and charge pages as they are hit */
#define PROFIL_THREAD_ONLY	0x8  /* only ticks of the calling thread */
#define PROFIL_FAULT_SIGNAL	0x10 /* SIGSEGV when the counters' memory went away */
#define PROFIL_CHECK_ON_HIT	0x20 /* nor look at the memory before that */
#define PROFIL_KERNEL_ONLY	0x40 /* only ticks that found the kernel */

/*
 * Clocks, in struct profil_start.clock: when samples are taken
 *
 * AUTO    TICK up to the tick's rate, RANDOM above
 * TICK    at the scheduler's tick, which comes anyway: no interrupt is added. Rates
 *         below the tick's are had by leaving ticks out, evenly. (On a CPU of
 *         nohz_full=, whose tick is off, it is TIMER)
 * TIMER   by a timer of each CPU, at even intervals
 * RANDOM  by a timer, once in each interval, at a random point: no program can keep
 *         in step with it
 *
 * Timers run only on CPUs where profiled threads are, while they are, and come at most
 * once after they have left.
 *
 * Time that a hypervisor took is no CPU time of the thread: TICK leaves it out, to the
 * nearest tick, where the kernel learns of it (steal in /proc/stat). TIMER and RANDOM cannot:
 * it is known at ticks only. They take at most 100 ms' worth of it, see @skipped.
 */
#define PROFIL_CLOCK_AUTO	0
#define PROFIL_CLOCK_TICK	1
#define PROFIL_CLOCK_TIMER	2
#define PROFIL_CLOCK_RANDOM	3

/*
 * Overflow rules, in struct profil_start.overflow
 *
 * WRAP      the counter goes on from 0                        BSD, Linux, OSF/1
 * SATURATE  the counter stays at the limit                    AIX
 * STOP      the counter stays at the limit, and the profile
 *           ends there (PROFIL_STATE_LIMIT)                   OpenSolaris
 */
#define PROFIL_OVERFLOW_WRAP		0
#define PROFIL_OVERFLOW_SATURATE	1
#define PROFIL_OVERFLOW_STOP		2

/**
 * struct profil_start - argument of PROFIL_IOC_START
 * @size:       in: sizeof(struct profil_start)
 * @flags:      in: PROFIL_* flags above; unknown ones are EINVAL
 * @rate:       in: samples per second of CPU time of a thread, 1 to max_rate Hz; with
 *              PROFIL_CLOCK_TICK up to tick_hz
 * @width:      in: size of a counter in bits: 16, 32 or 64
 * @overflow:   in: PROFIL_OVERFLOW_*
 * @nr_regions: in: number of regions, 1 to max_regions; 0 with PROFIL_PC_LOG
 * @regions:    in: address of struct profil_region[nr_regions], sorted by
 *              start, none overlapping another
 * @limit:      in: for SATURATE and STOP, the highest value of a counter; 0: as
 *              high as @width allows. Must be 0 for WRAP
 * @catch_all:  in: address of a counter, aligned to its size, for pcs that have
 *              no other; 0: none
 * @log:        in: for PROFIL_PC_LOG, address of an array of pcs of @width bits
 *              (32 or 64), aligned to them. Each sampling point stores its pc
 *              in the next entry, until the log is full (PROFIL_STATE_FULL).
 *              @overflow, @limit and @catch_all must be 0. Otherwise 0. A forked
 *              child goes on in its copy behind its parent's entries; those that
 *              other threads stored while it was made may be missing in between.
 *              In shared memory the two would overwrite each other's
 * @log_bytes:  in: size of the log in bytes, at least one entry. Otherwise 0
 * @clock:      in: PROFIL_CLOCK_*
 * @reserved:   in: 0
 *
 * Addresses may have a mark in their high bits where the kernel's other calls let them
 * (arm64: the top byte).
 *
 * The counters must lie in memory that the process may write (executable or not:
 * the stacks of old programs are): anonymous (heap, stack, a program's own data,
 * a private mapping of a file), shared memory (memfd, tmpfs, System V) or huge
 * pages. They are counted from where they stand: the kernel clears nothing.
 *
 * Their pages are pinned, so that a tick can write them, and charged to the
 * user's RLIMIT_MEMLOCK (unless the caller has CAP_IPC_LOCK), over all his
 * processes, until the profile ends. The limit is the one at the call; one that
 * replaces another needs room for both until it is done. All pages are pinned at the
 * call, which fails if that cannot be. With PROFIL_PIN_ON_HIT, and in a forked child,
 * each page is pinned and charged when a sample first needs it: samples that would exceed
 * the limit are lost, and status says why.
 * A pin of a part of a huge page keeps all of it, and all of it is charged, once.
 *
 * A page that has to be read from a file first, as of a private mapping, is read by the
 * call that pins it, which can be killed meanwhile. A sample that finds it absent waits
 * until the program has touched it, or for the next call of status or stop.
 *
 * With PROFIL_CHECK_ON_HIT, which goes with PROFIL_PIN_ON_HIT only (else EINVAL),
 * nobody asks whether the process can write the counters, neither at the call nor
 * when it changes that: of memory where it cannot, the first sample that needs it ends
 * the profile, with PROFIL_STATE_FAULT, and what can be written is counted in until
 * then. This is what the profil(2) of systems did that checked nothing.
 *
 * With PROFIL_THREAD_ONLY, as Solaris had it before 2.6, only the thread that
 * started the profile is sampled. There still is one profile in a process: a second
 * thread's start replaces the first's. It is passed on to a child that this thread
 * forks, whose only thread it then covers; to no other child, which is neither in
 * forks_followed nor in fork_failures. It ends with the process, not with the thread.
 *
 * With PROFIL_FAULT_SIGNAL, a profile that ends with PROFIL_STATE_FAULT sends the
 * process a SIGSEGV, as kill(2) does, with si_code SI_KERNEL: what a program gets
 * that writes its counters itself. Not if it has executed another program by then;
 * one that comes while it does so ends that program, unless it is blocked.
 *
 * What the program does to that memory meanwhile:
 *   - (but see PROFIL_CHECK_ON_HIT)
 *     it unmaps a page of it, moves it (mremap), maps something over it, shrinks
 *     the file behind it, or takes the right to write away from it (mprotect):
 *     the profile ends, with PROFIL_STATE_FAULT, and no counter is written after
 *     that call has returned, also in the pages that are left (for a moment
 *     longer there, where a file was shrunk). mprotect of pages
 *     that hold nothing yet may pass unseen, if it is taken back before a sample
 *     needs them. A forked child's memory is watched from its first sample on: if
 *     it has unmapped its counters by then, and has other memory at the same
 *     addresses, the samples go there;
 *   - the pages are discarded or replaced by the program or the kernel (madvise,
 *     hole punching, same-page merging, huge-page collapse, migration): counting
 *     goes on in the pages that the program sees then. Samples that come before
 *     they are pinned wait, and are counted afterwards.
 */
struct profil_start {
	__u32 size;
	__u32 flags;
	__u32 rate;
	__u32 width;
	__u32 overflow;
	__u32 nr_regions;
	__u64 regions;
	__u64 limit;
	__u64 catch_all;
	__u64 log;
	__u64 log_bytes;
	__u32 clock;
	__u32 reserved;
};

/* States, in struct profil_status.state */
#define PROFIL_STATE_OFF	0  /* no profile */
#define PROFIL_STATE_RUNNING	1
#define PROFIL_STATE_LIMIT	2  /* ended: a counter reached the limit */
#define PROFIL_STATE_FULL	3  /* ended: the pc log is full */
#define PROFIL_STATE_FAULT	4  /* ended: the counters' memory went away */

/**
 * struct profil_status - argument of PROFIL_IOC_STATUS and PROFIL_IOC_STOP
 * @size:         in: sizeof(struct profil_status)
 * @state:        out: PROFIL_STATE_*
 * @rate:         out: true sampling rate in Hz, less than asked for if samples of
 *                a timer would take more of a CPU than the administrator lets
 *                them (module parameter max_cpu_percent); 0 when off
 * @flags:        out: the flags it was started with
 * @samples:      out: sampling points met by the process's threads. Always the
 *                sum of the next four (once stopped; while it runs, the figures
 *                are read one after the other)
 * @counted:      out: of these, the ones that met a region's counter (one that
 *                stays at its limit included) or were stored in the log
 * @out_of_range: out: of these, the ones whose pc has no counter in a region;
 *                the catch-all counter, if there is one, has them
 * @pending:      out: of these, the ones not yet added to their counters: their
 *                page is not pinned yet, or the program and other CPUs write the
 *                counter without pause. The call itself sees to those that it
 *                finds, so that this is 0 but for the samples that come meanwhile
 * @lost:         out: of these, the ones that could not be counted; see @error
 * @pinned_bytes: out: memory that is kept for the counters by pins, in bytes; huge pages
 *                in whole
 * @error:        out: why samples were lost, or the profile ended, last: 0, or
 *                EFAULT (the counters' memory went away), ENOMEM (RLIMIT_MEMLOCK,
 *                or no memory), ENOBUFS (more were waiting than there is room
 *                for), or the error that pinning ended with. Samples lost because
 *                several were due at once, and the first of them ended the
 *                profile, leave it as it is
 * @clock:        out: PROFIL_CLOCK_*, never AUTO
 * @forks_followed: out: children that this profile was passed on to
 * @fork_failures: out: children that are not profiled, because max_user_sessions would
 *                have been exceeded, or there was no memory
 * @skipped:      out: sampling points that were due and are in no other figure: a CPU
 *                that could not look for long (a virtual machine that was stopped, a
 *                debugger, interrupts off) takes at most 100 ms' worth of them for the
 *                pc that it finds then, and at most 512 for a pc log
 *
 * With all fields 0 but @size, nothing has ever been started, or it has been
 * stopped: the figures end with the profile. In a forked child they begin at 0.
 */
struct profil_status {
	__u32 size;
	__u32 state;
	__u32 rate;
	__u32 flags;
	__u64 samples;
	__u64 counted;
	__u64 out_of_range;
	__u64 pending;
	__u64 lost;
	__u64 pinned_bytes;
	__u32 error;
	__u32 clock;
	__u64 forks_followed;
	__u64 fork_failures;
	__u64 skipped;
};

#endif /* _UAPI_LINUX_PROFIL_H */
