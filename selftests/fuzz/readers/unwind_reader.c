// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the unwinder: the unwind information of a file, and the words of a stack. The input is an
 * ELF file, and the first pc and the step to the next ones. Most of the code is elfutils'; the
 * backtrace shows whether an error is there.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <record/files.h>
#include <record/spaces.h>
#include <record/unwind.h>

#define BASE		0x10000000	/* where the file is mapped, from its first byte on */
#define STACK		0x7ffd00000000
#define MAX_PCS		32
#define MAX_WORDS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void __wrap_cfi_open_vdso(struct cfi *cfi);

/* That of this machine */
void __wrap_cfi_open_vdso(struct cfi *cfi)
{
	(void)cfi;
}

/* Return addresses, frames and what is left out, in an order that depends on the pc */
static void fill(struct profil_record_stack *stack, uint64_t start, uint64_t step, uint64_t number)
{
	unsigned int i;

	memset(stack, 0, sizeof(*stack));
	stack->sample.pc = BASE + start + number * step;
	stack->nr_words = MAX_WORDS;
	stack->seen_bytes = 2 * MAX_WORDS * 8;
	stack->flags = number % 3 ? PROFIL_STACK_CUT : 0;
	for (i = 0; i < PROFIL_STACK_REGS; i++)
		stack->regs[i] = STACK + 8 * (number + i);
	stack->regs[PROFIL_STACK_RSP] = STACK;
	for (i = 0; i < MAX_WORDS; i++) {
		const uint64_t pc = BASE + start + (number * 7 + i) % MAX_PCS * step;
		const uint64_t word = (number + i) % 3 ? pc : STACK + (i + 2) * 8;

		stack->words[i] = PROFIL_STACK_VALUE(word) | (uint64_t)(i % 2) << 48;
	}
}

static void check(const struct unwinder *unwinder, const struct file *file)
{
	const struct unwind_frame *last = &unwinder->frames[unwinder->nr_frames - 1];
	size_t i;

	if (!unwinder->nr_frames || unwinder->nr_frames > UNWIND_MOST)
		abort();
	for (i = 0; i < unwinder->nr_frames - 1; i++)
		if (unwinder->frames[i].file != file->number &&
		    (i || unwinder->frames[i].address != RESULT_STACK_OUTSIDE))
			abort();
	if (last->file == UNWIND_NO_FILE ? last->address >= RESULT_NR_STACK :
					   last->file != file->number)
		abort();
}

static void unwind_all(int fd, size_t size, uint64_t start, uint64_t step)
{
	static union {
		struct profil_record_stack stack;
		unsigned char bytes[sizeof(struct profil_record_stack) + MAX_WORDS * 8];
	} record;
	struct files files;
	struct file file = { .path = "/program", .is_read = true };
	const struct mapping mapping = { BASE, BASE + size, 0, &file };
	struct space *space = space_new();
	struct unwinder *unwinder;
	uint64_t i;

	files_init(&files);
	file.number = files.last->number + 1;
	file.next = files.last;
	files.last = &file;
	files.kept.files[0] = (struct held_file){ &file, fd };
	files.kept.nr = 1;
	unwinder = unwinder_new(&files);
	if (!space || !unwinder || space_map(space, &mapping))
		abort();
	for (i = 0; i < MAX_PCS; i++) {
		fill(&record.stack, start, step, i);
		if (unwind(unwinder, space, &record.stack))
			abort();
		check(unwinder, &file);
	}
	unwinder_free(unwinder);
	space_put(space);
	files.last = file.next;
	files.kept.nr = 0;
	files_release(&files);
}

/* The 16 bytes after the file are the first pc, from its first byte on, and the step. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t start, step;
	int fd;

	if (size <= sizeof(start) + sizeof(step))
		return 0;
	size -= sizeof(start) + sizeof(step);
	memcpy(&start, data + size, sizeof(start));
	memcpy(&step, data + size + sizeof(start), sizeof(step));
	fd = memfd_create("object", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	unwind_all(fd, size, start % size, step % size);
	close(fd);
	return 0;
}
