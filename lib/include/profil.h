/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil: profil(2) in the variants of six systems and of the GNU C library, with the
 * kernel as the sampler; sprofil(), pcsample(), and the native interface of the kernel module.
 *
 * Source written for one of the systems does not need this header: the library
 * libprofil-DIALECT defines profil() as that system's manual page declares it
 * (pkg-config libprofil-DIALECT), and PREFIX/include/profil/DIALECT has the system's headers:
 * profil-dialects(7).
 *
 * The manual pages describe what the functions do, which errors they have, what threads, children
 * and signal handlers may call, and the environment: libprofil(3), and the page that a function
 * names. Here are the units and ranges of the arguments. Return, unless a function says otherwise:
 * 0, or -1 with errno, and an earlier profile continues.
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
 * profil() - count where the process spends its CPU time: profil(2)
 * @buf:    array of 16-bit counters, at an even address; NULL turns profiling off (but <unistd.h>
 *          declares it as never NULL: prefer @scale 0)
 * @bufsiz: size of @buf in bytes, up to 1 GiB
 * @offset: lowest pc to count
 * @scale:  counters per 2 bytes of text, times 65536, 1 to 2^32 - 1: 0x10000 gives one counter
 *          for each 2 bytes of text, 0x8000 one for each 4; 0 turns profiling off
 */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale) __THROW;
#endif

/**
 * profil_solaris() - profil() of OpenSolaris: profil_solaris(2)
 * @buff:   array of 16-bit counters
 * @bufsiz: size of @buff in bytes
 * @offset: lowest pc to count
 * @scale:  0xffff for 2 bytes of text per counter, 0x4000 for 8; 0 or 1 turns profiling off
 *
 * On error, an earlier profile is stopped.
 */
int profil_solaris(unsigned short *buff, size_t bufsiz, unsigned long offset,
		   unsigned int scale);

/**
 * profil_bsd() - profil() of 4.4BSD: profil_bsd(2)
 * @samples: array of 16-bit counters
 * @size:    size of @samples in bytes
 * @offset:  lowest pc to count
 * @scale:   1 to 65536: 65536 for 2 bytes of text per counter; 0 turns profiling off
 *
 * On error, an earlier profile is stopped, unless @scale exceeds 65536.
 */
int profil_bsd(char *samples, size_t size, unsigned long offset,
	       unsigned int scale);

/**
 * profil_linux099() - profil() of Linux 0.99: profil_linux099(2)
 * @buf:    array of 16-bit counters; NULL turns profiling off
 * @bufsiz: size of @buf in bytes, taken as unsigned; 0 turns profiling off
 * @offset: lowest pc to count
 * @scale:  0x10000 for 2 bytes of text per counter; below 2, including negative values, turns
 *          profiling off
 *
 * Return: always 0. On error, an earlier profile is stopped, and stderr has the error.
 */
int profil_linux099(char *buf, int bufsiz, unsigned long offset, int scale);

/**
 * profil_osf1() - profil() of OSF/1: profil_osf1(2)
 * @short_buffer: array of 16-bit counters
 * @buffer_size:  size of @short_buffer in bytes
 * @offset:       lowest pc to count
 * @scale:        0x10000 for 2 bytes of text per counter; 1 or 0 turns profiling off
 *
 * On error, an earlier profile is stopped.
 */
int profil_osf1(short *short_buffer, size_t buffer_size, unsigned long offset,
		unsigned int scale);

/**
 * profil_aix() - profil() of AIX, in both its forms: profil_aix(2)
 * @buffer: array of 16-bit counters; in the second form, array of struct prof (<mon.h> of the
 *          dialect's headers)
 * @size:   size of the counters in bytes; 0 or 1 turns profiling off; -1, as unsigned int,
 *          selects the second form
 * @offset: lowest pc to count; ignored in the second form
 * @scale:  only the low 16 bits are used: 0xffff for 2 bytes of text per counter; 0 or 1 turns
 *          profiling off. Ignored in the second form
 */
int profil_aix(void *buffer, unsigned int size, unsigned long offset,
	       unsigned int scale);

/**
 * profil_svid() - profil() of System V and of the first Unix systems: profil_svid(2)
 * @buff:   array of 16-bit counters
 * @bufsiz: size of @buff in bytes
 * @offset: lowest pc to count
 * @scale:  0xffff for about 2 bytes of text per counter; 2 counts every pc in the first counter; 0
 *          or 1 turns profiling off
 *
 * On error, an earlier profile is stopped.
 */
int profil_svid(void *buff, size_t bufsiz, unsigned long offset, unsigned int scale);

/**
 * profil_dialect() - query or select the dialect of profil() in this process: profil-dialects(7)
 * @name: solaris, bsd, linux099, osf1, aix, svid or glibc; NULL: query only
 *
 * Return: name of the dialect in use, or NULL with EINVAL.
 */
const char *profil_dialect(const char *name);

/**
 * profil_set_rate() - set the default sampling rate of later profiles: libprofil(3)
 * @hz: samples per second of CPU time, 1 to 20,000; 0: 100, the initial default
 */
int profil_set_rate(unsigned int hz);

/* Flag of sprofil(), with PROF_USHORT, PROF_UINT, PROF_FAST of <sys/profil.h>: 64-bit counters */
#define PROF_UINT64	0x4

/* sprofil() is declared in the C library's <sys/profil.h>: sprofil(3) */

/**
 * pcsample() - record the pcs at which the process spends its CPU time: pcsample(2)
 * @samples:  array of pcs
 * @nsamples: number of elements; 0 turns sampling off
 *
 * Return: number of samples that the previous call's array received; or -1 with errno, and an
 * earlier profile is stopped, unless @nsamples is invalid or the device cannot be opened.
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
 * Return: as profil_start(); also EINVAL for a wrong @size, or E2BIG.
 */
int profil_start_sized(const struct profil_attr *attr, size_t size);

/**
 * profil_start() - start a profile, or replace the running one atomically
 * @attr: what the profile counts
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
 * Return: as profil_stop(); also EINVAL for a wrong @size.
 */
int profil_stop_sized(struct profil_status *status, size_t size);

/**
 * profil_stop() - stop the profile
 * @status: receives the final figures; or NULL
 *
 * No counter is written after the return. Without a profile it succeeds, with the state
 * PROFIL_STATE_OFF.
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
 * Return: as profil_status(); also EINVAL for a wrong @size.
 */
int profil_status_sized(struct profil_status *status, size_t size);

/**
 * profil_status() - read the figures of the profile, and why it ended if it did
 * @status: receives the figures; without a profile, state is PROFIL_STATE_OFF, and the other
 *          fields are 0
 */
static __inline__ int profil_status(struct profil_status *status)
{
	return profil_status_sized(status, sizeof(*status));
}

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_H */
