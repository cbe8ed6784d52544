/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), SunOS 5.11, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset,
	     unsigned int scale);

#include "steps.h"

static void on(void)
{
	profil((unsigned short *)buffer, SIZE, OFFSET, SCALE);
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	must_count_at("0xffff maps 2 bytes to each counter", 3, 0xffff, 2);
	must_count_at("0x4000 maps 8 bytes to each counter", 8, 0x4000, 2);
	must_count_at("0x0002 maps 65,536 bytes to each counter", 0x20000, 2, 4);
	must_count_within();
	must_count_at("any scale", 0x35, 0x6000, 18);

	doing = "a scale value of 0";
	profil((unsigned short *)buffer, SIZE, OFFSET, 0);
	must_restart(18);
	doing = "a scale value of 1";
	profil((unsigned short *)buffer, SIZE, OFFSET, 1);
	must_restart(18);
	doing = "a bufsiz value of 0";
	profil((unsigned short *)buffer, 0, OFFSET, SCALE);
	must_restart(18);
	doing = "all threads";
	must_count_in_threads(on, 18);
	must_count_after_fork_and_exec(18);
	must_count_after_fault(18);
	doing = "a count reaches 32767";
	*counter(18) = 32766;
	spin(LONG_TIME);
	if (*counter(18) != 32767)
		fail("counter is", *counter(18));
	*counter(18) = 0;
	must_be_off();
	return 0;
}
