/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The ioctl interface of /dev/profil
 *
 * This file defines the commands, the fields of their structures, and the errors.
 * profil(4) describes the behaviour: what is sampled, what happens to the memory of
 * the counters, fork and exec, limits and permissions. Most programs use libprofil(3)
 * instead of these commands.
 *
 * INFO, START, STOP and STATUS act on the address space of the calling process, and on no
 * other: not on one that it shares with the process to which it belongs. ATTACH and
 * LOG_STATUS act on the open file: see struct profil_attach.
 *
 * Structures
 *   Each argument starts with its own size in bytes, set by the caller. New fields
 *   are added at the end. The kernel accepts a shorter structure and takes the missing
 *   fields as 0. It accepts a longer one if everything after the known fields is 0.
 *   Fields marked "in" are read by the kernel, those marked "out" are written. Pointers
 *   are __u64, so that 32-bit programs use the same structures. Tagged pointers are
 *   accepted where system calls accept them (arm64: top byte ignore).
 *
 * Errors
 *   A command that fails changes nothing. The one exception is EFAULT from
 *   PROFIL_IOC_STOP when another thread unmaps the argument during the call: the
 *   profile has ended.
 *
 *   ENOTTY      not a command of this device
 *   EINVAL      invalid value in a field, or structure shorter than its first version.
 *               pr_debug() reports the field: see profil(4)
 *   E2BIG       structure longer than a page, or not 0 after the known fields; more
 *               than max_regions regions, or more than max_bytes of counters
 *   EOPNOTSUPP  valid, but not supported by this kernel or for this kind of memory
 *   EFAULT      invalid pointer, or counters in memory that the process cannot write
 *   EPERM       rate above the caller's max_rate; EINVAL if it is above 20,000 Hz.
 *               ATTACH: stack_bytes above max_stack_bytes
 *   EBADF       ATTACH: not a descriptor of an open file
 *   EAGAIN      START: other processes map the caller's files too often: see profil(4)
 *   EBUSY       START, STOP, STATUS: the caller's memory is another process's: vfork(2).
 *               ATTACH: the process is attached already
 *   ESRCH       ATTACH: no such process, or it has other memory
 *   ENOSPC      per-user limit reached: max_user_sessions or max_user_regions
 *   ENOMEM      RLIMIT_MEMLOCK would be exceeded, or out of memory
 *   EINTR       the process is being killed
 */
#ifndef _UAPI_LINUX_PROFIL_H
#define _UAPI_LINUX_PROFIL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PROFIL_ABI_VERSION	1

#define PROFIL_IOC_MAGIC	0xF7

/*
 * Command numbers carry no size, so they stay the same when a structure grows.
 *
 * INFO    report what this kernel supports
 * START   start a profile, or replace the running one in one step
 * STOP    end the profile and return its final status. No counter is written after
 *         the call has returned. If there is no profile, or if another thread is just
 *         ending it, the state is PROFIL_STATE_OFF: wait for that thread's call
 * STATUS  return the current status
 * ATTACH  sample another process, into the log of this open file
 * LOG_STATUS  return the status of that log
 */
#define PROFIL_IOC_INFO		_IO(PROFIL_IOC_MAGIC, 0)  /* struct profil_info */
#define PROFIL_IOC_START	_IO(PROFIL_IOC_MAGIC, 1)  /* struct profil_start */
#define PROFIL_IOC_STOP		_IO(PROFIL_IOC_MAGIC, 2)  /* struct profil_status */
#define PROFIL_IOC_STATUS	_IO(PROFIL_IOC_MAGIC, 3)  /* struct profil_status */
#define PROFIL_IOC_ATTACH	_IO(PROFIL_IOC_MAGIC, 4)  /* struct profil_attach */
#define PROFIL_IOC_LOG_STATUS	_IO(PROFIL_IOC_MAGIC, 5)  /* struct profil_status */

