/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_H
#define PROFIL_GMON_H

#include "libc_profil.h"

/**
 * struct profil_gmon_libc - the C library's functions for programs compiled with -pg
 * @monstartup: start counting calls and sampling by SIGPROF
 * @moncontrol: turn both off (0) or on
 * @mcleanup:   stop, and write gmon.out
 * @profil:     profil(), which can stop the sampling alone
 */
struct profil_gmon_libc {
	void (*monstartup)(unsigned long low, unsigned long high);
	void (*moncontrol)(int mode);
	void (*mcleanup)(void);
	profil_libc_profil *profil;
};

/*
 * In place of __monstartup(), moncontrol() and _mcleanup() of the C library, which they call, with
 * the kernel instead of SIGPROF as the sampler. If the kernel does not sample the program, they
 * only call the C library's.
 */
void profil_gmon_startup(const struct profil_gmon_libc *libc, unsigned long low,
			 unsigned long high);
void profil_gmon_control(const struct profil_gmon_libc *libc, int mode);
void profil_gmon_cleanup(const struct profil_gmon_libc *libc);

#endif /* PROFIL_GMON_H */
