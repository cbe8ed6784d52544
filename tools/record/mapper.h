/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_MAPPER_H
#define PROFIL_MAPPER_H

#include "record/procmaps.h"
#include "record/recording_state.h"

/**
 * mapper_add - add a mapping
 * @process:   a process that may be sampled
 * @key:       identifies its file, if it has one
 *
 * Return: its file or substitute; NULL: no memory.
 */
struct file *mapper_add(struct recording *recording, struct process *process,
			const struct procmaps_entry *entry, const struct file_key *key);

/**
 * mapper_enter - add the mappings that a process had
 * @process:   a process that may be sampled
 * @maps:      from procmaps_copy(); changed
 *
 * Return: 0 or -ENOMEM.
 */
int mapper_enter(struct recording *recording, struct process *process, char *maps);

/**
 * mapper_read - add all mappings that a process has now
 * @process:   a process that may be sampled
 *
 * Mappings that it has no more stay.
 *
 * Return: 0; -ESRCH: it has ended; or -errno.
 */
int mapper_read(struct recording *recording, struct process *process);

/**
 * mapper_count - count samples
 * @mapping:   of it, with the pc; NULL: the pc is outside all of them
 *
 * Return: 0 or -ENOMEM.
 */
int mapper_count(struct recording *recording, struct process *process,
		 const struct mapping *mapping, const struct profil_record_sample *sample);

/* Count samples in code that is not known. Return: 0 or -ENOMEM. */
int mapper_count_unknown(struct recording *recording, struct process *process,
			 const struct profil_record_sample *sample);

#endif /* PROFIL_MAPPER_H */
