/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil: profil(2) in the variants of five systems and of the GNU C library, with the
 * kernel as the sampler; sprofil(), pcsample(), and the native interface of the kernel module.
 *
 * Source written for one of the systems does not need this header: the library
 * libprofil-DIALECT defines profil() as that system's manual page declares it
 * (pkg-config libprofil-DIALECT), and PREFIX/include/profil/DIALECT has the system's headers:
 * profil-dialects(7).
 *
 * Environment, read at each call of a function that starts a profile (PROFIL_DIALECT: once,
 * when it is first needed), but ignored in set-user-ID programs (secure_getenv(3)):
 *   PROFIL_RATE=HZ       samples per second of CPU time; overrides the rate that the program
 *                        requests, and the default of 100
 *   PROFIL_DIALECT=NAME  the dialect of profil(): see profil_dialect()
 *   PROFIL_FALLBACK=MODE what profil() does if /dev/profil cannot be opened, in the dialects
 *                        glibc and linux099. "warn" (default): use the C library's profil()
 *                        and print one line on stderr; "quiet": the same without the line;
 *                        "fatal": fail. It also applies to programs compiled with -pg:
 *                        profil-pg(7). The other functions fail without the device: nothing
 *                        else implements their rules.
 *
 * While a profile runs, the library keeps one descriptor of /dev/profil open, so that the
 * profile can be stopped even if the program can no longer open the device. The program may
 * close this descriptor.
 *
 * A sample is the pc of a thread in user mode, or, while the thread is in the kernel, the pc to
 * which it will return. All threads are sampled, each at the rate per second of its CPU time. A
 * forked child inherits the profile, and counts in its own copy of the buffer; execve() ends it.
 *
 * A process has one profile: a call of any of these functions replaces or stops the profile
 * that another function has started. A buffer without room for a counter only stops it.
 *
 * The functions are thread-safe, and a child of fork() may call them whatever the other threads of
 * its parent do. They are async-signal-safe and no cancellation points, except sprofil(), and
 * except profil() and profil_linux099() where they use the C library's profil(). A signal that
 * arrives during a call is handled at its end. In a child of _Fork() or clone(2), a call waits
 * forever if another thread of the parent was within one.
 *
 * A start replaces an earlier profile atomically, except that pcsample() stops it first.
 *
 * Errors are reported by -1 and errno. Unless a function documents otherwise:
 *   EFAULT      the process cannot write to all of the buffer. profil_solaris(),
 *               profil_osf1(), profil_linux099() and pcsample() do not check that in
 *               advance: they fail only for a buffer outside the user address space
 *   EINVAL      an argument that the function documents as invalid; a misaligned buffer (an
 *               odd address for 16-bit counters); PROFIL_RATE or PROFIL_DIALECT is invalid (a
 *               line on stderr names it), or PROFIL_RATE exceeds 20,000 Hz
 *   E2BIG       the buffer exceeds 1 GiB, or there are more than 4096 regions
 *   EPERM       the rate exceeds max_rate of profil(4), and the caller lacks CAP_PERFMON
 *   ENOMEM      the buffer would exceed RLIMIT_MEMLOCK (the four functions above lose samples
 *               instead); or out of memory
 *   ENOSPC      the user's limit of profiles or regions is reached
 *   EOPNOTSUPP  the buffer is in a shared mapping of a file on disk, or in a device (the four
 *               functions above find such memory at the call too); or the kernel's ftrace is
 *               switched off
 *   as open(2)  of /dev/profil; a function that starts a profile prints the remedy on stderr,
 *               once per process. If the device does not exist and this process has no
 *               profile, turning profiling off succeeds, but profil_stop() fails
 * On error, an earlier profile continues, unless the function documents that it is stopped. If
 * stopping it fails too, errno is that failure, and the earlier profile continues.
 */
#ifndef PROFIL_H
#define PROFIL_H

#include <stddef.h>
#include <stdint.h>
#include <linux/profil.h>
#ifndef PROFIL_DIALECT_HEADERS
#include <unistd.h>	/* declares profil() */
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __THROW
#define __THROW
#endif

