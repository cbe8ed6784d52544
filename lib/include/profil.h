/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil: profil(2) with the kernel's sampling, as five systems and the GNU C
 * library had it; sprofil(), pcsample(), and what lies below.
 *
 * Source that was written for one of the systems needs none of this: in the library
 * libprofil-DIALECT, plain profil() is that system's, as its manual page declares it
 * (pkg-config libprofil-DIALECT). The system's header names are in
 * PREFIX/include/profil/DIALECT.
 *
 * Environment, for every function here but profil_stop() and profil_status():
 *   PROFIL_RATE=HZ       samples per second of CPU time, instead of what the
 *                        program asks for or the 100 of all manual pages
 *   PROFIL_DIALECT=NAME  what plain profil() means: see profil_dialect()
 *   PROFIL_FALLBACK=     what profil() does where /dev/profil cannot be opened, if
 *                        its dialect is glibc or linux099: "warn" (default) uses the C
 *                        library's profil() and says so on stderr, once; "quiet"
 *                        does not say so; "fatal" makes it an error of the call.
 *                        The same for programs compiled with -pg: libprofil(3).
 *                        All others know no fallback: nothing else follows their
 *                        rules
 *
 * While a profile runs, the library keeps one descriptor open at the device, by which it
 * can be ended whatever the program may open then. The program may close it.
 *
 * A process has one profile: a call of any of these functions replaces or ends
 * what another has begun. Calls from several threads at once are each done whole,
 * the last one stands; but profil_aix() looks first whether it is on, and two that turn
 * it on at once may both do so. The functions are not for signal handlers. The environment is
 * read at each call, but PROFIL_DIALECT only once, at the first that needs it.
 *
 * Errors, each told by -1 and errno, where a function's text does not say otherwise:
 *   EFAULT      the process cannot write all of the buffer; of profil_solaris(),
 *               profil_osf1(), profil_linux099() and pcsample(), which do not look
 *               before they count, only where no process can
 *   EINVAL      an argument that the function's text calls invalid; a buffer at an
 *               address that its counters cannot have (an odd one, of 16-bit
 *               counters); PROFIL_RATE or PROFIL_DIALECT that is none (a line on
 *               stderr says so), or above 20,000 Hz; profil_set_rate() to more than
 *               users may have
 *   E2BIG       a larger buffer, or more regions, than one profile can have: 1 GiB,
 *               4096
 *   EPERM       a higher rate than users may have, by PROFIL_RATE or profil_start()
 *   ENOMEM      the buffer would exceed RLIMIT_MEMLOCK; or no memory
 *   ENOSPC      the user has as many profiles as the administrator lets him have
 *   EOPNOTSUPP  the buffer is in a shared mapping of a file on disk, or a device;
 *               or the kernel's ftrace is switched off
 *   as open(2)  of /dev/profil; where a profile was to be started, a line on
 *               stderr says what to do. Without the device there is nothing to stop,
 *               which is no error, but of profil_stop()
 * An earlier profile goes on then, if the text does not say otherwise.
 */
#ifndef PROFIL_H
#define PROFIL_H

#include <stddef.h>
#include <stdint.h>
#include <linux/profil.h>
#ifndef PROFIL_DIALECT_HEADERS
#include <unistd.h>	/* the C library's own declaration of profil() */
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
 * @buf:    16-bit counters; NULL turns profiling off (but <unistd.h> declares that
 *          it is never NULL: use @scale)
 * @bufsiz: their size in bytes
 * @offset: lowest pc that is counted
 * @scale:  0x10000 gives one counter for each 2 bytes of text, 0x8000 for each
 *          4, and so on; 0 turns profiling off
 *
 * The prototype and the rule are the GNU C library's: at every 100th of a
 * second of CPU time, user and system, of any thread, counter number
 * ((pc - offset) / 2) * scale / 65536 goes up by one, if it lies within bufsiz.
 * It wraps at 65535. A second call replaces the first in one step.
 *
 * Unlike there, no signal and no timer of the program is used, scale 0 is off
 * (there, it sends all to counter 0), and a forked child goes on being counted,
 * in its own copy of the buffer.
 *
 * With profil_dialect() or PROFIL_DIALECT, it is another system's instead. It takes
 * bufsiz with 32 bits then, and offset too, where the program's text lies below 2^32
 * (but of aix): as that system's page declares them.
 *
 * Return: 0, or -1 with errno.
 */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale) __THROW;
