/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The target, the program that the command executes: whether the dynamic linker will load
 * libprofil-run.so into it, and if not, why. Its file is examined before it runs.
 */
#ifndef PROFIL_TARGET_H
#define PROFIL_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * enum target_problem - why a program cannot be profiled
 * @TARGET_OK:            no reason found in its file
 * @TARGET_STATIC:        it has no dynamic linker
 * @TARGET_OTHER_USER:    set-user-ID, and the owner is not the caller
 * @TARGET_OTHER_GROUP:   set-group-ID, and the group is not the caller's
 * @TARGET_CAPABILITIES:  its file has capabilities, and the caller is not root
 * @TARGET_OTHER_WIDTH:   for the other word size of this machine
 * @TARGET_OTHER_MACHINE: for another machine
 * @TARGET_OTHER_LINKER:  for another dynamic linker, and so for another C library
 * @TARGET_NO_LINKER:     its dynamic linker or interpreter is missing
 * @TARGET_UNREADABLE:    unknown: the caller may execute its file but not read it. If it is
 *                        dynamic, it is profiled, without names of functions
 */
enum target_problem {
	TARGET_OK,
	TARGET_STATIC,
	TARGET_OTHER_USER,
	TARGET_OTHER_GROUP,
	TARGET_CAPABILITIES,
	TARGET_OTHER_WIDTH,
	TARGET_OTHER_MACHINE,
	TARGET_OTHER_LINKER,
	TARGET_NO_LINKER,
	TARGET_UNREADABLE,
};

/**
 * struct target - the program that a command executes
 * @problem: why it cannot be profiled
 * @command: the command as the user gave it
 * @path:    the program's file; for a script, that of its interpreter; NULL: none
 * @linker:  its dynamic linker or interpreter, if that is the problem; else NULL
 * @machine: machine that it is for, as in its ELF header
 * @owner:   owner of its file
 * @group:   group of its file
 */
struct target {
	enum target_problem problem;
	const char *command;
	char *path;
	char *linker;
	unsigned int machine;
	uid_t owner;
	gid_t group;
};

/**
 * target_examine - examine the program that a command executes
 * @target:  filled in; must be released with target_release(), even on error
 * @command: its name, as for execvp(3), which searches PATH; must outlive the target
 *
 * Scripts are followed to their interpreter, as the kernel does. If a file cannot be executed
 * at all, no problem is reported: exec will. The library may also be refused by a security
 * module, which the file does not show.
 *
 * Return: 0 or -ENOMEM.
 */
int target_examine(struct target *target, const char *command);

/**
 * target_explain - describe why a program cannot be profiled
 * @target: from target_examine()
 *
 * Return: a sentence with the file, the reason and a remedy, to be freed with free(); NULL: no
 * problem, or no memory. The sentence for TARGET_UNREADABLE is for after a run without a
 * profile; the others are also true before the run.
 */
char *target_explain(const struct target *target);

/**
 * target_takes_library - check whether libprofil-run.so may be in a program's LD_PRELOAD
 * @target: from target_examine()
 *
 * Static and set-user-ID programs ignore LD_PRELOAD, but may execute programs that can be
 * profiled. The dynamic linker of another C library cannot load the library and exits; the one
 * for the other word size prints an error.
 *
 * Return: false if it must not be there.
 */
bool target_takes_library(const struct target *target);

/**
 * target_release - free what target_examine() allocated
 * @target: from target_examine()
 */
void target_release(struct target *target);

#endif /* PROFIL_TARGET_H */