#ifndef PROFIL_DIALECT_HEADERS
/**
 * profil() - count where the process spends its CPU time
 * @buf:    array of 16-bit counters; NULL turns profiling off (but <unistd.h> declares it as
 *          never NULL: prefer @scale 0)
 * @bufsiz: size of @buf in bytes
 * @offset: lowest pc to count
 * @scale:  counters per 2 bytes of text, times 65536, 1 to 2^32 - 1: 0x10000 gives one counter
 *          for each 2 bytes of text, 0x8000 one for each 4; 0 turns profiling off
 *
 * Each sample adds one to counter ((pc - offset) / 2) * scale / 65536, if that counter is within
 * @bufsiz. Divisions round down, as in all rules below. Counters wrap from 65535 to 0.
 *
 * Unlike in the C library, no signal and no timer of the program is used, scale 0 turns
 * profiling off (there, it counts everything in counter 0), and a forked child is profiled too.
 *
 * profil_dialect() or PROFIL_DIALECT selects another system's rule. @bufsiz is then taken as
 * 32 bits, as that system's page declares it. So is @offset, except for aix, if the program's
 * entry point is below 2^32, as in programs that are not PIEs.
 *
 * Source: prototype and rule of the GNU C library. Return: 0, or -1 with errno.
 */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale) __THROW;
#endif

/**
 * profil_solaris() - profil(2) of OpenSolaris
 * @buff:   array of 16-bit counters
 * @bufsiz: size of @buff in bytes; 0 or 1: nothing is counted, and an earlier profile is stopped
 * @offset: lowest pc to count
 * @scale:  0xffff for 2 bytes of text per counter, 0x4000 for 8, 2 for 65,536; 0 or 1 turns
 *          profiling off. Values above 0xffff, the manual page's maximum, are valid
 *
 * Each sample adds one to the counter that holds byte (pc - offset) * scale / 65536 of the
 * buffer. Profiling ends when a counter reaches 32767, or when a sample needs a counter that
 * cannot be written.
 *
 * Source: profil(2), SunOS 5.11. Return: 0, or -1 with errno, and an earlier profile is stopped.
 * The manual page's function returns nothing: the dialect's header declares it void, and errors
 * are also printed on stderr.
 */
int profil_solaris(unsigned short *buff, size_t bufsiz, unsigned long offset,
		   unsigned int scale);

/**
 * profil_bsd() - profil(2) of 4.4BSD
 * @samples: array of 16-bit counters
 * @size:    size of @samples in bytes
 * @offset:  lowest pc to count
 * @scale:   1 to 65536: 65536 for 2 bytes of text per counter, 32768 for 4; 0 turns profiling
 *           off
 *
 * Each sample adds one to counter ((pc - offset) / 2) * scale / 65536. Counters wrap from 65535
 * to 0.
 *
 * Source: profil(2), BSD Experimental. Return: 0; -1 with EINVAL if @scale exceeds 65536, and
 * an earlier profile continues; or -1 with errno for any other reason, and it is stopped.
 */
int profil_bsd(char *samples, size_t size, unsigned long offset,
	       unsigned int scale);

/**
 * profil_linux099() - profil(2) of Linux 0.99.11, DLL 4.4.1
 * @buf:    array of 16-bit counters; NULL turns profiling off
 * @bufsiz: size of @buf in bytes, taken as unsigned; 0 turns profiling off
 * @offset: lowest pc to count
 * @scale:  0x10000 for 2 bytes of text per counter; below 2, including negative values, turns
 *          profiling off
 *
 * Each sample adds one to the counter that holds byte (pc - offset) * scale / 65536 of the
 * buffer. Counters wrap from 65535 to 0. If a counter cannot be written, the process gets
 * SIGSEGV; if @buf is outside the user address space, the call itself raises it. If /dev/profil
 * cannot be opened, the C library's profil() counts (PROFIL_FALLBACK).
 *
 * Source: profil(2), Linux 0.99.11. Return: always 0. On error, an earlier profile is stopped,
 * and the error is printed on stderr.
 */
int profil_linux099(char *buf, int bufsiz, unsigned long offset, int scale);

/**
 * profil_osf1() - profil(2) of OSF/1
 * @short_buffer: array of 16-bit counters
 * @buffer_size:  size of @short_buffer in bytes
 * @offset:       lowest pc to count
 * @scale:        0x10000 for 2 bytes of text per counter, 0x8000 for 4; 1 or 0 turns profiling
 *                off
 *
 * Each sample adds one to the counter that holds byte (pc - offset) * scale / 65536 of the
 * buffer. Counters wrap from 65535 to 0. Profiling ends when a sample needs a counter that
 * cannot be written.
 *
 * Source: profil(2), OSF/1. Return: 0, or -1 with errno, and an earlier profile is stopped. The
 * dialect's header declares it void, and errors are also printed on stderr, as for
 * profil_solaris().
 */
