/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), HP-UX 5.20, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

void profil(char *buff, int bufsiz, int offset, int scale);

#include "page.h"

static void on(void)
{
	profil(buffer, (int)SIZE, (int)OFFSET, (int)SCALE);
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	doing = "0177777 gives a 1-1 mapping";
	choose(3, 0177777);
	on();
	must_count(2);
	doing = "077777 maps each pair together";
	choose(5, 077777);
	on();
	must_count(2);
	doing = "02 maps all instructions onto the beginning";
	choose(0x10000000, 02);
	on();
	must_count(0);
	doing = "02 and an offset of 0";
	profil(buffer, (int)SIZE, 0, 02);
	/* whatever else the program does is counted, too */
	spin(LONG_TIME);
	profil(buffer, (int)SIZE, 0, 0);
	if (*counter(0) < rate() * LONG_TIME / 1000 / 2)
		fail("counter is", *counter(0));
	*counter(0) = 0;
	must_be_off();
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

	doing = "a scale of 0";
	profil(buffer, (int)SIZE, (int)OFFSET, 0);
	must_be_off();
	on();
	must_count(18);
	doing = "a scale of 1";
	profil(buffer, (int)SIZE, (int)OFFSET, 1);
	must_be_off();
	on();
	must_count(18);
	doing = "a bufsiz of 0";
	profil(buffer, 0, (int)OFFSET, (int)SCALE);
	must_be_off();
	profil(buffer, 0, (int)OFFSET, 02);
	must_be_off();
	on();
	must_count(18);
	doing = "fork";
	must_count_in_child(18);
	doing = "exec";
	must_be_off_after_exec();
	must_count(18);
	doing = "a memory fault";
	must_be_off_after_fault();
	must_count(18);
	profil(buffer, (int)SIZE, (int)OFFSET, 0);
	must_be_off();
	return 0;
}
