// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stacks of a recording.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/stacks.h"
#include "record/unwind.h"
#include "util/helper.h"

#define HELPER_SECONDS	600	/* the bounds of what it reads are CPU time, and are lower */

/* A stack that waits */
struct late_stack {
	struct late_stack *next;
	struct space *space;
	struct result_part part;
	struct profil_record_stack record;
};

/* Copy a record. Return: NULL: no memory. */
static struct late_stack *copy(const struct profil_record_sample *sample, size_t *bytes)
{
	const bool has_stack = sample->head.type == PROFIL_RECORD_STACK;
	const struct profil_record_stack *from = (const void *)sample;
	const size_t words = has_stack ? from->nr_words * sizeof(from->words[0]) : 0;
	struct late_stack *late;

	*bytes = sizeof(*late) + words;
	late = calloc(1, *bytes);
	if (!late)
		return NULL;
	memcpy(&late->record, sample, has_stack ? sizeof(*from) + words : sizeof(*sample));
	return late;
}

int stacks_add(struct stacks *stacks, struct space *space,
	       const struct profil_record_sample *sample, const struct result_part *part)
{
	struct late_stacks *waiting = &stacks->waiting;
	struct late_stack *late;
	size_t bytes;

	if (!stacks->is_used)
		return 0;
	late = copy(sample, &bytes);
	if (!late)
		return -ENOMEM;
	late->part = *part;
	/* what the process maps from now on is not there */
	late->space = space ? space_fork(space) : NULL;
	if (space && !late->space) {
		free(late);
		return -ENOMEM;
	}
	if (!waiting->nr)
		waiting->end = &waiting->first;
	*waiting->end = late;
	waiting->end = &late->next;
	waiting->nr++;
	waiting->bytes += bytes;
	return 0;
}

/* --- in the helper ------------------------------------------------------------------ */

/* What the helper knows */
struct work {
	const struct stacks *stacks;
	const struct files *files;
	int fd;
};

/* For each stack, the number of its frames, and the frames */
static bool write_frames(FILE *out, const struct unwinder *unwinder)
{
	const uint64_t nr = unwinder->nr_frames;

	return fwrite(&nr, sizeof(nr), 1, out) == 1 &&
	       fwrite(unwinder->frames, sizeof(unwinder->frames[0]), nr, out) == nr;
}

/* Return: 0 or an errno. */
static int unwind_all(void *data)
{
	const struct work *work = data;
	struct unwinder *unwinder = unwinder_new(work->files);
	const struct late_stack *late;
	const int fd = dup(work->fd);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int error = unwinder && out ? 0 : ENOMEM;

	/* another helper may have written a part of it */
	if (!error && (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET)))
		error = EIO;
	for (late = work->stacks->batch.first; !error && late; late = late->next) {
		error = -unwind(unwinder, late->space, &late->record);
		if (!error && !write_frames(out, unwinder))
			error = EIO;
	}
	if (out && fclose(out) && !error)
		error = EIO;
	unwinder_free(unwinder);
	return error;
}

/* --- in this process ---------------------------------------------------------------- */

/* What a helper has written may be anything, as a file may have taken it over. */
static bool are_frames(const struct unwind_frame *frames, size_t nr, const struct files *files)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (frames[i].file == UNWIND_NO_FILE ?
		    frames[i].address >= RESULT_NR_STACK : frames[i].file > files->last->number)
			return false;
	return true;
}

/* Take the frames of a stack from what a helper has written. Return: NULL: there are none. */
static const struct unwind_frame *take(const unsigned char **at, const unsigned char *end,
				       const struct files *files, size_t *nr)
{
	const struct unwind_frame *frames;
	uint64_t length;

	if ((size_t)(end - *at) < sizeof(length))
		return NULL;
	memcpy(&length, *at, sizeof(length));
	*at += sizeof(length);
	if (!length || length > (size_t)(end - *at) / sizeof(*frames))
		return NULL;
	frames = (const void *)*at;
	*at += length * sizeof(*frames);
	*nr = length;
	return are_frames(frames, length, files) ? frames : NULL;
}

static void drop(struct late_stacks *stacks)
{
	struct late_stack *late = stacks->first;

	stacks->first = late->next;
	stacks->nr--;
	space_put(late->space);
	free(late);
}

/* Start a helper for the batch. Return: whether there is one. */
static bool start(struct stacks *stacks, const struct files *files)
{
	struct work work = { stacks, files, stacks->found };

	return stacks->found >= 0 && !helper_start(&stacks->helper, &(struct helper_work){
		.run = unwind_all, .data = &work, .closes = stacks->log,
		.seconds = HELPER_SECONDS, .is_beside = true, .is_bounded = true,
	});
}

/* What waits is the batch now, for which a helper is started if possible. */
static void begin(struct stacks *stacks, const struct files *files)
{
	stacks->batch = stacks->waiting;
	memset(&stacks->waiting, 0, sizeof(stacks->waiting));
	stacks->found = helper_file();
	if (!start(stacks, files))
		stacks->helper.error = -EAGAIN;
}

/* Return: what a helper has found out, to free(), and its length; NULL: nothing. */
static unsigned char *read_found(struct stacks *stacks, size_t *bytes)
{
	unsigned char *found = NULL;

	*bytes = 0;
	if (!stacks->helper.error && !stacks->helper.killer)
		found = helper_read(stacks->found, bytes);
	if (stacks->found >= 0)
		close(stacks->found);
	return found;
}

/* Add the stacks of the batch to the tree. Return: 0 or -ENOMEM. */
static int finish(struct stacks *stacks, const struct files *files)
{
	struct unwinder *none = unwinder_new(files);
	const unsigned char *at, *end;
	unsigned char *found;
	size_t bytes;
	int error = none ? 0 : -ENOMEM;

	found = read_found(stacks, &bytes);
	at = found;
	end = found + bytes;
	for (; stacks->batch.nr; drop(&stacks->batch)) {
		const struct late_stack *late = stacks->batch.first;
		const struct unwind_frame *frames;
		size_t nr;

		if (error)
			continue;
		frames = at ? take(&at, end, files, &nr) : NULL;
		if (!frames) {
			at = NULL;
			unwind_none(none, late->space, late->record.sample.pc);
			frames = none->frames;
			nr = none->nr_frames;
		}
		error = stack_tree_add(&stacks->tree, frames, nr, &late->part);
	}
	free(found);
	unwinder_free(none);
	return error;
}

int stacks_settle(struct stacks *stacks, const struct files *files, bool wait)
{
	int error = 0;

	wait |= stacks->waiting.bytes >= STACKS_MOST_BYTES;
	while (!error) {
		if (stacks->batch.nr) {
			if (!helper_has_ended(&stacks->helper, wait))
				break;
			/* without the file at which it was killed */
			if (stacks->helper.is_to_repeat && start(stacks, files))
				continue;
			error = finish(stacks, files);
		}
		if (error || !stacks->waiting.nr ||
		    (!wait && stacks->waiting.bytes < STACKS_WAIT_BYTES))
			break;
		begin(stacks, files);
	}
	return error;
}

void stacks_release(struct stacks *stacks)
{
	helper_kill(&stacks->helper);
	if (stacks->batch.nr && stacks->found >= 0)
		close(stacks->found);
	while (stacks->batch.nr)
		drop(&stacks->batch);
	while (stacks->waiting.nr)
		drop(&stacks->waiting);
	stack_tree_release(&stacks->tree);
	memset(stacks, 0, sizeof(*stacks));
}