int profil_osf1(short *short_buffer, size_t buffer_size, unsigned long offset,
		unsigned int scale);

/**
 * profil_aix() - profil() of AIX, in both its forms
 * @buffer: array of 16-bit counters; in the second form, array of struct prof (<mon.h> of the
 *          dialect's headers)
 * @size:   size of the counters in bytes; 0 or 1 turns profiling off; -1, as unsigned int,
 *          selects the second form
 * @offset: lowest pc to count; ignored in the second form
 * @scale:  only the low 16 bits are used: 0xffff for 2 bytes of text per counter, 0x7fff for 4,
 *          2 for one counter for all pcs; 0 or 1 turns profiling off. Ignored in the second
 *          form
 *
 * First form: each sample adds one to counter ((pc - offset) * scale / 65536 + 1) / 2. Counters
 * stop at 65535.
 *
 * Second form: the same in the first element with p_low <= pc < p_high, with its p_low, p_scale
 * and p_buff. p_scale -1 is the largest scale at which p_bufsize bytes have a counter for each
 * pc of the range. The element after the last has p_high 0. If the first element has p_high 0,
 * profiling is turned off.
 *
 * These calls have no effect and return 0: one that turns profiling on while it is on, one that
 * turns it off while it is off, and one that turns off what the other form has turned on. A
 * profile of another function of the library counts as off, and is replaced. While profiling is
 * on, the arguments of a call that would turn it on are not checked, except that an unreadable
 * first p_high is EFAULT.
 *
 * Source: profil subroutine, AIX Technical Reference. Return: 0, or -1 with errno: EFAULT in
 * place of ENOMEM; EINVAL also if p_high does not ascend, or is below p_low; E2BIG also for
 * more than 4096 elements. The dialect's header declares it void: there, only errno reports an
 * error.
 */
int profil_aix(void *buffer, unsigned int size, unsigned long offset,
	       unsigned int scale);

/**
 * profil_dialect() - query or select the dialect of profil() in this process
 * @name: solaris, bsd, linux099, osf1, aix or glibc; NULL: query only
 *
 * The default is PROFIL_DIALECT, or else glibc. For programs compiled with another declaration
 * of profil(): arguments are taken as the dialect declares them.
 *
 * Return: name of the dialect in use; or NULL with EINVAL if @name or PROFIL_DIALECT is not a
 * dialect: a line on stderr lists the valid names, and the dialect stays as it was.
 */
const char *profil_dialect(const char *name);

/**
 * profil_set_rate() - set the default sampling rate of later profiles
 * @hz: samples per second of CPU time; 0: 100, the initial default
 *
 * PROFIL_RATE, set by the user of the program, takes precedence. Return: 0, or -1 with EINVAL
 * if @hz exceeds the highest rate that the caller may request (profil(4)), or as open(2).
 */
int profil_set_rate(unsigned int hz);

/* Flag of sprofil(), with PROF_USHORT, PROF_UINT, PROF_FAST of <sys/profil.h>: 64-bit counters */
#define PROF_UINT64	0x4

/*
 * sprofil() is declared in the C library's <sys/profil.h>:
 *
 *	int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
 *		    unsigned int flags);
 *
 * profp[profcnt] are regions: each has pr_size bytes of counters at pr_base for the pcs from
 * pr_off on. Each sample adds one to counter ((pc - pr_off) / w) * pr_scale / 65536, w being
 * the size of a counter in bytes. Counters stop at their maximum. If several regions contain a
 * pc, the one with the largest pr_off counts it, and of these the first in the array. A region
 * with pr_off 0 and pr_scale 2 has one counter, for the pcs that no other region counts.
 * Regions with pr_scale below 2, or without room for a counter, are ignored.
 *
 * *tvp, unless tvp is NULL, receives the effective sampling period; 0: no region is left. flags:
 * PROF_USHORT, PROF_UINT or PROF_UINT64 for 16-, 32- or 64-bit counters; PROF_FAST for the
 * highest rate that the kernel offers. profcnt 0 turns profiling off.
 *
 * Source: the GNU C library. Return: 0, or -1 with errno: EINVAL also for unknown or
 * contradictory flags, a negative profcnt, and a pr_scale above 32 bits; E2BIG also if
 * overlapping regions must be cut into more than 4096.
 */

