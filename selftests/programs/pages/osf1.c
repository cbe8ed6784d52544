/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), OSF/1, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

void profil(
	short *short_buffer,
	unsigned int buffer_size,
	unsigned int offset,
	unsigned int scale );

#include "steps.h"

static void on(void)
{
	profil((short *)buffer, SIZE, OFFSET, SCALE);
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	must_count_at("0x10000 gives a 1-1 mapping", 2, 0x10000, 2);
	must_count_at("0x8000 maps each pair together", 6, 0x8000, 2);
	doing = "an offset of 0: text begins at 0";
	profil((short *)large, sizeof(large), 0, 2);
	must_count_in_large(0x4000);	/* 0x20000404 * 2 / 65536 */
	must_count_within();
	must_count_at("any scale", 0x35, 0x6000, 18);

	doing = "a scale parameter of 1";
	profil((short *)buffer, SIZE, OFFSET, 1);
	must_restart(18);
	doing = "a scale parameter of 0";
	profil((short *)buffer, SIZE, OFFSET, 0);
	must_restart(18);
	doing = "multiple threads";
	must_count_in_threads(on, 18);
	must_count_after_fork_and_exec(18);
	must_count_after_fault(18);
	doing = "a buffer_size of 0";
	profil((short *)buffer, 0, OFFSET, SCALE);
	must_be_off();
	return 0;
}