#endif

/**
 * profil_solaris() - profil(2) of OpenSolaris
 * @buff:   16-bit counters
 * @bufsiz: their size in bytes; 0: in effect, but nothing is counted
 * @offset: lowest pc that is counted
 * @scale:  0xffff for 2 bytes of text per counter, 0x4000 for 8, 2 for 65,536; 0
 *          or 1 turns profiling off. Larger ones than the page's 0xffff are taken
 *          as they are
 *
 * The counter that holds byte (pc - offset) * scale / 65536 of the buffer goes up
 * by one. Once one reaches 32767, or memory is not there when it is to be counted
 * in, profiling is off. Source: profil(2), SunOS 5.11. Return: 0, or -1 with errno
 * and profiling off (the page's returns nothing: the dialect's header says void,
 * and a line on stderr tells).
 */
int profil_solaris(unsigned short *buff, size_t bufsiz, unsigned long offset,
		   unsigned int scale);

/**
 * profil_bsd() - profil(2) of 4.4BSD
 * @samples: 16-bit counters
 * @size:    their size in bytes
 * @offset:  lowest pc that is counted
 * @scale:   65536 for 2 bytes of text per counter, 32768 for 4; 0 turns profiling
 *           off
 *
 * Counter ((pc - offset) / 2) * scale / 65536 goes up by one; it wraps. Source:
 * profil(2), BSD Experimental. Return: 0; -1 with EINVAL if scale exceeds 65536,
 * and an earlier profile goes on; -1 with errno for any other reason, and an earlier
 * profile is ended (if that fails too, errno is that one's, and it goes on).
 */
int profil_bsd(char *samples, size_t size, unsigned long offset,
	       unsigned int scale);

/**
 * profil_linux099() - profil(2) of Linux 0.99.11, DLL 4.4.1
 * @buf:    16-bit counters; NULL turns profiling off
 * @bufsiz: their size in bytes; 0 turns profiling off
 * @offset: lowest pc that is counted
 * @scale:  0x10000 for 2 bytes of text per counter; below 2, negative ones too,
 *          turns profiling off
 *
 * The counter that holds byte (pc - offset) * scale / 65536 of the buffer goes up
 * by one; it wraps. If it cannot be written, the process gets a SIGSEGV, from the
 * call itself if no process could write there. Where /dev/profil cannot be opened, the C
 * library's profil() counts (PROFIL_FALLBACK). Source: profil(2), Linux 0.99.11.
 * Return: 0, always; on errors profiling is off, and a line on stderr says why.
 */
int profil_linux099(char *buf, int bufsiz, unsigned long offset, int scale);

/**
 * profil_osf1() - profil(2) of OSF/1
 * @short_buffer: 16-bit counters
 * @buffer_size:  their size in bytes
 * @offset:       lowest pc that is counted
 * @scale:        0x10000 for 2 bytes of text per counter, 0x8000 for 4; 1 or 0
 *                turns profiling off
 *
 * The counter that holds byte (pc - offset) * scale / 65536 of the buffer goes up
 * by one; it wraps. If memory is not there when it is to be counted in, profiling
 * is off. Source: profil(2), OSF/1. Return: 0, or -1 with errno and profiling off
 * (void in the dialect's header, as profil_solaris()).
 */
int profil_osf1(short *short_buffer, size_t buffer_size, unsigned long offset,
		unsigned int scale);

