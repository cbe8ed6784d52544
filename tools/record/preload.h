/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preloading libprofil-run.so into the command: finding the library, and making the environment
 * with which the dynamic linker loads it and with which it finds the run's shared memory.
 */
#ifndef PROFIL_PRELOAD_H
#define PROFIL_PRELOAD_H

/**
 * preload_find - find the library
 * @tried: set to the two paths that were tried, to be freed with free(); NULL: no memory
 *
 * The first path is ../lib relative to the executable, for build trees and relocated
 * installations; the second is LIBDIR.
 *
 * Return: the library's path, to be freed with free(), or NULL with errno: ENOENT or another
 * one of access(2); EINVAL if LD_PRELOAD cannot contain the path; ENOMEM.
 */
char *preload_find(char **tried);

/**
 * preload_remedy - describe what to do if the library was not found
 * @error: errno from preload_find()
 *
 * Return: text.
 */
const char *preload_remedy(int error);

/**
 * preload_environ - make the command's environment
 * @library: path of the library
 * @run_fd:  descriptor of the run's shared memory; must stay open while the command runs
 *
 * Return: the caller's environment with PROFIL_RUN set and @library prepended to LD_PRELOAD, to
 * be given to preload_environ_free(); NULL: no memory.
 */
char **preload_environ(const char *library, int run_fd);

/**
 * preload_environ_free - free an environment
 * @env: from preload_environ(), or NULL
 */
void preload_environ_free(char **env);

#endif /* PROFIL_PRELOAD_H */
