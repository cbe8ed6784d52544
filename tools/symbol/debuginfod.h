/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug information that is fetched from debuginfod servers, by build-id. elfutils asks them
 * itself, those of DEBUGINFOD_URLS; here is when it may, for how long, and what the user
 * sees of it. All of that is about the whole process, as the environment is.
 */
#ifndef PROFIL_DEBUGINFOD_H
#define PROFIL_DEBUGINFOD_H

#include <elfutils/libdwfl.h>

/**
 * debuginfod_allow - let debug information be fetched
 *
 * Before the first symbols_new(). Sets DEBUGINFOD_TIMEOUT and DEBUGINFOD_MAXTIME in this
 * process's environment if they are not set.
 */
void debuginfod_allow(void);

/**
 * debuginfod_prepare - see to it that nothing is fetched that is not allowed
 *
 * Removes DEBUGINFOD_URLS from this process's environment, unless it is allowed.
 */
void debuginfod_prepare(void);

/**
 * debuginfod_before_search - elfutils is about to search
 * @dwfl: the session that it is for
 * @path: of the object, for the progress that is shown where standard error is a terminal
 */
void debuginfod_before_search(Dwfl *dwfl, const char *path);

/**
 * debuginfod_after_search - elfutils has searched
 * @found: what its callback returned: a descriptor, or less than 0
 *
 * A server that fails would fail for each object, after the time limits. So the first
 * failure is said, and nothing more is fetched. Not to have a file is no failure.
 */
void debuginfod_after_search(int found);

#endif /* PROFIL_DEBUGINFOD_H */
