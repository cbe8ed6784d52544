/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_H
#define PROFIL_GMON_H

#include <stddef.h>

/**
 * struct profil_gmon_libc - what the C library has for programs compiled with -pg
 * @monstartup: begin: count calls from here on, and sample by SIGPROF
 * @moncontrol: both off (0) or on
 * @mcleanup:   end, and write gmon.out
 * @profil:     its profil(), by which the sampling can be ended alone
 */
struct profil_gmon_libc {
	void (*monstartup)(unsigned long low, unsigned long high);
	void (*moncontrol)(int mode);
	void (*mcleanup)(void);
	int (*profil)(unsigned short *buf, size_t bufsiz, size_t offset,
		      unsigned int scale);
};

/*
 * The C library's functions, with the kernel's sampling in place of SIGPROF's: what
 * they do otherwise, they do. In a program that is not sampled by the kernel, they
 * alone are called.
 */
void profil_gmon_startup(const struct profil_gmon_libc *libc, unsigned long low,
			 unsigned long high);
void profil_gmon_control(const struct profil_gmon_libc *libc, int mode);
void profil_gmon_cleanup(const struct profil_gmon_libc *libc);

#endif /* PROFIL_GMON_H */
