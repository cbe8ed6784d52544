/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading /proc: the user, parent, start, program and command line of a process.
 */
#ifndef PROFIL_PROCFS_H
#define PROFIL_PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Find the process of a thread. Return: its process ID; 0 if there is no such thread. */
pid_t procfs_read_process(pid_t tid);

/**
 * procfs_read_user - determine the user of a process
 * @user: set to its effective user ID
 *
 * Return: false if there is no such process.
 */
bool procfs_read_user(pid_t pid, uid_t *user);

/*
 * Determine the parent of a process. Return: its process ID; 0: there is no such process, or its
 * parent is in another namespace.
 */
pid_t procfs_read_parent(pid_t pid);

/**
 * procfs_each_child - call a function for all child processes of a process
 * @add:  gets @data and the ID of a child; returns 0 or -errno, which ends the calls
 * @data: argument of @add
 *
 * Return: 0, or an error of @add.
 */
int procfs_each_child(pid_t pid, int (*add)(void *data, pid_t child), void *data);

/*
 * Determine the process ID that a process has in its own namespace. Return: that ID; 0: there is no
 * such process.
 */
pid_t procfs_read_inner_pid(pid_t pid);

/*
 * Determine when a process was started. Return: time in seconds since 1970; 0: there is no such
 * process.
 */
int64_t procfs_read_start(pid_t pid);

/**
 * procfs_read_exe - determine the program of a process
 * @path: filled with the path of the file, which is cut if it is longer
 * @room: size of @path in bytes
 *
 * Return: false if there is no such process, or no permission.
 */
bool procfs_read_exe(pid_t pid, char *path, size_t room);

#define PROCFS_PATH	80	/* bytes of a path of procfs_path() */

/**
 * procfs_path - find a file in /proc that shows the memory of a process
 * @name:  its name there, as "maps"
 * @path:  filled in: /proc/PID/NAME; or, as a thread that has ended has no memory, that of another
 *         thread if the first one has ended
 */
void procfs_path(pid_t pid, const char *name, char path[PROCFS_PATH]);

#define PROCFS_THREAD_NAME	64	/* bytes of a thread's name, at most, with the 0 */

/* Determine the name of a thread. Return: false if there is no such thread. */
bool procfs_read_thread_name(pid_t pid, pid_t tid, char name[PROCFS_THREAD_NAME]);

/**
 * procfs_read_thread_cpu - determine the CPU time of a thread
 * @cpu_ns: set to its CPU time so far, in ns; 0: unknown
 *
 * Return: false if there is no such thread, or the kernel has no scheduler statistics.
 */
bool procfs_read_thread_cpu(pid_t pid, pid_t tid, uint64_t *cpu_ns);

/*
 * Read the command line of a process. Return: the command and its arguments, terminated by NULL, to
 * be given to procfs_free_command(); NULL: no memory. If the process has none, the only argument is
 * its name in brackets, or its ID if there is no such process.
 */
char **procfs_read_command(pid_t pid);

/* Free a command line. */
void procfs_free_command(char **command);

#endif /* PROFIL_PROCFS_H */