/* Optional features, in struct profil_info.features */
#define PROFIL_FEATURE_COUNTER64	0x1  /* width 64 (64-bit kernels) */
#define PROFIL_FEATURE_PC_LOG		0x2  /* flag PROFIL_PC_LOG */
#define PROFIL_FEATURE_PIN_ON_HIT	0x4  /* flag PROFIL_PIN_ON_HIT */
#define PROFIL_FEATURE_THREAD_ONLY	0x8  /* flag PROFIL_THREAD_ONLY */
#define PROFIL_FEATURE_FAULT_SIGNAL	0x10 /* flag PROFIL_FAULT_SIGNAL */
#define PROFIL_FEATURE_CHECK_ON_HIT	0x20 /* flag PROFIL_CHECK_ON_HIT */
#define PROFIL_FEATURE_CLOCKS		0x40 /* timer clocks, PROFIL_KERNEL_ONLY */
#define PROFIL_FEATURE_ATTACH		0x80 /* PROFIL_IOC_ATTACH: the kernel has kprobes, procfs */
#define PROFIL_FEATURE_STACKS		0x100 /* PROFIL_RECORD_STACK: x86-64 */

/**
 * struct profil_info - argument of PROFIL_IOC_INFO
 * @size:        in: sizeof(struct profil_info)
 * @abi_version: out: PROFIL_ABI_VERSION of the module
 * @tick_hz:     out: rate of the scheduler's tick in Hz (CONFIG_HZ)
 * @max_rate:    out: highest rate in Hz that the caller may request: 20,000 with
 *               CAP_PERFMON, otherwise the module parameter max_rate, but at least
 *               @tick_hz
 * @max_regions: out: maximum number of regions in a profile (4096)
 * @reserved:    out: 0
 * @max_bytes:   out: maximum size in bytes of the pages that hold the counters of a
 *               profile (1 GiB)
 * @features:    out: PROFIL_FEATURE_* bits
 * @max_stack_bytes: out: highest stack_bytes of ATTACH that the administrator allows; 0: no stacks
 * @reserved2:   out: 0
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
	__u32 max_stack_bytes;
	__u32 reserved2;
};

/*
 * Rounding rules, in struct profil_region.rounding: how the index of the counter is
 * computed, with d = pc - offset, and w = size of a counter in bytes (2, 4 or 8).
 * Divisions round down; products do not overflow.
 *
 * DOWN   (d * scale / 65536) / w          OpenSolaris, Linux, OSF/1
 * PC     (d / w) * scale / 65536          4.4BSD, glibc
 * UP     (d * scale / 65536 + w - 1) / w  AIX
 * FIRST  0                                AIX with scale 2
 */
#define PROFIL_ROUND_DOWN	0
#define PROFIL_ROUND_PC		1
#define PROFIL_ROUND_UP		2
#define PROFIL_ROUND_FIRST	3

/**
 * struct profil_region - a range of pcs and its counters
 * @start:    first pc of the region
 * @end:      first pc after the region, above @start; 0: no upper end
 * @offset:   subtracted from the pc before scaling; at most @start. Usually @start;
 *            lower if the region is a part of a larger range with one buffer
 * @buf:      address of counter 0, aligned to the size of a counter
 * @bytes:    size of the buffer in bytes, at least one counter. Bytes after the last
 *            whole counter are never touched. A pc whose counter would lie after the
 *            buffer is out of range
 * @scale:    bytes of buffer per byte of text, times 65536: 1 to 2^32 - 1. At 0x10000
 *            a counter of w bytes covers w bytes of text. Must be 0 with
 *            PROFIL_ROUND_FIRST, and only then
 * @rounding: PROFIL_ROUND_*
 *
 * Buffers of different regions may share a page, and may overlap.
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
#define PROFIL_USER_ONLY	0x1  /* only samples taken in user mode */
#define PROFIL_PC_LOG		0x2  /* store pcs in a log instead of counting */
#define PROFIL_PIN_ON_HIT	0x4  /* pin and charge a page when a sample needs it */
#define PROFIL_THREAD_ONLY	0x8  /* only samples of the calling thread */
#define PROFIL_FAULT_SIGNAL	0x10 /* send SIGSEGV on PROFIL_STATE_FAULT */
#define PROFIL_CHECK_ON_HIT	0x20 /* EFAULT only at a hit; needs PIN_ON_HIT */
#define PROFIL_KERNEL_ONLY	0x40 /* only samples taken in kernel mode; not with USER_ONLY */

