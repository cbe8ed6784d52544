// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of a live view, and the names of its rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <top/live_functions.h>
#include <top/paint.h>

#include "support/recorded.h"

#define ROWS	10

static struct screen_line lines[ROWS];
static struct live_functions functions;
static struct rows rows;

FIXTURE(clear)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		free(lines[i].text);
	memset(lines, 0, sizeof(lines));
	rows_release(&rows);
	return 0;
}

/* Objects of a build differ at the end of their names, those of programs in their paths. */
TEST_WITH(ends_of_objects_are_shown, NULL, clear)
{
	struct paint paint = { .columns = 80, .of = "make", .table = &rows, .selected = SIZE_MAX };

	rows_add(&rows, rows_new(&rows, "f", "/usr/bin/x86_64-linux-gnu-as"), 1, 0);
	paint_table(lines, ROWS, &paint);
	assert_non_null(strstr(lines[PAINT_HEAD].text, " ...linux-gnu-as"));
	clear(NULL);
	rows_add(&rows, rows_new(&rows, "f", "/usr/bin/x86_64-linux-gnu-as"), 1, 0);
	paint.columns = 120;
	paint_table(lines, ROWS, &paint);
	assert_non_null(strstr(lines[PAINT_HEAD].text, " x86_64-linux-gnu-as"));
}

/* A page that is being read has what is known, and signs of life. */
TEST_WITH(page_is_filled_later, NULL, clear)
{
	char *page_lines[] = { (char *)"# 7 samples", (char *)"second", (char *)"third" };
	struct drill_down page = { .helper.pid = 1, .lines = page_lines, .nr = 1 };

	paint_page(lines, 4, 80, "f", &page, 0);
	assert_string_equal(lines[1].text, "# 7 samples");
	assert_non_null(strstr(lines[2].text, "files are read ... "));
	clear(NULL);
	/* over the end of a longer one */
	page.nr = 3;
	paint_page(lines, 4, 80, "f", &page, 0);
	assert_string_equal(lines[1].text, "# 7 samples");
	assert_non_null(strstr(lines[2].text, "files are read ... "));
	clear(NULL);
	page.helper.pid = 0;
	paint_page(lines, 4, 80, "f", &page, 0);
	assert_string_equal(lines[2].text, "second");
}

/* Code that a process has made at 0x50000 */
static void sample_made(int pid, const char *program)
{
	const struct profil_record_map made = { .start = 0x50000, .end = 0x60000 };

	fake_log_exec(&fake, pid, 0, 0, program);
	fake_log_run(&fake, pid);
	fake_log_map(&fake, pid, &made, "");
	fake_log_sample(&fake, pid, 0x5a000, 3);
	assert_int_equal(recording_read(recording, fake.read), 1);
	assert_int_equal(live_functions_count_made(&functions), 0);
}

static const struct row *find_row(const char *name)
{
	size_t i;

	for (i = 0; i < functions.rows.nr; i++)
		if (!strcmp(functions.rows.list[i]->name, name))
			return functions.rows.list[i];
	return NULL;
}

TEST_F(made_code_has_the_name_of_the_report)
{
	functions.recording = recording;
	sample_made(PID, "java");
	assert_int_equal(functions.rows.nr, 1);
	assert_int_equal(find_row("[jit] java")->samples, 3);
	sample_made(CHILD, "node");
	sample_made(PID, "java");
	assert_int_equal(functions.rows.nr, 2);
	assert_int_equal(find_row("[jit] java")->samples, 6);
	assert_int_equal(find_row("[jit] node")->samples, 3);
	live_functions_release(&functions);
}
