// SPDX-License-Identifier: GPL-2.0-only
/*
 * unwind_points FILE...: unwinds the stops of programs that ../host/unwind_points.py has written,
 * from the words that the kernel would keep, and compares the frames with gdb's.
 *
 * Prints a line for each file. Exit status: 0; 1 if a frame differs, or fewer than 99 % are
 * complete.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/unwind.h>
#include <result/stacks.h>

#include "support/mapped.h"

#define MAGIC	0x50465451

/* In front of each stop: sizes of what follows */
struct head {
	uint32_t magic;
	uint32_t maps;		/* bytes of /proc/PID/maps; 0: as before */
	uint32_t words;		/* of the stack */
	uint32_t pcs;		/* of gdb's frames */
};

struct sums {
	unsigned int points;
	unsigned int equal;	/* each frame, and so many */
	unsigned int longer;	/* gdb has more, where this one says that it is complete */
	unsigned int different;
	unsigned int complete;
	unsigned int why[RESULT_NR_STACK];
	unsigned long frames;
	size_t bytes;
};

static void read_maps(struct mapped *program, char *text)
{
	struct procmaps_entry entry;
	char *line;

	space_put(program->space);
	program->space = space_new();
	while ((line = strsep(&text, "\n")))
		if (procmaps_parse(line, &entry) && mapped_add(program, &entry))
			errx(2, "no memory");
}

/* A pc of gdb in the form of a frame; it is a return address unless it is the first. */
static struct unwind_frame frame_of(struct mapped *program, uint64_t pc)
{
	const struct mapping *mapping = space_find(program->space, pc);

	if (!mapping)
		return (struct unwind_frame){ .file = UNWIND_NO_FILE };
	if (mapping->file->number == FILE_JIT)
		return (struct unwind_frame){ .file = FILE_JIT };
	return (struct unwind_frame){
		.file = (uint32_t)mapping->file->number,
		.address = file_address(mapping->file, mapping->offset + (pc - mapping->start)),
	};
}

/* A frame that was interrupted by a signal has its pc, others that of the byte before. */
static bool is_frame(struct mapped *program, const struct unwind_frame *frame, uint64_t pc)
{
	struct unwind_frame exact = frame_of(program, pc), before = frame_of(program, pc - 1);

	return (frame->file == exact.file && frame->address == exact.address) ||
	       (frame->file == before.file && frame->address == before.address);
}

static void compare(struct mapped *program, struct sums *sums, struct unwinder *unwinder,
		    const uint64_t *pcs, size_t nr)
{
	const struct unwind_frame *frames = unwinder->frames;
	size_t nr_frames = unwinder->nr_frames, same = 0;
	enum result_stack why = RESULT_STACK_COMPLETE;

	if (frames[nr_frames - 1].file == UNWIND_NO_FILE &&
	    frames[nr_frames - 1].address < RESULT_STACK_FRAMES)
		why = (enum result_stack)frames[--nr_frames].address;
	while (same < nr_frames && same < nr && is_frame(program, &frames[same], pcs[same]))
		same++;
	sums->points++;
	sums->frames += nr_frames;
	sums->why[why]++;
	sums->complete += !why;
	sums->equal += same == nr_frames && same == nr;
	sums->longer += same == nr_frames && same < nr;
	if (same < nr_frames && same < nr) {
		sums->different++;
		printf("  point %u differs at frame %zu of %zu: %" PRIu32 " %#" PRIx64,
		       sums->points, same, nr_frames, frames[same].file, frames[same].address);
		printf(", gdb %#" PRIx64 " of %zu\n", pcs[same], nr);
	} else if (getenv("SHOW") && (nr != nr_frames || why)) {
		printf("  point %u: %zu frames, gdb %zu: %s\n", sums->points, nr_frames, nr,
		       result_stack_name(why));
	}
}

static void *read_all(FILE *file, size_t bytes)
{
	void *to = malloc(bytes + 1);

	if (!to || fread(to, 1, bytes, file) != bytes)
		errx(2, "the file of stops is cut");
	((char *)to)[bytes] = 0;
	return to;
}

/* Return: whether there was one. */
static bool read_point(FILE *file, struct mapped *program, struct unwinder **unwinder,
		       struct sums *sums)
{
	static union sieve_record record;
	uint64_t *regs, *words, *pcs;
	struct head head;
	char *maps;

	if (fread(&head, sizeof(head), 1, file) != 1)
		return false;
	if (head.magic != MAGIC)
		errx(2, "not a file of stops");
	maps = read_all(file, head.maps);
	regs = read_all(file, 17 * sizeof(*regs));
	words = read_all(file, head.words * sizeof(*words));
	pcs = read_all(file, head.pcs * sizeof(*pcs));
	if (head.maps) {
		read_maps(program, maps);
		unwinder_free(*unwinder);
		*unwinder = unwinder_new(&program->files);
	}
	sieve_fill(&record, &program->text, regs, words, head.words);
	sums->bytes += record.stack.sample.head.bytes;
	if (unwind(*unwinder, program->space, &record.stack))
		errx(2, "no memory");
	compare(program, sums, *unwinder, pcs, head.pcs);
	free(maps);
	free(regs);
	free(words);
	free(pcs);
	return true;
}

static bool check(const char *path)
{
	struct mapped program = { 0 };
	struct unwinder *unwinder = NULL;
	struct sums sums = { 0 };
	FILE *file = fopen(path, "re");
	size_t i;

	if (!file)
		err(2, "%s", path);
	files_init(&program.files);
	while (read_point(file, &program, &unwinder, &sums))
		;
	fclose(file);
	printf("%s: %u stops, %.1f frames: equal to gdb %u, gdb goes on %u, different %u; ", path,
	       sums.points, sums.points ? (double)sums.frames / sums.points : 0, sums.equal,
	       sums.longer, sums.different);
	printf("complete %u; %zu bytes a record", sums.complete,
	       sums.points ? sums.bytes / sums.points : 0);
	for (i = 1; i < RESULT_NR_STACK; i++)
		if (sums.why[i])
			printf("; %u %s", sums.why[i], result_stack_name((enum result_stack)i));
	putchar('\n');
	unwinder_free(unwinder);
	space_put(program.space);
	files_release(&program.files);
	return sums.points && !sums.different && sums.complete * 100 >= sums.points * 99;
}

int main(int argc, char **argv)
{
	bool is_good = argc > 1;
	int i;

	for (i = 1; i < argc; i++)
		is_good &= check(argv[i]);
	return !is_good;
}