/*
 * Clocks, in struct profil_start.clock: when samples are taken
 *
 * AUTO    TICK up to tick_hz, RANDOM above
 * TICK    at the scheduler's tick
 * TIMER   by a per-CPU timer, at even intervals
 * RANDOM  by a per-CPU timer, once in each interval, at a random point
 */
#define PROFIL_CLOCK_AUTO	0
#define PROFIL_CLOCK_TICK	1
#define PROFIL_CLOCK_TIMER	2
#define PROFIL_CLOCK_RANDOM	3

/*
 * Overflow rules, in struct profil_start.overflow: at its highest value a counter
 *
 * WRAP      continues from 0                                BSD, Linux, OSF/1
 * SATURATE  keeps the value                                 AIX
 * STOP      keeps the value, and the profile ends when a
 *           counter reaches it (PROFIL_STATE_LIMIT)         OpenSolaris
 */
#define PROFIL_OVERFLOW_WRAP		0
#define PROFIL_OVERFLOW_SATURATE	1
#define PROFIL_OVERFLOW_STOP		2

/**
 * struct profil_start - argument of PROFIL_IOC_START
 * @size:       in: sizeof(struct profil_start)
 * @flags:      in: PROFIL_* flags above; an unknown one is EINVAL
 * @rate:       in: samples per second of CPU time of a thread, 1 to max_rate Hz, with
 *              PROFIL_CLOCK_TICK at most tick_hz
 * @width:      in: size of a counter, or of a log entry, in bits: 16, 32 or 64
 * @overflow:   in: PROFIL_OVERFLOW_*
 * @nr_regions: in: number of regions, 1 to max_regions; 0 with PROFIL_PC_LOG
 * @regions:    in: address of struct profil_region[nr_regions], sorted by @start, not
 *              overlapping; 0 with PROFIL_PC_LOG
 * @limit:      in: highest value of a counter with SATURATE and STOP; 0: the highest
 *              that @width allows. Must be 0 with WRAP
 * @catch_all:  in: address of a counter, aligned to its size, for pcs that have no
 *              other; 0: none
 * @log:        in: with PROFIL_PC_LOG, address of an array of pcs of @width bits (32 or
 *              64), aligned to the size of an entry; @overflow, @limit and @catch_all
 *              must be 0. Otherwise 0
 * @log_bytes:  in: size of the log in bytes, at least one entry. Otherwise 0
 * @clock:      in: PROFIL_CLOCK_*
 * @reserved:   in: 0
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
#define PROFIL_STATE_LIMIT	2  /* ended: a counter has reached the limit */
#define PROFIL_STATE_FULL	3  /* ended: the pc log is full */
#define PROFIL_STATE_FAULT	4  /* ended: counter memory is gone or cannot be written */

/**
 * struct profil_status - argument of PROFIL_IOC_STATUS and PROFIL_IOC_STOP
 * @size:           in: sizeof(struct profil_status)
 * @state:          out: PROFIL_STATE_*; from PROFIL_IOC_STOP, the state before the stop
 * @rate:           out: effective rate in Hz: the requested one, or less if the module
 *                  parameter max_cpu_percent has lowered it; 0 without a profile
 * @flags:          out: flags of PROFIL_IOC_START
 * @samples:        out: samples taken: counted + out_of_range + pending + lost (exact
 *                  once the profile has ended: the fields are read one after the other)
 * @counted:        out: samples counted in a region, also if the counter stays at its
 *                  limit, or stored in the pc log
 * @out_of_range:   out: samples whose pc has no counter in a region, whether the
 *                  catch-all counter took them or not
 * @pending:        out: samples not yet added to their counters
 * @lost:           out: samples that could not be counted: see @error
 * @pinned_bytes:   out: memory pinned for the counters in bytes; huge pages count whole
 * @error:          out: errno of the last loss of samples or of the end of the profile:
 *                  0, EFAULT (counter memory is gone or cannot be written), ENOMEM
 *                  (RLIMIT_MEMLOCK or out of memory), ENOBUFS (too many samples
 *                  pending), EAGAIN (in a forked child: as for START), or another error
 *                  of pinning
 * @clock:          out: PROFIL_CLOCK_TICK, TIMER or RANDOM
 * @forks_followed: out: forked children that inherited the profile
 * @fork_failures:  out: forked children that did not, because of max_user_sessions or
 *                  for lack of memory
 * @skipped:        out: samples that were due but not taken, in no other field
 * @log_inherited:  out: with PROFIL_PC_LOG, in a forked child, entries of the log that its parent
 *                  had used: the child's are after them. Some may be unchanged: those of lost
 *                  samples, and those that the parent stored during the fork. Else 0
 *
 * All fields except @size are 0 if there is no profile.
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
	__u64 log_inherited;
};

/* Flags of struct profil_attach.flags only */
#define PROFIL_FOLLOW_EXEC	0x80  /* continue when a process executes another program */
#define PROFIL_FROM_EXEC	0x100 /* start when the process executes a program */

