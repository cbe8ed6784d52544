// SPDX-License-Identifier: GPL-2.0-only
/*
 * The warning that an offset of 32 bits does not reach the program. This program is a PIE, as its
 * compiler makes it by default, so its addresses have more than 32 bits.
 */
#define _GNU_SOURCE
#include <sys/auxv.h>
#include <sys/mman.h>

#include "lib/pagetypes/reach.h"
#include "support/calls.h"

/* More than a buffer at half the scale spans */
#define LOW_BYTES	(4 * sizeof(buffer))

static bool is_warned(unsigned int offset_given, unsigned int scale)
{
	begin_stderr();
	profil_reach_check("bsd", sizeof(buffer), offset_given, scale);
	return !end_stderr(NULL);
}

TEST_F(pie_is_warned_once)
{
	unsigned int cut;
	char *code;

	if (getauxval(AT_ENTRY) <= UINT32_MAX)
		skip();
	/* generated code in low memory is what the program means */
	code = mmap(NULL, LOW_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	assert_ptr_not_equal(MAP_FAILED, code);
	errno = EXFULL;
	assert_false(is_warned((unsigned int)(uintptr_t)code + 100, 0x8000));
	/* it begins after the offset */
	assert_false(is_warned((unsigned int)(uintptr_t)code - 2, 0x8000));
	munmap(code, LOW_BYTES);
	/* nothing is mapped there now. (The sanitizer has half of what may be cut.) */
	cut = (unsigned int)(uintptr_t)code;
	/* profiling is turned off, or nothing can be counted */
	assert_false(is_warned(cut, 1));
	assert_false(is_warned(cut, 0));
	assert_prints("pkg-config libprofil-bsd-64 ",
		      profil_reach_check("bsd", sizeof(buffer), cut, 0x8000));
	assert_int_equal(EXFULL, errno);
	assert_false(is_warned(cut, 0x8000));
}
