// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * monitor(), monstartup() and moncontrol() of AIX: its Technical Reference.
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

#include "monitor/monitor.h"
#include "profil.h"

#define ARRAY_FORM	(-1)	/* BufferSize */

_Static_assert(offsetof(struct prof, p_low) == offsetof(struct frag, p_low) &&
	       offsetof(struct prof, p_high) == offsetof(struct frag, p_high),
	       "an array of either is read as one of struct frag");

struct monglobal _mondata;

static int profil_of_system(uint16_t *counters, size_t bytes, uintptr_t low,
			    unsigned int scale)
{
	/* its BufferSize of -1 is another form; the kernel takes less anyway */
	const unsigned int size = bytes < UINT_MAX ? (unsigned int)bytes : UINT_MAX - 1;

	if (!profil_aix(counters, size, low, scale))
		return 0;
	fprintf(stderr, "libprofil: monitor: profil: %s (%s): see profil(2)\n",
		strerrordesc_np(errno), strerrorname_np(errno));
	return -1;
}

static void set_type(void)
{
	_mondata.prof_type = _PROF_TYPE_IS_P;
}

const struct profil_monitor_system profil_monitor_system = {
	.profil = profil_of_system,
	.automatic = set_type,
	.clears = true,
	.rounds_up = true,
};

/* Whether _mondata asks for what is done here. If not: -1 with errno, after a line on stderr. */
static int check_type(const char *function)
{
	if (_mondata.prof_type == _PROF_TYPE_IS_P)
		return 0;
	fprintf(stderr, "libprofil: %s: not profiling: Invalid argument (EINVAL): %s\n", function,
		_mondata.prof_type == _PROF_TYPE_IS_PG ?
		"gmon.out is written by programs that are compiled with -pg and linked with libprofil alone: set _mondata.prof_type to _PROF_TYPE_IS_P" :
		"set _mondata.prof_type to _PROF_TYPE_IS_P, or link with -p");
	errno = EINVAL;
	return -1;
}

static void at_exit(void)
{
	profil_monitor_end();
}

/* The page has exit() write the file. Return: as begun. */
static int until_exit(int begun)
{
	static atomic_bool registered;

	if (!begun && !atomic_exchange(&registered, true))
		atexit(at_exit);
	return begun;
}

/* Several ranges: one from the first to the last, in a buffer of the library's own. */
static int begin_ranges(const char *function, const void *array, size_t element_bytes)
{
	const struct frag *range = array;
	const char *low = range->p_low, *high = NULL;

	while (range->p_high && range->p_low < range->p_high && range->p_low >= high) {
		high = range->p_high;
		range = (const struct frag *)((const char *)range + element_bytes);
	}
	if (!range->p_high && high)
		return until_exit(profil_monitor_begin_own((uintptr_t)low, (uintptr_t)high));
	fprintf(stderr, "libprofil: %s: not profiling: Invalid argument (EINVAL): the array has no range, or one that is empty or below the one before it\n",
		function);
	errno = EINVAL;
	return -1;
}

/* The program itself is the first object. */
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
	/* of a negative size nothing is room */
	arguments.bytes = size < 0 ? 0 : (size_t)size * sizeof(HISTCOUNTER);
	return until_exit(profil_monitor_begin(&arguments));
}

/* As documented in <mon.h>. */
int monstartup(char *LowProgramCounter, char *HighProgramCounter)
{
	struct frag text = { .p_low = NULL };

	if (check_type("monstartup"))
		return -1;
	if (LowProgramCounter != (char *)-1)
		return until_exit(profil_monitor_begin_own((uintptr_t)LowProgramCounter,
							   (uintptr_t)HighProgramCounter));
	if (HighProgramCounter)
		return begin_ranges("monstartup", HighProgramCounter, sizeof(struct frag));
	dl_iterate_phdr(find_text, &text);
	return until_exit(profil_monitor_begin_own((uintptr_t)text.p_low,
						   (uintptr_t)text.p_high));
}

/* As documented in <mon.h>. */
int moncontrol(int Mode)
{
	if (_mondata.prof_type != _PROF_TYPE_IS_P && _mondata.prof_type != _PROF_TYPE_IS_PG)
		return 0;
	return profil_monitor_control(Mode);
}