/**
 * profil_aix() - profil() of AIX, in both its forms
 * @buffer: 16-bit counters; or, if @size is -1, struct prof[] (<mon.h> of the
 *          dialect's headers)
 * @size:   their size in bytes; 0 or 1 turns profiling off; -1, as unsigned int: the
 *          second form
 * @offset: lowest pc that is counted; ignored in the second form
 * @scale:  of its 16 low bits: 0xffff for 2 bytes of text per counter, 0x7fff for
 *          4, 2 for all in the first counter; 0 or 1 turns profiling off. Ignored
 *          in the second form
 *
 * A profile of another function of the library counts as off, and is replaced.
 *
 * First form: counter number ((pc - offset) * scale / 65536 + 1) / 2 goes up by
 * one, until it is 65535. Second form: the same in the first element with p_low <=
 * pc < p_high, by p_low, p_scale (-1: the largest at which p_bufsize bytes have a counter
 * for each pc of the range) and p_buff; the last element has p_high 0, and profiling is off
 * if it is the first.
 *
 * A call that turns on what is on, turns off what is off, or turns off what the
 * other form has turned on, has no effect, and returns 0.
 *
 * Source: profil subroutine, AIX Technical Reference. Return: 0, or -1 with errno:
 * EFAULT also if the buffer cannot be locked in memory; EINVAL if p_high does not
 * ascend from element to element, or lies below p_low. (void in the dialect's
 * header: only errno reports an error there.) While profiling is on, the arguments of a
 * call that would turn it on are not checked; EFAULT if the first p_high is unreadable.
 */
int profil_aix(void *buffer, unsigned int size, unsigned long offset,
	       unsigned int scale);

/**
 * profil_dialect() - ask or choose what plain profil() means in this process
 * @name: solaris, bsd, linux099, osf1, aix or glibc; NULL only asks
 *
 * Until it is chosen here, it is what PROFIL_DIALECT says, or glibc. For programs
 * that were compiled with another declaration of profil(), arguments are taken as
 * that dialect declares them.
 *
 * Return: the name of the one in force, or NULL with EINVAL if @name (or
 * PROFIL_DIALECT) is none of them, after a line on stderr that lists them; nothing
 * has changed then.
 */
const char *profil_dialect(const char *name);

/**
 * profil_set_rate() - sampling rate of the profiles that are started from here on
 * @hz: samples per second of CPU time; 0: 100, as at the start
 *
 * PROFIL_RATE, the choice of whoever runs the program, takes precedence. Return: 0,
 * or -1 with EINVAL if the kernel offers no such rate, or as open(2).
 */
int profil_set_rate(unsigned int hz);

/*
 * Flags of sprofil(), besides PROF_USHORT, PROF_UINT and PROF_FAST of the C
 * library's <sys/profil.h>: 64-bit counters.
 */
#define PROF_UINT64	0x4

/*
 * sprofil() is declared in the C library's <sys/profil.h>:
 *
 *	int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
 *		    unsigned int flags);
 *
 * profp[profcnt] are regions: of pr_size bytes of counters at pr_base, for pcs from
 * pr_off on, at pr_scale as in profil(). Where several hold a pc, the one with the
 * largest pr_off counts it. A region of pr_off 0 and pr_scale 2 has one counter, for
 * pcs in no other; other ones of a pr_scale below 2 are left out. Counters stay at
 * their highest value. tvp, if not NULL, gets the true sampling period. flags:
 * PROF_USHORT, PROF_UINT or PROF_UINT64 for 16-, 32- or 64-bit counters; PROF_FAST
 * for the highest rate that the kernel offers. profcnt 0 turns profiling off; a
 * call while it is on replaces it. Return: 0, or -1 with errno: EINVAL for unknown
 * flags, a negative profcnt, and a pr_scale of more than 32 bits.
 */

