// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for counters: slots of SLOT_PAGES pages, with one more page before and after, at
 * fixed addresses that nothing else uses. Programs write only zeroes into it. Any other byte
 * at the end comes from the module, and is a failure unless a profile had a counter there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run.h"

#define ARENA		0x100000000000UL
#define STRIDE		(4UL << 20)	/* room for a huge page */
#define HUGE_BYTES	(2UL << 20)
#define SLOT_BYTES	(SLOT_PAGES * PAGE_BYTES)
#define CHECKED_PAGES	(SLOT_PAGES + 2)

char data_pages[OWN_BYTES] __attribute__((aligned(PAGE_BYTES)));
char *stack_pages;

extern char __executable_start[], etext[];

/* Files that are mapped in slots; -1: none */
static int slot_files[NR_SLOTS];
static int userfault = -1;

uint64_t arena_slot(unsigned int slot)
{
	return ARENA + slot * STRIDE;
}

uint64_t arena_text(void)
{
	return (uintptr_t)__executable_start;
}

uint64_t arena_text_end(void)
{
	return (uintptr_t)etext;
}

void arena_init(void)
{
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++) {
		void *at = (void *)(arena_slot(i) - PAGE_BYTES);

		slot_files[i] = -1;
		if (mmap(at, CHECKED_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			 0) != at)
			failure("cannot map slot %u: %s", i, strerror(errno));
	}
}

uint64_t address_of(const struct value *value)
{
	if (value->base >= BASE_SLOT && value->base < BASE_SLOT + NR_SLOTS)
		return arena_slot(value->base - BASE_SLOT) + value->offset;
	switch (value->base) {
	case BASE_STACK:
		return (uintptr_t)stack_pages + value->offset;
	case BASE_DATA:
		return (uintptr_t)data_pages + value->offset;
	case BASE_TEXT:
		return arena_text() + value->offset;
	case BASE_TOP:
		return 0x7ffffffff000ULL + value->offset;
	default:
		return value->offset;
	}
}

/* --- where counters may be ------------------------------------------------ */

void arena_allow(uint64_t addr, uint64_t bytes)
{
	struct range *last = &shared->allowed[shared->nr_allowed - 1];

	/* regions are often adjacent */
	if (shared->nr_allowed && last->start <= addr && last->end >= addr) {
		if (last->end < addr + bytes)
			last->end = addr + bytes;
	} else if (shared->nr_allowed == MAX_ALLOWED) {
		shared->anything = 1;
	} else {
		shared->allowed[shared->nr_allowed++] = (struct range){ addr, addr + bytes };
	}
}

static bool is_allowed(uint64_t addr)
{
	unsigned int i;

	for (i = 0; i < shared->nr_allowed; i++)
		if (addr >= shared->allowed[i].start && addr < shared->allowed[i].end)
			return true;
	return shared->anything;
}

static bool lies_in(uint64_t addr, uint64_t bytes, uint64_t start, uint64_t end)
{
	return addr >= start && addr <= end && bytes <= end - addr;
}

/*
 * Below the program there is only the arena, and the module must not write the program's
 * text. From the heap on, mappings belong to the C library.
 */
bool arena_is_ours(uint64_t addr, uint64_t bytes)
{
	uintptr_t stack = (uintptr_t)stack_pages, data = (uintptr_t)data_pages;

	return addr >= 0x7ffffffff000ULL || addr + bytes < addr ||
	       lies_in(addr, bytes, 0, arena_text()) ||
	       lies_in(addr, bytes, arena_text(), arena_text_end()) ||
	       lies_in(addr, bytes, stack, stack + OWN_BYTES) ||
	       lies_in(addr, bytes, data, data + OWN_BYTES);
}

static void check_page(const uint8_t *page, uint64_t addr)
{
	static const uint8_t zeroes[PAGE_BYTES];
	unsigned int i;

	if (!memcmp(page, zeroes, PAGE_BYTES))
		return;
	for (i = 0; i < PAGE_BYTES; i++)
		if (page[i] && !is_allowed(addr + i))
			failure("%#x written to %#llx, where no counter is",
				page[i], (unsigned long long)addr + i);
}

