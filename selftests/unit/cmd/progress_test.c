// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress line of a run.
 */
#include <stdio.h>
#include <string.h>

#include <cmd/progress.h>
#include <util/time_ns.h>

#include "support/test.h"

/* CPU time is that since the line before: 100 Hz, so a sample is a hundredth of a second. */
TEST(lines)
{
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct progress progress;

	assert_non_null(out);
	progress_begin(&progress, out);
	progress_show(&progress, 0, 0, 100);
	progress_show(&progress, 2 * NS_PER_S, 1, 100);
	progress_show(&progress, 4 * NS_PER_S, 301, 100);
	progress_show(&progress, 5 * NS_PER_S, 301, 0);
	progress_end(&progress);
	fclose(out);
	assert_string_equal(text,
		"profil: 0.0 s, 0 samples, 0% CPU\n"
		"profil: 2.0 s, 1 sample, 0% CPU\n"
		"profil: 4.0 s, 301 samples, 150% CPU\n"
		"profil: 5.0 s, 301 samples, 0% CPU\n");
}

/* A terminal has one line, which is removed at the end. */
TEST(terminals_have_one_line)
{
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct progress progress = { .out = out, .is_terminal = true };

	assert_non_null(out);
	progress_show(&progress, NS_PER_S, 7, 100);
	progress_end(&progress);
	fclose(out);
	assert_string_equal(text, "\rprofil: 1.0 s, 7 samples, 7% CPU\033[K\r\033[K");
}
