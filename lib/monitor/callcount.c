// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts function calls, in cells of the monitor() buffer.
 *
 * A hash table has an entry for each address that mcount() was called from. Entries are added
 * at the head of a chain by compare-and-exchange, and are never removed, so that threads and
 * signal handlers need no lock. A cell holds the count; an entry gets one at the first call of its
 * function, and another at the first call after a reset. If two threads race, both take a cell,
 * and one cell stays unused.
 *
 * Memory comes from chunks that are mapped on demand, by a system call: malloc() may be the
 * function that is being counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "monitor/callcount.h"

#define CHAIN_BITS	13
#define CHAINS		(1U << CHAIN_BITS)
#define CHUNK_BYTES	((size_t)64 << 10)

#ifdef SYS_mmap2
#define MMAP		SYS_mmap2
#else
#define MMAP		SYS_mmap
#endif

struct entry {
	struct entry *next;
	uintptr_t pc;
	_Atomic(struct profil_callcount_cell *) cell;
};

/* Cells of a monitor() buffer */
struct buffer_cells {
	struct profil_callcount_cell *cells;
	size_t nr;
	atomic_size_t used;	/* may exceed nr when all are in use */
};

struct chunk {
	atomic_size_t used;	/* bytes, including this structure */
};

static _Atomic(struct entry *) chains[CHAINS];
static _Atomic(struct buffer_cells *) buffer_cells;
static _Atomic(struct chunk *) chunk;
static atomic_bool enabled;
static atomic_ulong missed;	/* calls that were not counted */

static struct chunk *map_chunk(void)
{
	int saved = errno;
	long memory = syscall(MMAP, NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	if (memory == -1)
		return NULL;
	((struct chunk *)memory)->used = sizeof(struct chunk);
	return (struct chunk *)memory;
}

/* Return: zeroed memory that is never freed, or NULL. bytes: a multiple of a pointer's size. */
static void *take_memory(size_t bytes)
{
	struct chunk *current = atomic_load(&chunk), *fresh;
	size_t at;

	for (;;) {
		if (current) {
			at = atomic_fetch_add(&current->used, bytes);
			if (at + bytes <= CHUNK_BYTES)
				return (char *)current + at;
		}
		fresh = map_chunk();
		if (!fresh)
			return NULL;
		if (atomic_compare_exchange_strong(&chunk, &current, fresh))
			current = fresh;
		else
			syscall(SYS_munmap, fresh, CHUNK_BYTES);
	}
}

static _Atomic(struct entry *) *chain_of(uintptr_t pc)
{
	/* multiplicative hash: 2^64 divided by the golden ratio */
	return &chains[(pc * 0x9e3779b97f4a7c15ULL) >> (64 - CHAIN_BITS)];
}

/* Search a chain from @entry to before @end. */
static struct entry *search(struct entry *entry, const struct entry *end, uintptr_t pc)
{
	for (; entry != end; entry = entry->next)
		if (entry->pc == pc)
			return entry;
	return NULL;
}

/* seen: head of the chain that has been searched without success. Return: entry, or NULL. */
static struct entry *add_entry(uintptr_t pc, struct entry *seen)
{
	_Atomic(struct entry *) *chain = chain_of(pc);
	struct entry *entry = take_memory(sizeof(*entry));
	struct entry *other;

	if (!entry)
		return NULL;
	entry->pc = pc;
	entry->next = seen;
	while (!atomic_compare_exchange_strong(chain, &entry->next, entry)) {
		/* another thread may have added the same pc */
		other = search(entry->next, seen, pc);
		if (other)
			return other;
		seen = entry->next;
	}
	return entry;
}

/* A cell of the monitor() buffer, or else of the library's memory; or NULL. */
static struct profil_callcount_cell *take_cell(void)
{
	struct buffer_cells *current = atomic_load(&buffer_cells);

	if (current && atomic_load(&current->used) < current->nr) {
		size_t i = atomic_fetch_add(&current->used, 1);

		if (i < current->nr)
			return &current->cells[i];
	}
	return take_memory(sizeof(struct profil_callcount_cell));
}

static struct profil_callcount_cell *add_cell(struct entry *entry)
{
	struct profil_callcount_cell *cell = take_cell(), *other = NULL;

