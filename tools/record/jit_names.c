// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of code that a process has made. A file may say millions of times that all addresses
 * are one function, so addresses that have a name are skipped: @next leads to the next one that
 * has none, and paths in it are halved as they are followed.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "record/jit_names.h"
#include "result/result.h"
#include "util/array.h"

#define MAX_TEXT	((size_t)64 << 20)	/* for all names of a process */

int jit_names_new(struct jit_names *names, size_t nr)
{
	const size_t each = sizeof(*names->of) + sizeof(*names->next) + RESULT_MAX_NAME;
	const size_t table = nr * (sizeof(*names->of) + sizeof(*names->next)) +
			     sizeof(*names->next);
	char *memory;
	size_t i;

	if (nr > SIZE_MAX / 2 / each)
		return -ENOMEM;
	*names = (struct jit_names){ .nr = nr, .left = nr };
	names->room = nr * RESULT_MAX_NAME < MAX_TEXT ? nr * RESULT_MAX_NAME : MAX_TEXT;
	names->bytes = table + names->room;
	/* pages that no name needs are not allocated */
	memory = mmap(NULL, names->bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	names->of = (void *)memory;
	names->next = (void *)(names->of + nr);
	names->text = memory + table;
	for (i = 0; i <= nr; i++)
		names->next[i] = i;
	return 0;
}

/* Return: the first address from @i on that has no name; @names->nr: none. */
static size_t find_nameless(struct jit_names *names, size_t i)
{
	while (names->next[i] != i) {
		names->next[i] = names->next[names->next[i]];
		i = names->next[i];
	}
	return i;
}

/* Return: the first address that is @pc or above. */
static size_t find_address(const struct jit_names *names, uint64_t pc)
{
	return array_first_not(names->nr, i, names->of[i].pc < pc);
}

/* Return: a copy of the name; NULL: there is no room. */
static const char *keep_name(struct jit_names *names, const char *name, size_t length)
{
	char *copy = names->text + names->used;

	if (length >= names->room - names->used)
		return NULL;
	memcpy(copy, name, length);
	copy[length] = 0;
	names->used += length + 1;
	return copy;
}

/* Whether an address without a name is in a function. @i: from find_nameless() */
static bool is_within(const struct jit_names *names, size_t i, uint64_t start, uint64_t bytes)
{
	return i < names->nr && names->of[i].pc - start < bytes;
}

bool jit_names_wants(struct jit_names *names, uint64_t start, uint64_t bytes)
{
	return is_within(names, find_nameless(names, find_address(names, start)), start, bytes);
}

void jit_names_add(struct jit_names *names, uint64_t start, uint64_t bytes, const char *name,
		   size_t length)
{
	const char *copy = NULL;
	size_t i;

	length = strnlen(name, length);
	if (length > RESULT_MAX_NAME - 1)
		length = RESULT_MAX_NAME - 1;
	i = find_nameless(names, find_address(names, start));
	for (; length && is_within(names, i, start, bytes); i = find_nameless(names, i)) {
		if (!copy)
			copy = keep_name(names, name, length);
		if (!copy)
			return;
		names->of[i].start = start;
		names->of[i].name = copy;
		names->next[i] = i + 1;
		names->left--;
	}
}

void jit_names_release(struct jit_names *names)
{
	if (names->of)
		munmap(names->of, names->bytes);
	memset(names, 0, sizeof(*names));
}
