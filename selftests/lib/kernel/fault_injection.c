// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets up the kernel's fault injection for calls from the module's text.
 */
#include "kernel/fault_injection.h"

static const char *const attributes[KINDS] = {
	[SLAB] = "failslab",
	[PAGES] = "fail_page_alloc",
	[COPIES] = "fail_usercopy",
};

static void attribute_path(char *path, size_t size, enum kind kind, const char *file)
{
	snprintf(path, size, "/sys/kernel/debug/%s/%s", attributes[kind], file);
}

/* Returns 0 or an errno. */
static int set_attribute(enum kind kind, const char *file, unsigned long value)
{
	char path[128], text[32];

	attribute_path(path, sizeof(path), kind, file);
	snprintf(text, sizeof(text), "%#lx", value);
	return write_text(path, text);
}

static long long attribute(enum kind kind, const char *file)
{
	char path[128];

	attribute_path(path, sizeof(path), kind, file);
	return read_number(path, "");
}

void as_root(void)
{
	if (seteuid(0))
		abort();
}

void as_user(const struct injection *injection)
{
	if (seteuid(injection->uid))
		abort();
}

void next_user(struct injection *injection)
{
	if (!injection->uid)
		injection->uid = 63000;
	as_root();
	injection->uid++;
	if (setresuid(injection->uid, injection->uid, 0))
		abort();
}

/* Finds the range of the module's text, up to the next module at most. Returns 0 or an errno. */
static int find_text(struct injection *injection)
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

int aim(enum kind kind, unsigned long start, unsigned long end)
{
	return set_attribute(kind, "require-start", start) ?:
	       set_attribute(kind, "require-end", end);
}

void choose(struct injection *injection, enum kind kind, enum way way)
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

const char *init_injection(struct injection *injection)
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
	/* also allocations that may sleep, and single pages */
	write_text("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	set_attribute(PAGES, "min-order", 0);
	if (write_text("/proc/thread-self/make-it-fail", "1"))
		return "no make-it-fail";
	return find_text(injection) ? "the address of the module's text is hidden" : NULL;
}

void arm(struct injection *injection, unsigned long n)
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

long disarm(struct injection *injection)
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

void end_injection(struct injection *injection)
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
