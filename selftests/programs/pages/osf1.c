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

#include "page.h"

static void on(void)
{
	profil((short *)buffer, SIZE, OFFSET, SCALE);
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	doing = "0x10000 gives a 1-1 mapping";
	choose(2, 0x10000);
	on();
	must_count(2);
	doing = "0x8000 maps each pair together";
	choose(6, 0x8000);
	on();
	must_count(2);
	doing = "an offset of 0: text begins at 0";
	profil((short *)large, sizeof(large), 0, 2);
	must_count_in_large(0x4000);	/* 0x20000404 * 2 / 65536 */
	doing = "the last counter of the buffer";
	choose(BYTES - 1, 0x10000);
	on();
	must_count(BYTES - 2);
	doing = "beyond the buffer";
	choose(BYTES, 0x10000);
	on();
	must_not_count();
	doing = "below the offset";
	choose(-2u, 0x10000);
	on();
	must_not_count();
	doing = "any scale";
	choose(0x35, 0x6000);
	on();
	must_count(18);

	doing = "a scale parameter of 1";
	profil((short *)buffer, SIZE, OFFSET, 1);
	must_be_off();
	on();
	must_count(18);
	doing = "a scale parameter of 0";
	profil((short *)buffer, SIZE, OFFSET, 0);
	must_be_off();
	on();
	must_count(18);
	doing = "multiple threads";
	must_count_in_threads(on, 18);
	doing = "fork";
	must_count_in_child(18);
	doing = "execve";
	must_be_off_after_exec();
	must_count(18);
	doing = "a memory fault";
	must_be_off_after_fault();
	must_count(18);
	doing = "a buffer_size of 0";
	profil((short *)buffer, 0, OFFSET, SCALE);
	must_be_off();
	return 0;
}
