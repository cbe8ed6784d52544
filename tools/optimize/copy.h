/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a copy of a program, in an order of code that a profile suggests. The program itself is not
 * written to: the copy is made under another name, and renamed when it is complete.
 */
#ifndef PROFIL_COPY_H
#define PROFIL_COPY_H

#define COPY_VARIABLES	3

/**
 * copy_find_bolt - find llvm-bolt, the newest version of those that are installed
 * @name: set to its name, to be freed with free(); NULL: no memory
 *
 * Return: 0; -ENOENT: none is installed; -ENOMEM; or -EINTR, as of program_run().
 */
int copy_find_bolt(char **name);

/**
 * copy_by_bolt - let BOLT reorder blocks and functions
 * @bolt:    from copy_find_bolt()
 * @program: path of the program
 * @fdata:   path of its profile, from `profil export --bolt=fdata'
 * @copy:    path of the copy, which is replaced
 * @log:     path of BOLT's output, which is replaced
 *
 * The copy may be read and executed by those who may do so with the program.
 *
 * Return: 0; -EPROTO: BOLT failed, as @log says; -EINTR, as of program_run(); or another -errno.
 */
int copy_by_bolt(const char *bolt, const char *program, const char *fdata, const char *copy,
		 const char *log);

/**
 * copy_by_linker - let the user's own command link the program again
 * @command: for sh -c. The environment variable OUT is the path that it writes
 * @others:  COPY_VARIABLES more variables for it, as NAME=VALUE
 * @copy:    as for copy_by_bolt()
 * @log:     the same
 *
 * Return: as copy_by_bolt().
 */
int copy_by_linker(const char *command, char *const others[COPY_VARIABLES], const char *copy,
		   const char *log);

#endif /* PROFIL_COPY_H */
