/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Late interrupts and other mishaps, by the module of selftests/late. It is loaded in sealed guests
 * only (scripts/vm/run), where no interrupt is late by itself, so that counts are exact. Include
 * this after the harness.
 */
#ifndef SELFTESTS_LATE_H
#define SELFTESTS_LATE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"
#include "files.h"

#define LATE	"/sys/module/late/parameters/"

/* Returns 0 or an errno. */
int load_late(void);

/* In a fixture's setup: moves to the last CPU, which is not the one that updates the clock. */
#define REQUIRE_LATE()							\
	do {								\
		int last_cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;	\
									\
		if (!getenv("PROFIL_LATE"))				\
			SKIP(return, "sealed guests only");		\
		if (!last_cpu)						\
			SKIP(return, "needs two CPUs");			\
		ASSERT_EQ(0, load_late());				\
		ASSERT_EQ(0, put_on_cpu(0, last_cpu));			\
	} while (0)

/* @how is "off" or "leave", see late.c. Returns 0 or an errno. */
int keep_interrupts_off(const char *how, double seconds);

#endif /* SELFTESTS_LATE_H */
