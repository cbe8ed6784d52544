/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What selftests/late does on request: late interrupts, and others' mishaps. It is loaded
 * in sealed guests only (scripts/vm/run): there no interrupt is late by itself, so that counts
 * are exact.
 * To be included after the harness.
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

/* 0 or errno. */
int load_late(void);

/* In a fixture's setup: on the last CPU, not where the kernel keeps its time. */
#define REQUIRE_LATE()							\
	do {								\
		int last_cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;	\
									\
		if (!getenv("PROFIL_LATE"))				\
			SKIP(return, "sealed guests only");		\
		if (!last_cpu)						\
			SKIP(return, "wants two processors");		\
		ASSERT_EQ(0, load_late());				\
		ASSERT_EQ(0, put_on_cpu(0, last_cpu));			\
	} while (0)

/* @how: "off" or "leave", see late.c. 0 or errno. */
int keep_interrupts_off(const char *how, double seconds);

#endif /* SELFTESTS_LATE_H */
