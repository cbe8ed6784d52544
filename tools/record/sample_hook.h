/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording while it is made, for a live view: each new sample, so that sums need not be made
 * anew, and the threads and functions that it belongs to.
 */
#ifndef PROFIL_SAMPLE_HOOK_H
#define PROFIL_SAMPLE_HOOK_H

#include <stdint.h>

#include "record/recording.h"
#include "result/result.h"

struct file;

/**
 * sample_hook_fn - type of a function that gets each sample
 * @file: the file of the code; the substitute FILE_JIT for code that processes have made; NULL:
 *        none (outside all objects)
 * @part: the samples, at a link-time address of @file
 *
 * Return: 0 or -ENOMEM.
 */
typedef int sample_hook_fn(void *data, const struct file *file, const struct result_part *part);

/**
 * sample_hook_set - get each sample when it is counted, so that sums need not be made anew
 * @recording: from recording_new(), without samples
 */
void sample_hook_set(struct recording *recording, sample_hook_fn *watch, void *data);

/**
 * sample_hook_made_fn - type of a function that gets the sums of code that programs have made
 * @program: file name of the program
 * @name:    name of a function; NULL: all code without a name
 * @system:  how many of these are in the kernel
 *
 * Return: 0 or -ENOMEM.
 */
typedef int sample_hook_made_fn(void *data, const char *program, const char *name, uint64_t samples,
			      uint64_t system);

/**
 * sample_hook_list_made - list the functions that programs have made, by their names so far
 * @made:      called for each function, and for each program
 *
 * Return: 0 or -ENOMEM.
 */
int sample_hook_list_made(const struct recording *recording, sample_hook_made_fn *made, void *data);

/* Find the function of a sample in a vdso. Return: its name; NULL: unknown, or in another file. */
const char *sample_hook_find_vdso(const struct recording *recording, const struct file *file,
				  uint64_t address);

/**
 * sample_hook_copy_thread - describe a thread
 * @index:     of the thread in a sample that was watched
 * @thread:    filled in; also on error, its name must be freed with free()
 * @process:   set to its process and program; valid until recording_read(). NULL: it is not listed
 *             any more
 *
 * Return: 0 or -ENOMEM.
 */
int sample_hook_copy_thread(const struct recording *recording, uint32_t index,
			  struct result_thread *thread, const struct result_process **process);

#endif /* PROFIL_SAMPLE_HOOK_H */