/**
 * struct profil_attach - argument of PROFIL_IOC_ATTACH
 * @size:      in: sizeof(struct profil_attach)
 * @flags:     in: PROFIL_USER_ONLY, KERNEL_ONLY, FOLLOW_EXEC, FROM_EXEC; another one is EINVAL
 * @rate:      in: samples per second of CPU time of a thread, as in struct profil_start
 * @clock:     in: PROFIL_CLOCK_*
 * @pid:       in: process ID, in the PID namespace of the caller
 * @mem:       in: descriptor of the file mem of that process in /proc, opened in any mode. It
 *             proves that its opener may trace the process. EBADF: not open, or O_PATH;
 *             EINVAL: another kind of file
 * @log_bytes: in: size of the log, a power of two from PROFIL_LOG_MIN to PROFIL_LOG_MAX
 * @stack_bytes: in: samples are STACK records, which look at so many bytes of the stack at most: a
 *             multiple of 8 up to PROFIL_STACK_BYTES_MAX. 0: samples have no stack
 * @stack_words: in: most words that a STACK record has, up to PROFIL_STACK_WORDS_MAX; 0 with
 *             @stack_bytes 0, and only then. @log_bytes must be at least 32 times the size of a
 *             record with so many
 * @text:      in: with @stack_bytes, two ranges of addresses where the process has code, each its
 *             first address and the first one after it: [0] and [1], [2] and [3]. Both 0: none.
 *             Without @stack_bytes 0
 *
 * Samples of all threads of the process go to a log in the kernel, from which read(2) takes
 * them. Children that the process forks later are sampled too, and so are the programs that
 * these processes execute if FOLLOW_EXEC is set. Closing the last descriptor of the open
 * file ends everything.
 *
 * Further calls on the same open file add processes to the log. Their rate, clock, log_bytes,
 * stack_bytes, stack_words and flags, except FROM_EXEC, must be those of the first call.
 *
 * ESRCH: there is no such process, it has ended, or @mem is the memory of another process or
 * of the program that the process executed before. EBUSY: the process is attached to this open
 * file, or to as many others as may be: see profil(4). EOPNOTSUPP: the kernel has
 * no kprobes where they are needed, or no procfs; or stacks on another machine than x86-64.
 *
 * Half of the log is for samples, half for other records. What finds no room is lost, and a LOST
 * record says so.
 *
 * read(2) returns as many whole records as fit. It waits until poll(2) would report POLLIN: a
 * quarter of either half is in use, not counting 1 KiB of the samples' half for each possible CPU,
 * or all processes have ended (then also POLLHUP). With O_NONBLOCK it does not wait, and fails with
 * EAGAIN if there is no record, or if another read is taking records. It returns 0 if the log is
 * empty and all processes have ended. EINVAL: no process was attached, or the next record does not
 * fit; PROFIL_RECORD_MAX bytes always suffice, with stacks PROFIL_RECORD_STACK_MAX.
 *
 * With stacks, a new executable mapping widens @text: the second range if it is in the upper
 * sixteenth of the address space, where libraries are, else the first one. exec empties both, fork
 * copies them. They are no protection: they only say which words are of use. And instead of 1 KiB
 * for each possible CPU, as much as 5 of the largest STACK records, or 4 KiB, is not counted.
 */
struct profil_attach {
	__u32 size;
	__u32 flags;
	__u32 rate;
	__u32 clock;
	__s32 pid;
	__s32 mem;
	__u64 log_bytes;
	__u32 stack_bytes;
	__u32 stack_words;
	__u64 text[4];
};