/**
 * pcsample() - store where the process spends its CPU time (illumos)
 * @samples:  array of pcs
 * @nsamples: its length; 0 turns sampling off
 *
 * At every tick the pc is stored in the next element, until the array is full or
 * its memory is not there; then it is off. It replaces a profile, as a profile
 * replaces it. Source: pcsample(2), illumos. Return: how many samples were stored
 * since the previous call; or -1 with errno: EINVAL if nsamples is negative, E2BIG if no
 * array can be so large, or as open(2), and an earlier profile goes on; any other, and it
 * is ended.
 */
long pcsample(uintptr_t samples[], long nsamples);

/**
 * struct profil_attr - what a profile counts
 * @regions:    sorted by start, none overlapping another
 * @nr_regions: their number
 * @width:      of a counter or pc in bits: 16, 32 or 64; 0 is 32
 * @rate:       Hz; 0: as profil_set_rate() says
 * @clock:      PROFIL_CLOCK_*
 * @overflow:   PROFIL_OVERFLOW_*
 * @flags:      PROFIL_* flags of struct profil_start
 * @limit:      highest value of a counter, for PROFIL_OVERFLOW_SATURATE and STOP; 0:
 *              as high as @width allows
 * @catch_all:  counter of the pcs that have no other, or NULL
 * @log:        for flag PROFIL_PC_LOG, instead of regions: array of pcs
 * @log_bytes:  its size
 *
 * As in <linux/profil.h>, where each is described; in memory that is zeroed first.
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
 * The structures of the next three functions may grow at their end in later versions of
 * the library. So what the library exports takes the size of the caller's: the part that
 * both know is used. Programs in C and C++ call the functions without _sized, which pass
 * it. Callers from other languages, which do not compile this header, pass the size of the
 * structure as they declare it.
 */

/**
 * profil_start_sized() - profil_start() for a structure of this size
 * @attr: what the profile counts
 * @size: of *@attr in bytes: fields from there on are 0
 *
 * Return: 0, or -1 with errno, as profil_start(); also EINVAL if @size does not reach
 * to the end of @nr_regions, or exceeds 4096, and E2BIG if the structure is longer than
 * the library's and what the library does not know is not 0.
 */
int profil_start_sized(const struct profil_attr *attr, size_t size);

/**
 * profil_start() - start a profile, or replace the running one in one step
 * @attr: what it counts
 *
 * Return: 0, or -1 with errno, as <linux/profil.h> lists it.
 */
static __inline__ int profil_start(const struct profil_attr *attr)
{
	return profil_start_sized(attr, sizeof(*attr));
}

/**
 * profil_stop_sized() - profil_stop() for a structure of this size
 * @status: gets as much of the final figures as it has room for, and 0 in what the
 *          library does not know; or NULL
 * @size:   of *@status in bytes, which becomes its field size
 *
 * Return: 0, or -1 with errno, as profil_stop(); also EINVAL, and the profile goes on, if
 * there is a @status and @size does not reach to the end of its field state, or exceeds
 * 4096.
 */
int profil_stop_sized(struct profil_status *status, size_t size);

/**
 * profil_stop() - end the profile
 * @status: gets its final figures; or NULL
 *
 * No counter is written any more when it returns. Return: 0, also if there was no
 * profile (state PROFIL_STATE_OFF); or -1 with errno, as open(2), and the profile goes
 * on.
 */
static __inline__ int profil_stop(struct profil_status *status)
{
	return profil_stop_sized(status, sizeof(*status));
}

/**
 * profil_status_sized() - profil_status() for a structure of this size
 * @status: as of profil_stop_sized(), but not NULL
 * @size:   the same
 *
 * Return: 0, or -1 with errno, as profil_status(); also EINVAL, as profil_stop_sized().
 */
int profil_status_sized(struct profil_status *status, size_t size);

/**
 * profil_status() - figures so far, and why it ended, if it did
 * @status: gets them
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
