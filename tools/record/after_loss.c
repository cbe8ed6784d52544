// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples after a loss of records. /proc tells what a process runs when the log is empty, and the
 * log tells if it has executed something since the sample.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/after_loss.h"
#include "record/mapper.h"
#include "record/openmapped.h"
#include "record/procfs.h"
#include "util/array.h"

/* Most samples that wait; each takes 48 bytes with malloc(). Others are unknown at once. */
#define MOST_WAITING	((size_t)1 << 20)

struct late_sample {
	struct late_sample *next;
	struct profil_record_sample record;
};

bool after_loss_is_uncertain(const struct recording *recording, const struct process *process)
{
	return process->losses != recording->lost_records;
}

/* Make room for a process that waits. Return: 0 or -ENOMEM. */
static int add_waiting(struct recording *recording, pid_t pid)
{
	pid_t *last = array_append(recording->waiting_pids, recording->nr_waiting_pids);

	if (!last)
		return -ENOMEM;
	*last = pid;
	return 0;
}

int after_loss_add(struct recording *recording, struct process *process,
	     const struct profil_record_sample *sample)
{
	struct late_sample *late;

	if (recording->nr_waiting == MOST_WAITING)
		return mapper_count_unknown(recording, process, sample);
	if (!process->late && add_waiting(recording, process->pid))
		return -ENOMEM;
	late = malloc(sizeof(*late));
	if (!late)
		return -ENOMEM;
	late->next = process->late;
	late->record = log_record_without_stack(sample);
	process->late = late;
	recording->nr_waiting++;
	return 0;
}

/* Take a sample out. Return: NULL: no more. */
static struct late_sample *take(struct recording *recording, struct process *process)
{
	struct late_sample *late = process->late;

	if (late) {
		process->late = late->next;
		recording->nr_waiting--;
	}
	return late;
}

static int place(struct recording *recording, struct process *process,
		 const struct profil_record_sample *sample)
{
	const struct mapping *mapping = process->space ? space_find(process->space, sample->pc) :
							 NULL;

	return mapping ? mapper_count(recording, process, mapping, sample) :
			 mapper_count_unknown(recording, process, sample);
}

int after_loss_give_up(struct recording *recording, struct process *process)
{
	struct late_sample *late;
	int error = 0;

	if (!process->late)
		return 0;
	/* what it ran is not known, so its row is not theirs */
	error = process_table_switch(&recording->processes, process, RESULT_UNKNOWN);
	while ((late = take(recording, process))) {
		if (!error)
			error = mapper_count_unknown(recording, process, &late->record);
		free(late);
	}
	return error;
}

/* Replace what is known of a process by what /proc tells. Return: 0 or -errno. */
static int look(struct recording *recording, struct process *process)
{
	const struct result_process *row = process_table_row(&recording->processes, process);
	char path[RESULT_MAX_PATH];
	int error;

	if (!procfs_read_exe(process->pid, path, sizeof(path)))
		return -ESRCH;
	openmapped_strip(path);
	space_clear(process->space);
	error = mapper_read(recording, process);
	if (error)
		return error;
	space_put(process->before);
	process->before = NULL;
	process->losses = recording->lost_records;
	if (!row || !strcmp(row->program, path))
		return 0;
	error = jit_end(&recording->jit, &process->jit);
	return error ? error : process_table_switch(&recording->processes, process, path);
}

static int settle_process(struct recording *recording, struct process *process)
{
	struct late_sample *late;
	int error;

	if (!process->late)
		return 0;
	error = process->space ? look(recording, process) : -ESRCH;
	if (error)
		return error == -ENOMEM ? error : after_loss_give_up(recording, process);
	while ((late = take(recording, process))) {
		if (!error)
			error = place(recording, process, &late->record);
		free(late);
	}
	return error;
}

int after_loss_settle(struct recording *recording)
{
	struct process *process;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < recording->nr_waiting_pids; i++) {
		process = process_table_find(&recording->processes, recording->waiting_pids[i]);
		if (process)
			error = settle_process(recording, process);
	}
	recording->nr_waiting_pids = 0;
	return error;
}

void after_loss_release(struct recording *recording)
{
	struct late_sample *late;
	struct process *process;
	size_t i;

	for (i = 0; i < recording->nr_waiting_pids; i++) {
		process = process_table_find(&recording->processes, recording->waiting_pids[i]);
		while (process && (late = take(recording, process)))
			free(late);
	}
	free(recording->waiting_pids);
}