#define PROFIL_STACK_BYTES_MAX	61440
#define PROFIL_STACK_WORDS_MAX	4096

#define PROFIL_LOG_MIN		0x10000		/* 64 KiB */
#define PROFIL_LOG_MAX		0x4000000	/* 64 MiB */

/* Types of records, in struct profil_record.type */
#define PROFIL_RECORD_SAMPLE	1	/* in user mode */
#define PROFIL_RECORD_FORK	2
#define PROFIL_RECORD_EXEC	3
#define PROFIL_RECORD_MAP	4
#define PROFIL_RECORD_EXIT	5
#define PROFIL_RECORD_LOST	6
#define PROFIL_RECORD_RUN	7
#define PROFIL_RECORD_KERNEL_SAMPLE	8 /* struct profil_record_sample: in the kernel */
#define PROFIL_RECORD_THREAD	9
#define PROFIL_RECORD_ARGS	10
#define PROFIL_RECORD_STACK	11	/* if @stack_bytes of ATTACH is not 0: all samples */

#define PROFIL_RECORD_MAX	4608	/* no record but STACK has more bytes */
#define PROFIL_RECORD_STACK_MAX	32856	/* nor has STACK */

/**
 * struct profil_record - the start of each record of a log
 * @type:  PROFIL_RECORD_*. Readers skip unknown types
 * @bytes: size of the whole record in bytes, a multiple of 8. It may be larger than the
 *         structure below: readers skip the rest
 * @pid:   the process, in the PID namespace of the first ATTACH; 0: not in that namespace
 *
 * Records are in the order of the events. But samples that several CPUs take between two other
 * records are in any order, except for those of each CPU; and so are LOST samples.
 */
struct profil_record {
	__u16 type;
	__u16 bytes;
	__s32 pid;
};

/**
 * struct profil_record_sample - samples of one thread at one pc
 * @head:    type PROFIL_RECORD_SAMPLE or KERNEL_SAMPLE
 * @pc:      SAMPLE: where the thread is. KERNEL_SAMPLE: where it returns to user mode; 0: in exec,
 *           while kprobes are switched off
 * @samples: number of samples, at least 1
 * @tid:     thread ID, in the namespace of @head.pid; 0: the thread has just ended
 *
 * KERNEL_SAMPLE: the CPU is in the kernel, for a system call, a page fault or another exception, or
 * an interrupt. @pc is where the thread then returns: after a system call, to the next instruction.
 * An interrupt counts for the thread that it interrupts.
 */
struct profil_record_sample {
	struct profil_record head;
	__u64 pc;
	__u32 samples;
	__s32 tid;
};

/* Flags of a STACK record */
#define PROFIL_STACK_IN_KERNEL	0x1  /* as KERNEL_SAMPLE, else as SAMPLE */
#define PROFIL_STACK_CUT	0x2  /* it goes on: stack_bytes or stack_words are reached */
#define PROFIL_STACK_ABSENT	0x4  /* it goes on in memory that is not present or not readable */
#define PROFIL_STACK_DENIED	0x8  /* no stack: the process may not be traced now, or the
				      * administrator has forbidden it
				      */
#define PROFIL_STACK_NO_MEMORY	0x10 /* no stack: the thread is in exec or exit */
#define PROFIL_STACK_LEGACY	0x20 /* no stack: it executes 32-bit code, or a vsyscall */

/* Registers of a STACK record, in @regs */
#define PROFIL_STACK_RBX	0
#define PROFIL_STACK_RBP	1
#define PROFIL_STACK_RSP	2
#define PROFIL_STACK_R12	3
#define PROFIL_STACK_R13	4
#define PROFIL_STACK_R14	5
#define PROFIL_STACK_R15	6
#define PROFIL_STACK_REGS	7

/* A word of a STACK record: its value, and how many words before it are left out */
#define PROFIL_STACK_VALUE(word)	((word) & 0xffffffffffffULL)
#define PROFIL_STACK_SKIPPED(word)	((word) >> 48)

