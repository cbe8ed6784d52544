/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading /proc: the state, program and children of a process.
 */
#ifndef PROFIL_PROCFS_H
#define PROFIL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct procfs_stat - fields of /proc/PID/stat
 * @comm:    name of the process
 * @state:   'Z' and 'X' for a process that has ended
 * @threads: number of threads
 * @birth:   start time, which distinguishes it from an earlier process with the same ID
 * @stack:   start of its stack, which differs after exec; 0 if the reader has no permission
 */
struct procfs_stat {
	char comm[17];
	char state;
	unsigned int threads;
	unsigned long long birth;
	unsigned long long stack;
};

/**
 * procfs_read_stat - read the state of a process
 * @pid:  process ID
 * @stat: filled in
 *
 * Return: false if there is no such process.
 */
bool procfs_read_stat(pid_t pid, struct procfs_stat *stat);

/**
 * procfs_has_library - check whether a process has loaded a library
 * @pid:  process ID
 * @name: end of the library's path, as "/libc.so.6"
 */
bool procfs_has_library(pid_t pid, const char *name);

/**
 * procfs_read_exe - find the program of a process
 * @pid: process ID
 *
 * Return: path of the file, to be freed with free(); NULL: no permission, or no memory.
 */
char *procfs_read_exe(pid_t pid);

/**
 * struct procfs_list - a list of processes; zero if empty
 * @pids: process IDs, to be freed with free()
 * @nr:   number of processes
 * @room: size of @pids
 */
struct procfs_list {
	pid_t *pids;
	size_t nr;
	size_t room;
};

/* Add a process to a list. If there is no memory, it is left out. */
void procfs_list_add(struct procfs_list *list, pid_t pid);

/**
 * procfs_list_add_children - add the children of a process to a list
 * @list:    gets the children of all threads; none without CONFIG_PROC_CHILDREN
 * @pid:     process ID
 * @threads: number of its threads
 */
void procfs_list_add_children(struct procfs_list *list, pid_t pid, unsigned int threads);

#endif /* PROFIL_PROCFS_H */
