/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of a recording, for collect.c. Others use recording.h.
 */
#ifndef PROFIL_RECORDING_STATE_H
#define PROFIL_RECORDING_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "record/files.h"
#include "record/jit.h"
#include "record/process_table.h"
#include "record/sample_hook.h"
#include "record/stacks.h"
#include "record/threads.h"
#include "result/result.h"

#define RECORDING_BUFFER	65536	/* bytes that are read from the log at a time */

/**
 * struct log_contents - what a log contains, in bytes
 * @samples: records of samples
 * @others:  records of programs and mappings
 */
struct log_contents {
	uint64_t samples;
	uint64_t others;
};

/**
 * struct unopened - a process whose mappings were copied, and whose files are not open yet
 * @maps: from procmaps_copy()
 */
struct unopened {
	pid_t pid;
	char *maps;
};

/**
 * struct recording - what the log of a run has told so far
 * @processes:     the processes and their programs
 * @threads:       their threads that have samples
 * @files:         the files that they mapped, and their samples
 * @jit:           samples in code that processes have made
 * @stacks:        call stacks, if records have them
 * @samples:       number of samples
 * @outside:       those that are in no file, at the address 0
 * @lost:          number of samples that did not fit into the log
 * @waiting_pids:  processes with samples that wait (after_loss.h); room for the next power of two
 * @nr_waiting_pids: number of these, some of which may have ended
 * @nr_waiting:    number of records of samples that wait
 * @round:         number of recording_read() calls
 * @lost_records:  number of other records that did not
 * @unread:        what has been read in this call of recording_read(): it was in the log at once
 * @filled:        the sum of @unread over all losses: what the log was full of
 * @limit:         most parts; 0: PART_LIMIT
 * @folded_threads: number of threads that part_limit.c has folded
 * @folded_samples: number of samples that it has moved outside
 * @unprofiled:    programs that must not be sampled
 * @nr_unprofiled: number of these programs
 * @unopened:      for recording_open_files()
 * @nr_unopened:   number of these
 * @nr_unread:     how many processes ended before their mappings were read, or the like
 * @unread_error:  the last reason
 * @watch:         called for each sample (sample_hook.h); NULL: nothing is
 * @buffer:        records that were read; not part of this, as most runs need little of it
 */
struct recording {
	struct process_table processes;
	struct threads threads;
	struct files files;
	struct jit jit;
	struct stacks stacks;
	uint64_t samples;
	struct counts outside;
	uint64_t lost;
	pid_t *waiting_pids;
	size_t nr_waiting_pids;
	size_t nr_waiting;
	unsigned int round;
	uint64_t lost_records;
	struct log_contents unread;
	struct log_contents filled;
	size_t limit;
	uint64_t folded_threads;
	uint64_t folded_samples;
	struct result_unprofiled unprofiled[RESULT_MAX_UNPROFILED];
	size_t nr_unprofiled;
	struct unopened *unopened;
	size_t nr_unopened;
	size_t nr_unread;
	int unread_error;
	sample_hook_fn *watch;
	void *watch_data;
	unsigned char *buffer;
};

#endif /* PROFIL_RECORDING_STATE_H */