size_t arena_read(void *to, uint64_t from, size_t bytes)
{
	size_t done = 0;
	ssize_t got;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		failure("pipe2: %s", strerror(errno));
	got = write(ends[1], (void *)from, bytes);
	if (got < 0 && errno != EFAULT)
		failure("cannot read memory: %s", strerror(errno));
	bytes = got < 0 ? 0 : (size_t)got;
	while (done < bytes) {
		got = read(ends[0], (char *)to + done, bytes - done);
		if (got <= 0)
			failure("cannot read memory");
		done += (size_t)got;
	}
	close(ends[0]);
	close(ends[1]);
	return done;
}

void arena_check(void)
{
	static uint8_t copy[CHECKED_PAGES * PAGE_BYTES];
	unsigned int slot, done, i, nr;

	for (slot = 0; slot < NR_SLOTS; slot++) {
		uint64_t start = arena_slot(slot) - PAGE_BYTES;
		size_t left, got;

		/* a read ends at a page that is not readable; continue after it */
		for (done = 0; done < CHECKED_PAGES; done += nr + 1) {
			left = (CHECKED_PAGES - done) * PAGE_BYTES;
			got = arena_read(copy, start + done * PAGE_BYTES, left);
			nr = (unsigned int)(got / PAGE_BYTES);
			for (i = 0; i < nr; i++)
				check_page(copy + i * PAGE_BYTES, start + (done + i) * PAGE_BYTES);
		}
	}
}

/* --- operations ------------------------------------------------------------ */

static int result(bool failed)
{
	return failed ? errno : 0;
}

static int map_file(unsigned int slot, int fd, size_t bytes, int flags)
{
	void *at = (void *)arena_slot(slot);

	if (fd < 0)
		return errno;
	if (slot_files[slot] >= 0)
		close(slot_files[slot]);
	slot_files[slot] = fd;
	if (ftruncate(fd, SLOT_BYTES))
		return errno;
	return result(mmap(at, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
			   fd, 0) == MAP_FAILED);
}

