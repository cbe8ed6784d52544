/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program that a command is, looked at before it runs: whether the dynamic linker
 * will load libprofil-run.so into it, and if not, why.
 */
#ifndef PROFIL_TARGET_H
#define PROFIL_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * enum target_problem - what keeps a program from being profiled
 * @TARGET_OK:          nothing that its file shows
 * @TARGET_STATIC:        it has no dynamic linker
 * @TARGET_OTHER_USER:    set-user-ID, of another user than the caller
 * @TARGET_OTHER_GROUP:   set-group-ID, of another group than the caller's
 * @TARGET_CAPABILITIES:  its file has capabilities, and the caller is not root
 * @TARGET_OTHER_WIDTH:   for the machine's other word size
 * @TARGET_OTHER_MACHINE: for another machine
 * @TARGET_OTHER_LINKER:  its dynamic linker is another, and so its C library
 * @TARGET_NO_LINKER:     what is to start it, dynamic linker or interpreter, is missing
 * @TARGET_UNREADABLE:    not known, as the caller may execute its file but not read it.
 *                        A dynamic one is profiled, without names
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
 * struct target - the program that a command is
 * @problem: what keeps it from being profiled
 * @command: as it was given
 * @path:    the program's file: of a script, that of its interpreter; NULL: there is none
 * @linker:  what is to start it, where it is that which is wrong; else NULL
 * @machine: for which it is, as in its ELF header
 * @owner:   of its file
 * @group:   of its file
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
 * target_examine - look at the program that a command is
 * @target:  filled in; to be given to target_release() whatever comes back
 * @command: its name, as for execvp(3): looked for in PATH; must outlive the target
 *
 * Scripts are followed to their interpreter as the kernel does. What cannot be executed
 * at all has no problem of ours: whoever tries will hear why. A security module
 * may keep the library out of a program whose file does not show it.
 *
 * Return: 0 or -ENOMEM.
 */
int target_examine(struct target *target, const char *command);

/**
 * target_explain - what keeps a program from being profiled, in words
 * @target: from target_examine()
 *
 * Return: a sentence which names the file, the reason and the next step, to free();
 * NULL: there is no problem, or no memory. That of TARGET_UNREADABLE is for a program that
 * had no profile, the others hold before it runs.
 */
char *target_explain(const struct target *target);

/**
 * target_takes_library - whether libprofil-run.so does no harm in a program's LD_PRELOAD
 * @target: from target_examine()
 *
 * What is static or runs with others' rights takes no notice of it, and may start programs
 * that are to be profiled. But another C library's linker ends the program for it, and that
 * of the other word size complains.
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
