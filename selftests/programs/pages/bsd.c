/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), BSD Experimental, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

int
profil(char *samples, int size, int offset, int scale);

#include "steps.h"

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

	must_count_at("65536 maps each bin to 2 bytes", 3, 65536, 2);
	must_count_at("32768 gives 4 bytes", 4, 32768, 2);
	must_count_at("16384 gives 8 bytes", 8, 16384, 2);
	must_count_at("(pc - offset) is divided by 2 first", 3, 0xffff, 0);
	must_count_within();
	must_count_at("a scale of 1", 0x40000, 1, 4);
	doing = "a scale above 65536";
	off();
	choose(3, 65537);
	if (profil(buffer, (int)SIZE, (int)OFFSET, (int)SCALE) != -1)
		fail("profil() returns", 0);
	must_be_off();
	must_count_at("any scale", 0x35, 0x6000, 18);

	doing = "a scale value of 0";
	off();
	must_restart(18);
	doing = "an illegal address";
	errno = 0;
	if (profil((char *)64, (int)SIZE, (int)OFFSET, (int)SCALE) != -1 || errno != EFAULT)
		fail("EFAULT expected, errno is", errno);
	must_restart(18);
	doing = "a negative size";
	errno = 0;
	if (profil((char *)large, -2, (int)OFFSET, (int)SCALE) != -1 || errno != E2BIG)
		fail("E2BIG expected, errno is", errno);
	must_restart(18);
	must_count_after_fork_and_exec(18);
	must_count_after_fault(18);
	doing = "a size of 0";
	if (profil(buffer, 0, (int)OFFSET, (int)SCALE))
		fail("profil() returns", -1);
	must_be_off();
	return 0;
}