static int map_anonymous(unsigned int slot, size_t bytes, int protection, int flags)
{
	return result(mmap((void *)arena_slot(slot), bytes, protection,
			   flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		      MAP_FAILED);
}

static int do_map(enum map_kind kind, unsigned int slot, size_t bytes)
{
	const int both = PROT_READ | PROT_WRITE;

	switch (kind) {
	case KIND_ANON:
		return map_anonymous(slot, bytes, both, MAP_PRIVATE);
	case KIND_SHARED:
		return map_anonymous(slot, bytes, both, MAP_SHARED);
	case KIND_NONE:
		return map_anonymous(slot, bytes, PROT_NONE, MAP_PRIVATE);
	case KIND_READ:
		return map_anonymous(slot, bytes, PROT_READ, MAP_PRIVATE);
	case KIND_DOWN:
		return map_anonymous(slot, bytes, both, MAP_PRIVATE | MAP_GROWSDOWN);
	case KIND_LOCKED:
		return map_anonymous(slot, bytes, both, MAP_PRIVATE | MAP_LOCKED);
	case KIND_HUGE:
		return map_anonymous(slot, HUGE_BYTES, both, MAP_PRIVATE | MAP_HUGETLB);
	case KIND_MEMFD:
		return map_file(slot, memfd_create("fuzz", MFD_CLOEXEC), bytes, MAP_SHARED);
	case KIND_SECRET:
		return map_file(slot, (int)syscall(SYS_memfd_secret, 0), bytes, MAP_SHARED);
	case KIND_FILE_PRIVATE:
	case KIND_FILE_SHARED:
		return map_file(slot, open("/var/tmp", O_TMPFILE | O_RDWR |
					   O_CLOEXEC, 0600), bytes,
				kind == KIND_FILE_SHARED ? MAP_SHARED :
							  MAP_PRIVATE);
	default:
		return EINVAL;
	}
}

/*
 * Move a slot to another (with MREMAP_DONTUNMAP if @how is 1), shrink or grow it. Counts
 * move with the memory. Shared memory that stays mapped is then in both slots.
 */
static int do_remap(unsigned int how, unsigned int slot, unsigned int other)
{
	void *from = (void *)arena_slot(slot), *to = (void *)arena_slot(other);
	const int fixed = MREMAP_MAYMOVE | MREMAP_FIXED;

	switch (how) {
	case 0:
	case 1:
		arena_allow(arena_slot(other), SLOT_BYTES);
		if (how)
			arena_allow(arena_slot(slot), SLOT_BYTES);
		return result(mremap(from, SLOT_BYTES, SLOT_BYTES,
				     how ? fixed | MREMAP_DONTUNMAP : fixed,
				     to) == MAP_FAILED);
	case 2:
		return result(mremap(from, SLOT_BYTES, SLOT_BYTES / 2, 0) == MAP_FAILED);
	default:
		return result(mremap(from, SLOT_BYTES / 2, SLOT_BYTES, 0) == MAP_FAILED);
	}
}

/*
 * Write-protect memory by userfaultfd, without a handler: faults raise SIGBUS, and system
 * calls fail with EFAULT.
 */
static int do_wp(void *at, size_t bytes)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_SIGBUS | UFFD_FEATURE_PAGEFAULT_FLAG_WP,
	};
	struct uffdio_register range = {
		.range = { (uintptr_t)at, bytes },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect protect = {
		.range = range.range,
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (userfault < 0) {
		userfault = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
		if (userfault < 0 || ioctl(userfault, UFFDIO_API, &api))
			return errno;
	}
	return result(ioctl(userfault, UFFDIO_REGISTER, &range) ||
		      ioctl(userfault, UFFDIO_WRITEPROTECT, &protect));
}

/* Write zeroes by a system call, which fails instead of raising a signal. */
static int do_touch(void *at, size_t bytes)
{
	int zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int error = result(read(zeroes, at, bytes) < 0);

	close(zeroes);
	return error;
}

static const int protections[] = {
	PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
	PROT_READ | PROT_WRITE | PROT_EXEC, PROT_WRITE,
};

static const int advices[] = {
	MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_PAGEOUT, MADV_COLD,
	MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE, MADV_UNMERGEABLE,
	MADV_DONTFORK, MADV_DOFORK, MADV_WIPEONFORK, MADV_KEEPONFORK,
	MADV_POPULATE_WRITE, 25 /* MADV_COLLAPSE */,
};

/* A range of pages of a slot, without the ones before and after it */
static void *some_pages(uint64_t slot, uint64_t first, uint64_t nr, size_t *bytes)
{
	first %= SLOT_PAGES;
	if (!nr || nr > SLOT_PAGES - first)
		nr = SLOT_PAGES - first;
	*bytes = nr * PAGE_BYTES;
	return (char *)arena_slot((unsigned int)slot) + first * PAGE_BYTES;
}

int arena_do(const struct operation *operation)
{
	uint64_t n[MAX_VALUES];
	size_t bytes;
	void *at;
	int i;

	for (i = 0; i < MAX_VALUES; i++)
		n[i] = operation->values[i].offset;
	switch (operation->kind) {
	case OP_MAP:
		some_pages(n[1], 0, n[2], &bytes);
		return do_map((enum map_kind)n[0], (unsigned int)n[1], bytes);
	case OP_UNMAP:
		at = some_pages(n[0], n[1], n[2], &bytes);
		return result(munmap(at, bytes));
	case OP_PROTECT:
		at = some_pages(n[1], n[2], n[3], &bytes);
		return result(mprotect(at, bytes, protections[n[0]]));
	case OP_ADVISE:
		at = some_pages(n[1], n[2], n[3], &bytes);
		return result(madvise(at, bytes, advices[n[0]]));
	case OP_REMAP:
		return do_remap((unsigned int)n[0], (unsigned int)n[1], (unsigned int)n[2]);
	case OP_TRUNCATE:
		return result(ftruncate(slot_files[n[0]], (off_t)(n[1] * PAGE_BYTES)));
	case OP_WP:
		at = some_pages(n[0], n[1], n[2], &bytes);
		return do_wp(at, bytes);
	default:
		at = some_pages(n[0], n[1], n[2], &bytes);
		return do_touch(at, bytes);
	}
}
