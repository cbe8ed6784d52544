/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's fault injection (Documentation/fault-injection), pointed at the
 * module: only what is called from its text fails, whoever calls it. To be
 * included after the harness.
 *
 * Allocations are tried twice in some places: one that fails alone shows nothing
 * there. So there is a second way, in which all fail from one on.
 */
#ifndef SELFTESTS_FAULT_H
#define SELFTESTS_FAULT_H

#include <limits.h>
#include <sys/stat.h>

#include "common.h"
#include "files.h"

enum kind { SLAB, PAGES, COPIES, KINDS };

enum way {
	ONE,		/* the nth of this thread */
	ALL_FROM,	/* this thread's nth, and all after it */
	ALL_OF_ALL,	/* the same, but of all threads together: of workers too */
};

struct injection {
	uid_t uid;	/* whom the test plays; settings are root's */
	int nth;	/* /proc/thread-self/fail-nth */
	enum kind kind;
	enum way way;
	unsigned long start, end;	/* the module's text */
};

/* Of ALL_FROM: to be used up, each time by one, by what fails. */
#define MANY	1000000

static const char *const attributes[KINDS] = {
	[SLAB] = "failslab",
	[PAGES] = "fail_page_alloc",
	[COPIES] = "fail_usercopy",
};

static inline void attribute_path(char *path, size_t size, enum kind kind,
				  const char *file)
{
	snprintf(path, size, "/sys/kernel/debug/%s/%s", attributes[kind], file);
}

/* 0 or errno. */
static inline int set_attribute(enum kind kind, const char *file,
				unsigned long value)
{
	char path[128], text[32];

	attribute_path(path, sizeof(path), kind, file);
	snprintf(text, sizeof(text), "%#lx", value);
	return write_text(path, text);
}

static inline long long attribute(enum kind kind, const char *file)
{
	char path[128];

	attribute_path(path, sizeof(path), kind, file);
	return number_in(path, "");
}

/* Be the user, or root for a while. */
static inline void as_root(void)
{
	if (seteuid(0))
		abort();
}

static inline void as_user(const struct injection *injection)
{
	if (seteuid(injection->uid))
		abort();
}

/* Another user, with no rights and nothing charged so far. Root's may be had back. */
static inline void next_user(struct injection *injection)
{
	if (!injection->uid)
		injection->uid = 63000;
	as_root();
	injection->uid++;
	if (setresuid(injection->uid, injection->uid, 0))
		abort();
}

/* Where the module's text is, up to the next module's at most. 0 or errno. */
static inline int find_text(struct injection *injection)
{
	FILE *file = fopen("/proc/modules", "re");
	unsigned long size, at, others[512];
	unsigned int i, nr = 0;
	char name[64];

	if (!file)
		return errno;
	injection->start = 0;
	while (fscanf(file, "%63s %lu %*[^\n]", name, &size) == 2)
		if (!strcmp(name, "profil"))
			injection->end = size;
	rewind(file);
	while (fscanf(file, "%63s %*u %*d %*s %*s %lx%*[^\n]", name, &at) == 2) {
		if (!strcmp(name, "profil"))
			injection->start = at;
		else if (nr < 512)
			others[nr++] = at;
	}
	fclose(file);
	if (!injection->start)
		return ENOENT;
	injection->end += injection->start;
	for (i = 0; i < nr; i++)
		if (others[i] > injection->start && others[i] < injection->end)
			injection->end = others[i];
	return 0;
}

/* What a kind fails for: calls from a range of the kernel. */
static inline int aim(enum kind kind, unsigned long start, unsigned long end)
{
	return set_attribute(kind, "require-start", start) ?:
	       set_attribute(kind, "require-end", end);
}

/* Of one kind in the module, of others nothing. */
static inline void choose(struct injection *injection, enum kind kind,
			  enum way way)
{
	enum kind other;

	as_root();
	injection->kind = kind;
	injection->way = way;
	for (other = 0; other < KINDS; other++)
		aim(other, 1, 1);
	aim(kind, injection->start, injection->end);
	set_attribute(kind, "task-filter", way == ALL_FROM);
}

/*
 * As root. Return: 0, or why it cannot be. What an earlier test has left, if it was
 * killed, is taken back.
 */
static inline const char *init_injection(struct injection *injection)
{
	enum kind kind;

	*injection = (struct injection) { .nth = -1 };
	if (geteuid())
		return "needs root, to set fault injection";
	injection->nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (injection->nth < 0)
		return "the kernel has no fail-nth (CONFIG_FAULT_INJECTION)";
	for (kind = 0; kind < KINDS; kind++) {
		char path[128];

		attribute_path(path, sizeof(path), kind, "probability");
		if (access(path, W_OK))
			return "no failslab, fail_page_alloc or fail_usercopy in debugfs";
		set_attribute(kind, "probability", 0);
		set_attribute(kind, "times", MANY);
		set_attribute(kind, "interval", 1);
		set_attribute(kind, "verbose", 0);
		if (aim(kind, 1, 1))
			return "needs CONFIG_FAULT_INJECTION_STACKTRACE_FILTER";
	}
	/* those that may wait too, and single pages */
	write_text("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	set_attribute(PAGES, "min-order", 0);
	if (write_text("/proc/thread-self/make-it-fail", "1"))
		return "no make-it-fail";
	return find_text(injection) ? "the module's text is not told" : NULL;
}

/*
 * Fail from now on: the nth, 1 and up. ALL_FROM counts slab allocations by their
 * bytes: small ones go by several at a time.
 */
static inline void arm(struct injection *injection, unsigned long n)
{
	char text[32];

	if (injection->way == ONE) {
		int length = snprintf(text, sizeof(text), "%lu", n);

		if (pwrite(injection->nth, text, (size_t)length, 0) != length)
			abort();
		return;
	}
	as_root();
	set_attribute(injection->kind, "times", MANY);
	set_attribute(injection->kind, "space",
		      injection->kind == SLAB ? (n - 1) * 256 : n);
	set_attribute(injection->kind, "probability", 100);
	if (injection->uid)
		as_user(injection);
}

/* No more. Return: how many have failed; of ONE, that is 0 or 1. */
static inline long disarm(struct injection *injection)
{
	char text[32] = "";
	long left;

	if (injection->way == ONE) {
		if (pread(injection->nth, text, sizeof(text) - 1, 0) < 2 ||
		    pwrite(injection->nth, "0", 1, 0) != 1)
			abort();
		return !strtoul(text, NULL, 10);
	}
	as_root();
	set_attribute(injection->kind, "probability", 0);
	left = (long)attribute(injection->kind, "times");
	if (injection->uid)
		as_user(injection);
	return MANY - left;
}

static inline void end_injection(struct injection *injection)
{
	enum kind kind;

	if (injection->nth < 0)
		return;
	as_root();
	for (kind = 0; kind < KINDS; kind++) {
		set_attribute(kind, "probability", 0);
		set_attribute(kind, "task-filter", 0);
		aim(kind, 0, ULONG_MAX);
	}
	close(injection->nth);
}

#endif /* SELFTESTS_FAULT_H */
