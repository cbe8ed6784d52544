// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * monitor(), monstartup() and moncontrol() of AIX. Source: AIX Technical Reference.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <mon.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error_text.h"
#include "monitor/monitor.h"
#include "profil.h"
#include "text.h"

#define ARRAY_FORM	(-1)	/* BufferSize */

_Static_assert(offsetof(struct prof, p_low) == offsetof(struct frag, p_low) &&
	       offsetof(struct prof, p_high) == offsetof(struct frag, p_high),
	       "arrays of both are read as struct frag");

struct monglobal _mondata;

static int start(uint16_t *counters, size_t bytes, uintptr_t low,
		 unsigned int scale)
{
	/* not -1, which selects the second form; the kernel's limit is lower anyway */
	const unsigned int size = bytes < UINT_MAX ? (unsigned int)bytes : UINT_MAX - 1;

	if (!profil_aix(counters, size, low, scale))
		return 0;
	profil_text_print("libprofil: monitor: profil: ", profil_error_text(errno), " (",
			  profil_error_name(errno), "): see profil(2)");
	return -1;
}

static void set_type(void)
{
	_mondata.prof_type = _PROF_TYPE_IS_P;
}

const struct profil_monitor_system profil_monitor_system = {
	.profil = start,
	.automatic = set_type,
	.clears = true,
	.rounds_up = true,
};

/* Return: 0 if _mondata selects mon.out; else -1 with errno and a line on stderr. */
static int check_type(const char *function)
{
	if (_mondata.prof_type == _PROF_TYPE_IS_P)
		return 0;
	fprintf(stderr, "libprofil: %s: not profiling: Invalid argument (EINVAL): %s\n", function,
		_mondata.prof_type == _PROF_TYPE_IS_PG ?
		"gmon.out needs a program compiled with -pg and linked with libprofil only; for mon.out, set _mondata.prof_type to _PROF_TYPE_IS_P" :
		"set _mondata.prof_type to _PROF_TYPE_IS_P, or link with -p");
	errno = EINVAL;
	return -1;
}

static void at_exit(void)
{
	profil_monitor_end();
}

/* After a start with this result: let exit() write the file, as the page documents it. */
static int end_at_exit(int result)
{
	static atomic_bool registered;

	if (!result && !atomic_exchange(&registered, true))
		atexit(at_exit);
	return result;
}

/*
 * Profile from the first range of an array to the last, in a buffer of the library. array: of
 * struct frag or struct prof, by @element_bytes. Return: 0, or -1 with errno and a line on stderr.
 */
static int begin_ranges(const char *function, const void *array, size_t element_bytes)
{
	const struct frag *range = array;
	const char *low = range->p_low, *high = NULL;

	while (range->p_high && range->p_low < range->p_high && range->p_low >= high) {
		high = range->p_high;
		range = (const struct frag *)((const char *)range + element_bytes);
	}
	if (!range->p_high && high)
		return end_at_exit(profil_monitor_begin_own((uintptr_t)low, (uintptr_t)high));
	fprintf(stderr, "libprofil: %s: not profiling: Invalid argument (EINVAL): the array has no range, or a range that is empty or not in ascending order\n",
		function);
	errno = EINVAL;
	return -1;
}

/* Find the executable segments of the first object, which is the program itself. */
static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
	struct frag *text = data;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		char *at = (char *)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		if (!text->p_low)
			text->p_low = at;
		text->p_high = at + segment->p_memsz;
	}
	return 1;
}

/* As documented in <mon.h>. */
int monitor(char *LowProgramCounter, ...)
{
	struct profil_monitor_buffer arguments = { .low = (uintptr_t)LowProgramCounter };
	int size;
	va_list list;

	if (check_type("monitor"))
		return -1;
	if (!LowProgramCounter)
		return profil_monitor_end();
	va_start(list, LowProgramCounter);
	arguments.high = (uintptr_t)va_arg(list, char *);
	arguments.at = va_arg(list, void *);
	size = va_arg(list, int);
	arguments.nfunc = (size_t)va_arg(list, int);
	va_end(list);
	if (size == ARRAY_FORM)
		return begin_ranges("monitor", arguments.at, sizeof(struct prof));
	/* a negative size is rejected as too small */
	arguments.bytes = size < 0 ? 0 : (size_t)size * sizeof(HISTCOUNTER);
	return end_at_exit(profil_monitor_begin(&arguments));
}

/* As documented in <mon.h>. */
int monstartup(char *LowProgramCounter, char *HighProgramCounter)
{
	struct frag text = { .p_low = NULL };

	if (check_type("monstartup"))
		return -1;
	if (LowProgramCounter != (char *)-1)
		return end_at_exit(profil_monitor_begin_own((uintptr_t)LowProgramCounter,
							    (uintptr_t)HighProgramCounter));
	if (HighProgramCounter)
		return begin_ranges("monstartup", HighProgramCounter, sizeof(struct frag));
	dl_iterate_phdr(find_text, &text);
	return end_at_exit(profil_monitor_begin_own((uintptr_t)text.p_low,
						    (uintptr_t)text.p_high));
}

/* As documented in <mon.h>. */
int moncontrol(int Mode)
{
	if (_mondata.prof_type != _PROF_TYPE_IS_P && _mondata.prof_type != _PROF_TYPE_IS_PG)
		return 0;
	return profil_monitor_control(Mode);
}
