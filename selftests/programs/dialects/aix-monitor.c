/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monitor subroutine of AIX in each of its forms; compiled with -p, linked without. exit()
 * writes the file if the program does not.
 *
 * usage: aix-monitor buffer|array|program|fragments
 */
#include <sys/types.h>
#include <mon.h>
#include <errno.h>
#include <string.h>

#include "work.h"

#define NFUNC	100

static void in_buffer()
{
	caddr_t low = &__executable_start, high = (caddr_t)etext;
	int size = (high - low) / 8 + NFUNC * sizeof(struct poutcnt) / sizeof(HISTCOUNTER);
	HISTCOUNTER *buffer = (HISTCOUNTER *)malloc(size * sizeof(HISTCOUNTER));

	/* monitor() must clear it */
	memset((char *)buffer, 0xff, size * sizeof(HISTCOUNTER));
	check("monitor", monitor(low, high, buffer, size, NFUNC), 0);
}

static void of_array()
{
	static struct prof ranges[3];
	static HISTCOUNTER buffer[1000];

	ranges[0].p_low = (caddr_t)much;
	ranges[0].p_high = (caddr_t)less;
	ranges[0].p_buff = buffer;
	ranges[0].p_bufsize = 900;
	ranges[1].p_low = (caddr_t)less - 1;
	ranges[1].p_high = (caddr_t)finish;
	ranges[1].p_buff = buffer + 900;
	ranges[1].p_bufsize = 100;
	errno = 0;
	check("ranges that overlap", monitor((caddr_t)1, (caddr_t)0, ranges, -1, NFUNC), -1);
	check("errno", errno, EINVAL);
	ranges[1].p_low = (caddr_t)less;
	check("monitor", monitor((caddr_t)1, (caddr_t)0, ranges, -1, NFUNC), 0);
}

static void of_fragments()
{
	static struct frag ranges[3];

	ranges[0].p_low = (caddr_t)much;
	ranges[0].p_high = (caddr_t)less;
	ranges[1].p_low = (caddr_t)less;
	ranges[1].p_high = (caddr_t)finish;
	check("monstartup", monstartup((caddr_t)-1, (caddr_t)ranges), 0);
}

int main(argc, argv)
	int argc;
	char **argv;
{
	errno = 0;
	check("monitor of no type", monitor((caddr_t)0), -1);
	check("errno", errno, EINVAL);
	check("moncontrol of no type", moncontrol(1), 0);
	_mondata.prof_type = _PROF_TYPE_IS_P;
	check("a buffer without room", monitor((caddr_t)main, (caddr_t)etext,
					       (HISTCOUNTER *)&sum, 4, NFUNC), -1);
	switch (argc > 1 ? argv[1][0] : 'b') {
	case 'b':
		in_buffer();
		break;
	case 'a':
		of_array();
		break;
	case 'p':
		check("monstartup", monstartup((caddr_t)-1, (caddr_t)0), 0);
		break;
	default:
		of_fragments();
	}
	work(ROUNDS);
	if (argc > 1 && argv[1][0] == 'b')
		check("end", monitor((caddr_t)0), 0);
	exit(0);
}