/**
 * struct profil_record_stack - samples of one thread at one pc, with its stack
 * @sample:     type PROFIL_RECORD_STACK; else as SAMPLE, with the flag IN_KERNEL as KERNEL_SAMPLE
 * @flags:      PROFIL_STACK_*
 * @nr_words:   how many @words there are; 0: no stack, or nothing of it is kept
 * @seen_bytes: how many bytes of the stack were looked at, from rsp on: a multiple of 8
 * @regs:       registers in user mode, 0 unless they point into the stack; rsp always. All 0: no
 *              stack
 * @words:      words of the stack that are an address of code (@text of ATTACH) or point into the
 *              stack, in the order of their addresses. The first one is at rsp + 8 * SKIPPED, and
 *              so many words are between each other one and the one before. A word of 2^48 or more
 *              is not kept
 *
 * Here the stack is what is from rsp to its end, if that is known, and at most stack_bytes. The end
 * of a program's first stack is where its argument count is. That of a thread is the data of its C
 * library, at the base of fs, if it begins with its own address. Another stack has no known end:
 * words may be from memory behind it. A frame that ends outside is one of another stack.
 */
struct profil_record_stack {
	struct profil_record_sample sample;
	__u32 flags;
	__u16 nr_words;
	__u16 seen_bytes;
	__u64 regs[PROFIL_STACK_REGS];

	__extension__ __u64 words[];
};

#define PROFIL_FORK_SHARES_MEMORY	0x1 /* clone(2) with CLONE_VM: until either executes a
					     * program, what one maps, the other one has too
					     */
#define PROFIL_FORK_DENIED		0x2 /* the child may not be traced, since the parent has
					     * become undumpable or has other credentials: see
					     * profil(4). Only EXIT follows
					     */

/**
 * struct profil_record_fork - a new process, which is sampled from its start unless denied
 * @head:   type PROFIL_RECORD_FORK; pid is the new process
 * @parent: its parent, whose mappings it has
 * @flags:  PROFIL_FORK_*
 */
struct profil_record_fork {
	struct profil_record head;
	__s32 parent;
	__u32 flags;
};

#define PROFIL_EXEC_DENIED	0x1 /* the program may not be traced: see profil(4) */
#define PROFIL_EXEC_LEFT	0x2 /* PROFIL_FOLLOW_EXEC is not set */

/**
 * struct profil_record_exec - a process executes another program
 * @head:     type PROFIL_RECORD_EXEC
 * @cpu_ns:   CPU time of all threads of the process so far, in ns. Kernels that subtract the
 *            time of interrupts or of a hypervisor (CONFIG_IRQ_TIME_ACCOUNTING,
 *            CONFIG_PARAVIRT_TIME_ACCOUNTING) do not tell the time since the last tick
 * @flags:    PROFIL_EXEC_*. With a flag, the only record of the process that follows is EXIT
 * @reserved: 0
 * @comm:     name of the process in the new program, terminated by a 0
 *
 * The earlier mappings of the process are gone. MAP records of the new program follow, then
 * ARGS, then RUN. Samples before RUN are in the call of execve(2), in the program before.
 */
struct profil_record_exec {
	struct profil_record head;
	__u64 cpu_ns;
	__u32 flags;
	__u32 reserved;
	char comm[16];
};

/**
 * struct profil_record_run - the program that a process executes is about to run
 * @head:   type PROFIL_RECORD_RUN
 * @cpu_ns: CPU time of the process so far, as in EXEC, if samples start here (PROFIL_FROM_EXEC);
 *          else 0
 */
struct profil_record_run {
	struct profil_record head;
	__u64 cpu_ns;
};

#define PROFIL_ARGS_MAX	1024	/* bytes of a command line in a record */

/**
 * struct profil_record_args - the command line of the program that a process executes
 * @head:       type PROFIL_RECORD_ARGS
 * @args_bytes: size of the whole command line in bytes; 0: it has no arguments
 * @reserved:   0
 * @args:       the arguments, each terminated by a 0; at most PROFIL_ARGS_MAX bytes. Padded with
 *              0. If the command line is cut, the last argument may have no 0
 *
 * As /proc/PID/cmdline has it before the program runs. It is cut where it is longer, and where a
 * page of it is not in memory.
 */
struct profil_record_args {
	struct profil_record head;
	__u32 args_bytes;
	__u32 reserved;

