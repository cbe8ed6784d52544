/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How libprofil-run.so gets into the command: where it is, and the environment that
 * makes the dynamic linker load it and leads it to the run's memory.
 */
#ifndef PROFIL_PRELOAD_H
#define PROFIL_PRELOAD_H

/**
 * preload_find - where the library is
 * @tried: filled with the two paths that were tried, to free(); NULL if there
 *         is no memory
 *
 * Beside the executable (../lib, so that it works from a build tree and from
 * wherever it was moved to with its library), else where it was installed.
 *
 * Return: its path, to free(), or NULL with errno: ENOENT or another of access(2),
 * EINVAL if the path has a character that LD_PRELOAD cannot hold, ENOMEM.
 */
char *preload_find(char **tried);

/**
 * preload_remedy - what to do if the library was not found
 * @error: errno, from preload_find()
 *
 * Return: in words.
 */
const char *preload_remedy(int error);

/**
 * preload_environ - the command's environment
 * @library: path of the library
 * @run_fd:  descriptor of the run's memory, kept open until the command ended
 *
 * Return: the caller's environment with PROFIL_RUN set and @library in front of
 * LD_PRELOAD, to be given to preload_environ_free(); NULL: no memory.
 */
char **preload_environ(const char *library, int run_fd);

/**
 * preload_environ_free - give back a preload_environ()
 * @env: from preload_environ(), or NULL
 */
void preload_environ_free(char **env);

#endif /* PROFIL_PRELOAD_H */