/**
 * pcsample() - record the pcs at which the process spends its CPU time (illumos)
 * @samples:  array of pcs
 * @nsamples: number of elements; 0 turns sampling off
 *
 * Each sample stores the pc in the next element. Sampling ends when the array is full, or when
 * an element cannot be written. The process has either this or a profile: each replaces the
 * other.
 *
 * Source: pcsample(2), illumos. Return: number of samples that the previous call's array received,
 * in a forked child with those of its parent; 0 if pcsample() was off; or -1 with errno. EINVAL if @nsamples is negative, E2BIG if
 * no array can be so large, or as open(2): an earlier profile continues. Any other error: it is
 * stopped.
 */
long pcsample(uintptr_t samples[], long nsamples);

/**
 * struct profil_attr - what a profile counts
 * @regions:    regions, sorted by start, not overlapping
 * @nr_regions: number of regions, 1 to 4096
 * @width:      size of a counter or logged pc in bits: 16, 32 or 64; 0 is 32
 * @rate:       samples per second of CPU time of a thread; 0: see profil_set_rate()
 * @clock:      PROFIL_CLOCK_*
 * @overflow:   PROFIL_OVERFLOW_*
 * @flags:      PROFIL_* flags of struct profil_start
 * @limit:      highest value of a counter, for PROFIL_OVERFLOW_SATURATE and _STOP; 0: the
 *              maximum of @width
 * @catch_all:  counter of the pcs outside all regions, or NULL
 * @log:        with flag PROFIL_PC_LOG, in place of regions: array of pcs
 * @log_bytes:  size of @log in bytes
 *
 * <linux/profil.h> describes the fields. Zero the structure before use: fields may be added.
 */
struct profil_attr {
	const struct profil_region *regions;
	size_t nr_regions;
	unsigned int width;
	unsigned int rate;
	unsigned int clock;
	unsigned int overflow;
	unsigned int flags;
	uint64_t limit;
	void *catch_all;
	void *log;
	size_t log_bytes;
};

/*
 * Later versions of the library may extend struct profil_attr and struct profil_status at the
 * end. The exported functions therefore take the size of the caller's structure, and use the
 * part that caller and library both know. C and C++ programs call the inline functions without
 * _sized, which pass that size. Callers in other languages pass the size of the structure as
 * they declare it.
 */

/**
 * profil_start_sized() - profil_start() with an explicit structure size
 * @attr: what the profile counts
 * @size: size of *@attr in bytes; fields beyond it are taken as 0
 *
 * Return: 0, or -1 with errno, as profil_start(); also EINVAL if @size does not include the
 * field nr_regions, or exceeds 4096; E2BIG if fields unknown to the library are not 0.
 */
int profil_start_sized(const struct profil_attr *attr, size_t size);

/**
 * profil_start() - start a profile, or replace the running one atomically
 * @attr: what the profile counts
 *
 * Return: 0, or -1 with errno, as <linux/profil.h> lists it, or as open(2); EINVAL also if
 * PROFIL_RATE is invalid.
 */
static __inline__ int profil_start(const struct profil_attr *attr)
{
	return profil_start_sized(attr, sizeof(*attr));
}

/**
 * profil_stop_sized() - profil_stop() with an explicit structure size
 * @status: receives the final figures, up to @size; fields unknown to the library become 0.
 *          Or NULL
 * @size:   size of *@status in bytes; stored in its field size
 *
 * Return: 0, or -1 with errno, as profil_stop(); also EINVAL, and the profile continues, if
 * @status is not NULL and @size does not include the field state, or exceeds 4096.
 */
int profil_stop_sized(struct profil_status *status, size_t size);

/**
 * profil_stop() - stop the profile
 * @status: receives the final figures; or NULL
 *
 * No counter is written after the return. Return: 0, also if there was no profile
 * (state PROFIL_STATE_OFF); or -1 with errno, as open(2), and the profile continues.
 */
static __inline__ int profil_stop(struct profil_status *status)
{
	return profil_stop_sized(status, sizeof(*status));
}

/**
 * profil_status_sized() - profil_status() with an explicit structure size
 * @status: as for profil_stop_sized(), but not NULL
 * @size:   size of *@status in bytes; stored in its field size
 *
 * Return: 0, or -1 with errno, as profil_status(); also EINVAL, as profil_stop_sized().
 */
int profil_status_sized(struct profil_status *status, size_t size);

/**
 * profil_status() - read the figures of the profile, and why it ended if it did
 * @status: receives the figures; without a profile, state is PROFIL_STATE_OFF, and the other
 *          fields are 0
 *
 * Return: 0, or -1 with errno, as open(2).
 */
static __inline__ int profil_status(struct profil_status *status)
{
	return profil_status_sized(status, sizeof(*status));
}

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_H */
