/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples after a loss of records. A lost record may have told that a process runs another
 * program: its samples wait until the log is empty. Then /proc tells what it runs.
 */
#ifndef PROFIL_AFTER_LOSS_H
#define PROFIL_AFTER_LOSS_H

#include <stdbool.h>

#include "record/log_record.h"
#include "record/recording_state.h"

/*
 * Whether records of a process may have been lost. Return: true from a loss on, until the process
 * executes a program, or /proc has been read.
 */
bool after_loss_is_uncertain(const struct recording *recording, const struct process *process);

/**
 * after_loss_add - let a sample wait
 * @process:   a process that is uncertain
 *
 * Return: 0 or -ENOMEM.
 */
int after_loss_add(struct recording *recording, struct process *process,
	     const struct profil_record_sample *sample);

/**
 * after_loss_give_up - count the samples of a process that wait as unknown
 * @process:   any process. It executes another program now, or has ended
 *
 * Return: 0 or -ENOMEM.
 */
int after_loss_give_up(struct recording *recording, struct process *process);

/*
 * Place the samples that wait, as the log is empty. A process that cannot be looked at has ended,
 * so that its samples are unknown. Return: 0 or -ENOMEM.
 */
int after_loss_settle(struct recording *recording);

/**
 * after_loss_release - free the memory
 * @recording: the recording, of which no result will be made
 */
void after_loss_release(struct recording *recording);

#endif /* PROFIL_AFTER_LOSS_H */
