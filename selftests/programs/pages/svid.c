/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), HP-UX 5.20, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

void profil(char *buff, int bufsiz, int offset, int scale);

#include "steps.h"

static void on(void)
{
	profil(buffer, (int)SIZE, (int)OFFSET, (int)SCALE);
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	must_count_at("0177777 gives a 1-1 mapping", 3, 0177777, 2);
	must_count_at("077777 maps each pair together", 5, 077777, 2);
	must_count_at("02 maps all instructions onto the beginning", 0x10000000, 02, 0);
	doing = "02 and an offset of 0";
	profil(buffer, (int)SIZE, 0, 02);
	/* whatever else the program does is counted, too */
	spin(LONG_TIME);
	profil(buffer, (int)SIZE, 0, 0);
	if (*counter(0) < rate() * LONG_TIME / 1000 / 2)
		fail("counter is", *counter(0));
	*counter(0) = 0;
	must_be_off();
	must_count_within();
	must_count_at("any scale", 0x35, 0x6000, 18);

	doing = "a scale of 0";
	profil(buffer, (int)SIZE, (int)OFFSET, 0);
	must_restart(18);
	doing = "a scale of 1";
	profil(buffer, (int)SIZE, (int)OFFSET, 1);
	must_restart(18);
	doing = "a bufsiz of 0";
	profil(buffer, 0, (int)OFFSET, (int)SCALE);
	must_be_off();
	profil(buffer, 0, (int)OFFSET, 02);
	must_restart(18);
	must_count_after_fork_and_exec(18);
	must_count_after_fault(18);
	profil(buffer, (int)SIZE, (int)OFFSET, 0);
	must_be_off();
	return 0;
}
