/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading /proc: the user and the command line of a process.
 */
#ifndef PROFIL_PROCFS_H
#define PROFIL_PROCFS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * procfs_read_user - determine the user of a process
 * @pid:  process ID
 * @user: set to its effective user ID
 *
 * Return: false if there is no such process.
 */
bool procfs_read_user(pid_t pid, uid_t *user);

/**
 * procfs_read_command - read the command line of a process
 * @pid: process ID
 *
 * Return: the command and its arguments, terminated by NULL, to be given to
 * procfs_free_command(); NULL: no memory. If the process has none, the only argument is its
 * name in brackets, or its ID if there is no such process.
 */
char **procfs_read_command(pid_t pid);

/**
 * procfs_free_command - free a command line
 * @command: from procfs_read_command()
 */
void procfs_free_command(char **command);

#endif /* PROFIL_PROCFS_H */
