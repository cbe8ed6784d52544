/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), SunOS 5.11, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset,
	     unsigned int scale);

#include "page.h"

static void on(void)
{
	profil((unsigned short *)buffer, SIZE, OFFSET, SCALE);
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	doing = "0xffff maps 2 bytes to each counter";
	choose(3, 0xffff);
	on();
	must_count(2);
	doing = "0x4000 maps 8 bytes to each counter";
	choose(8, 0x4000);
	on();
	must_count(2);
	doing = "0x0002 maps 65,536 bytes to each counter";
	choose(0x20000, 2);
	on();
	must_count(4);
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

	doing = "a scale value of 0";
	profil((unsigned short *)buffer, SIZE, OFFSET, 0);
	must_be_off();
	on();
	must_count(18);
	doing = "a scale value of 1";
	profil((unsigned short *)buffer, SIZE, OFFSET, 1);
	must_be_off();
	on();
	must_count(18);
	doing = "a bufsiz value of 0";
	profil((unsigned short *)buffer, 0, OFFSET, SCALE);
	must_be_off();
	on();
	must_count(18);
	doing = "all threads";
	must_count_in_threads(on, 18);
	doing = "fork";
	must_count_in_child(18);
	doing = "exec";
	must_be_off_after_exec();
	must_count(18);
	doing = "a memory fault";
	must_be_off_after_fault();
	must_count(18);
	doing = "a count reaches 32767";
	*counter(18) = 32766;
	spin(LONG_TIME);
	if (*counter(18) != 32767)
		fail("counter is", *counter(18));
	*counter(18) = 0;
	must_be_off();
	return 0;
}
