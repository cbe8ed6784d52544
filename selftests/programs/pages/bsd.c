/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), BSD Experimental, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

int
profil(char *samples, int size, int offset, int scale);

#include "page.h"

static void on(void)
{
	if (profil(buffer, (int)SIZE, (int)OFFSET, (int)SCALE))
		fail("profil() returns", -1);
}

static void off(void)
{
	if (profil(buffer, (int)SIZE, (int)OFFSET, 0))
		fail("profil() returns", -1);
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	doing = "65536 maps each bin to 2 bytes";
	choose(3, 65536);
	on();
	must_count(2);
	doing = "32768 gives 4 bytes";
	choose(4, 32768);
	on();
	must_count(2);
	doing = "16384 gives 8 bytes";
	choose(8, 16384);
	on();
	must_count(2);
	doing = "(pc - offset) is divided by 2 first";
	choose(3, 0xffff);
	on();
	must_count(0);
	doing = "the last counter of the buffer";
	choose(BYTES - 1, 65536);
	on();
	must_count(BYTES - 2);
	doing = "beyond the buffer";
	choose(BYTES, 65536);
	on();
	must_not_count();
	doing = "below the offset";
	choose(-2u, 65536);
	on();
	must_not_count();
	doing = "a scale of 1";
	choose(0x40000, 1);
	on();
	must_count(4);
	doing = "a scale above 65536";
	off();
	choose(3, 65537);
	if (profil(buffer, (int)SIZE, (int)OFFSET, (int)SCALE) != -1)
		fail("profil() returns", 0);
	must_be_off();
	doing = "any scale";
	choose(0x35, 0x6000);
	on();
	must_count(18);

	doing = "a scale value of 0";
	off();
	must_be_off();
	on();
	must_count(18);
	doing = "an illegal address";
	errno = 0;
	if (profil((char *)64, (int)SIZE, (int)OFFSET, (int)SCALE) != -1 || errno != EFAULT)
		fail("EFAULT expected, errno is", errno);
	must_be_off();
	on();
	must_count(18);
	doing = "a negative size";
	errno = 0;
	if (profil((char *)large, -2, (int)OFFSET, (int)SCALE) != -1 || errno != E2BIG)
		fail("E2BIG expected, errno is", errno);
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
	doing = "a size of 0";
	if (profil(buffer, 0, (int)OFFSET, (int)SCALE))
		fail("profil() returns", -1);
	must_be_off();
	return 0;
}
