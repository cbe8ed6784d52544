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
	if (!stacks->nr)
		stacks->end = &stacks->first;
	*stacks->end = late;
	stacks->end = &late->next;
	stacks->nr++;
	stacks->bytes += bytes;
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
	FILE *out = NULL;
	int error = 0;

	/* another helper may have written a part of it */
	if (unwinder && !ftruncate(work->fd, 0) && !lseek(work->fd, 0, SEEK_SET))
		out = fdopen(work->fd, "w");
	if (!out)
		error = ENOMEM;
	for (late = work->stacks->first; !error && late; late = late->next) {
		error = -unwind(unwinder, late->space, &late->record);
		if (!error && !write_frames(out, unwinder))
			error = EIO;
	}
	if (out && fflush(out) && !error)
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

/* Return: what a helper has found out, to free(), and its length; NULL: nothing. */
static unsigned char *run_helper(const struct stacks *stacks, const struct files *files,
				 size_t *bytes)
{
	struct work work = { stacks, files, helper_file() };
	struct helper helper = { 0 };
	unsigned char *found = NULL;

	*bytes = 0;
	if (work.fd < 0)
		return NULL;
	if (!helper_run(&helper, &(struct helper_work){
		.run = unwind_all, .data = &work, .seconds = HELPER_SECONDS, .is_bounded = true,
	}))
		found = helper_read(work.fd, bytes);
	close(work.fd);
	return found;
}

static void drop(struct stacks *stacks)
{
	struct late_stack *late = stacks->first;

	stacks->first = late->next;
	stacks->nr--;
	space_put(late->space);
	free(late);
}

int stacks_settle(struct stacks *stacks, const struct files *files)
{
	const unsigned char *at, *end;
	struct unwinder *none;
	unsigned char *found;
	size_t bytes;
	int error = 0;

	if (!stacks->nr)
		return 0;
	none = unwinder_new(files);
	if (!none)
		return -ENOMEM;
	found = run_helper(stacks, files, &bytes);
	at = found;
	end = found + bytes;
	for (; stacks->nr; drop(stacks)) {
		const struct late_stack *late = stacks->first;
		const struct unwind_frame *frames;
		size_t nr;

		frames = at ? take(&at, end, files, &nr) : NULL;
		if (!frames) {
			at = NULL;
			unwind_none(none, late->space, late->record.sample.pc);
			frames = none->frames;
			nr = none->nr_frames;
		}
		if (!error)
			error = stack_tree_add(&stacks->tree, frames, nr, &late->part);
	}
	stacks->bytes = 0;
	free(found);
	unwinder_free(none);
	return error;
}

void stacks_release(struct stacks *stacks)
{
	while (stacks->nr)
		drop(stacks);
	stack_tree_release(&stacks->tree);
	memset(stacks, 0, sizeof(*stacks));
}