	__extension__ char args[];
};

#define PROFIL_MAP_PROGRAM	0x1 /* first mapping of the program that the process executes */

/**
 * struct profil_record_map - a process has an executable mapping
 * @head:     type PROFIL_RECORD_MAP
 * @start:    first address
 * @end:      first address after the mapping
 * @offset:   of @start in the file, in bytes
 * @inode:    inode number of the file; 0: no file
 * @file_bytes: size of the file at this time
 * @mtime_ns: when it was last modified, in ns since 1970 UTC, as stat(2) has it
 * @ctime_ns: when its inode was last changed, in ns since 1970 UTC, as stat(2) has it
 * @major:    device of its file system
 * @minor:    the same
 * @flags:    PROFIL_MAP_*
 * @reserved: 0
 * @path:     path of the file as the process sees it, or a name such as "[vdso]"; terminated
 *            by a 0, and padded with 0. Empty: no file, or the path is not known. The kernel
 *            appends " (deleted)" if the file was removed
 *
 * Sent for mmap(2), also in the course of exec, and for mprotect(2). The kernel joins adjacent
 * mappings, so it may be larger than what was requested. It replaces earlier mappings at
 * these addresses. No record is sent for munmap(2) and mremap(2), nor for
 * mappings that the process has when it is attached.
 */
struct profil_record_map {
	struct profil_record head;
	__u64 start;
	__u64 end;
	__u64 offset;
	__u64 inode;
	__u64 file_bytes;
	__s64 mtime_ns;
	__s64 ctime_ns;
	__u32 major;
	__u32 minor;
	__u32 flags;
	__u32 reserved;

	__extension__ char path[];
};

/**
 * struct profil_record_exit - a process has ended: all its threads have
 * @head:   type PROFIL_RECORD_EXIT; the last record of the process
 * @cpu_ns: CPU time of all its threads, in ns, as in EXEC, without what threads use that still
 *          exit. Kernels do not add up what a thread used after its last tick if it ended
 *          before the last thread and is not the first one; its THREAD record has that time
 */
struct profil_record_exit {
	struct profil_record head;
	__u64 cpu_ns;
};

/**
 * struct profil_record_thread - a thread of a sampled process has ended
 * @head:     type PROFIL_RECORD_THREAD
 * @tid:      thread ID, as in its samples
 * @reserved: 0
 * @cpu_ns:   its CPU time in ns, as in EXEC, since it was created, without what it uses that still
 *            exits
 * @comm:     its name at its end, terminated by a 0
 *
 * All threads have one, also the only thread of a process, and those that the kernel adds to the
 * process for io_uring and vhost, which have no samples. It comes before the EXIT of the process.
 * Samples of the rest of the thread's exit may be between the two. A thread that exits while ATTACH
 * adds its process may have none. Nor have threads that end while the process is not sampled:
 * before the EXEC of PROFIL_FROM_EXEC, and after an EXEC with a flag.
 *
 * Exec ends all other threads of the process, before the EXEC record. If the calling thread is not
 * the first one, it then gets the ID of the first one, which is that of the process. So two THREAD
 * records of the process have that ID, the second one with all the time of the calling thread, and
 * none has the earlier ID of that thread.
 */
struct profil_record_thread {
	struct profil_record head;
	__s32 tid;
	__u32 reserved;
	__u64 cpu_ns;
	char comm[16];
};

/**
 * struct profil_record_lost - records are missing here, because the log was full. Those of a child
 * that could not be sampled count as one: see @fork_failures of struct profil_status
 * @head:    type PROFIL_RECORD_LOST; pid is 0
 * @samples: samples in the missing records
 * @records: missing records of other types
 */
struct profil_record_lost {
	struct profil_record head;
	__u64 samples;
	__u64 records;
};

/*
 * PROFIL_IOC_LOG_STATUS fills struct profil_status for the log of the open file. @state is
 * PROFIL_STATE_RUNNING while a process is attached, else OFF. @samples is counted + lost,
 * @error is ENOBUFS if records were lost. @out_of_range, @pending, @pinned_bytes and
 * @log_inherited are 0.
 */

#endif /* _UAPI_LINUX_PROFIL_H */
