/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monitor(3C) with a buffer of the program, sized by the manual page's formula; compiled with -p,
 * linked without. A second profile adds to the call counts; the file then has the histogram of the
 * second buffer. A buffer that both profiles use has the samples of both.
 *
 * usage: solaris-monitor [twice|again|none|full|fork]
 */
#include <mon.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "work.h"

#define BARSIZE	8
#define NFUNC	2	/* call counts, for three functions */

void
begin(barsize, again)
	int barsize, again;
{
	char *low = &__executable_start, *high = (char *)etext;
	unsigned long size = sizeof(struct hdr) + NFUNC * sizeof(struct cnt) +
		((high - low) / barsize) * sizeof(WORD) + sizeof(WORD) - 1;
	static WORD *same;
	WORD *buffer = same ? same : (WORD *)calloc(size, 1);

	if (buffer == NULL)
		exit(1);
	/* monitor() does not clear the buffer: here, a counter is close to its limit */
	if (barsize != BARSIZE)
		((WORD *)((struct cnt *)((struct hdr *)buffer + 1) + NFUNC))[0] = 32700;
	same = again ? buffer : NULL;
	monitor((int (*)())low, etext, buffer, size / sizeof(WORD), NFUNC);
}

void
end()
{
	monitor((int (*)())0, (int (*)())0, (WORD *)0, 0, 0);
}

int
main(argc, argv)
	int argc;
	char **argv;
{
	char *mode = argc > 1 ? argv[1] : "once";
	WORD small[8];

	/* calls before monitor() are not counted */
	much();
	if (strcmp(mode, "none") == 0) {
		monitor(main, etext, small, 8, NFUNC);
		end();
		exit(0);
	}
	begin(strcmp(mode, "full") ? BARSIZE : (char *)etext - &__executable_start,
	      strcmp(mode, "again") == 0);
	work(ROUNDS);
	if (strcmp(mode, "twice") == 0 || strcmp(mode, "again") == 0) {
		begin(BARSIZE, 0);
		work(ROUNDS);
	}
	if (strcmp(mode, "fork") == 0 && fork() == 0)
		work(ROUNDS);
	else
		wait((int *)0);
	end();
	exit(0);
}