	if (!cell)
		return NULL;
	cell->function = entry->pc;
	cell->calls = 0;
	if (atomic_compare_exchange_strong(&entry->cell, &other, cell))
		return cell;
	/* another thread was faster: leave this cell unused */
	cell->function = 0;
	return other;
}

void profil_callcount(uintptr_t pc)
{
	struct profil_callcount_cell *cell = NULL;
	struct entry *seen, *entry;

	if (!atomic_load_explicit(&enabled, memory_order_relaxed))
		return;
	seen = atomic_load_explicit(chain_of(pc), memory_order_acquire);
	entry = search(seen, NULL, pc);
	if (!entry)
		entry = add_entry(pc, seen);
	if (entry)
		cell = atomic_load_explicit(&entry->cell, memory_order_acquire);
	if (entry && !cell)
		cell = add_cell(entry);
	if (cell)
		__atomic_fetch_add(&cell->calls, 1, __ATOMIC_RELAXED);
	else
		atomic_fetch_add(&missed, 1);
}

void profil_callcount_enable(bool on)
{
	atomic_store(&enabled, on);
}

int profil_callcount_add_cells(struct profil_callcount_cell *cells, size_t nr)
{
	struct buffer_cells *fresh = take_memory(sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	fresh->cells = cells;
	/* atomic operations need aligned cells: if they are not, use memory of the library */
	fresh->nr = (uintptr_t)cells % _Alignof(struct profil_callcount_cell) ? 0 : nr;
	atomic_store(&buffer_cells, fresh);
	return 0;
}

int profil_callcount_vacate(const void *memory, size_t bytes)
{
	struct profil_callcount_cell *cell, *own;
	struct entry *entry;
	size_t i;

	atomic_store(&buffer_cells, NULL);
	for (i = 0; i < CHAINS; i++) {
		for (entry = atomic_load(&chains[i]); entry; entry = entry->next) {
			cell = atomic_load(&entry->cell);
			if (!cell || (uintptr_t)cell - (uintptr_t)memory >= bytes)
				continue;
			own = take_memory(sizeof(*own));
			if (!own)
				return -ENOMEM;
			*own = *cell;
			atomic_store(&entry->cell, own);
		}
	}
	return 0;
}

void profil_callcount_reset(void)
{
	struct entry *entry;
	size_t i;

	atomic_store(&buffer_cells, NULL);
	for (i = 0; i < CHAINS; i++)
		for (entry = atomic_load(&chains[i]); entry; entry = entry->next)
			atomic_store(&entry->cell, NULL);
	atomic_store(&missed, 0);
}

/* Copy up to @max counts; into: NULL to count them only. Return: their number. */
static size_t collect(struct profil_callcount_cell *into, size_t max)
{
	const struct profil_callcount_cell *cell;
	struct entry *entry;
	size_t nr = 0, i;

	for (i = 0; i < CHAINS; i++) {
		for (entry = atomic_load(&chains[i]); entry; entry = entry->next) {
			cell = atomic_load(&entry->cell);
			if (!cell || nr == max)
				continue;
			if (into)
				into[nr] = (struct profil_callcount_cell){
					entry->pc, __atomic_load_n(&cell->calls, __ATOMIC_RELAXED)
				};
			nr++;
		}
	}
	return nr;
}

static int compare(const void *a, const void *b)
{
	const struct profil_callcount_cell *left = a, *right = b;

	return (left->function > right->function) - (left->function < right->function);
}

int profil_callcount_collect(struct profil_callcount_cell **cells, size_t *nr)
{
	size_t max = collect(NULL, SIZE_MAX);

	*cells = malloc((max + 1) * sizeof(**cells));
	if (!*cells)
		return -ENOMEM;
	*nr = collect(*cells, max);
	qsort(*cells, *nr, sizeof(**cells), compare);
	return 0;
}

unsigned long profil_callcount_missed(void)
{
	return atomic_load(&missed);
}
