// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of a result in a message: another process that has the result without them then has the
 * same result, and the message has nothing else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <result/resultnames.h>
#include <result/resultpack.h>

#include "support/filled_result.h"
#include "support/test.h"

/* A result with names, and the same without them */
static struct result named, result;

static void drop_names(struct result *from)
{
	size_t i;

	for (i = 0; i < from->nr_objects; i++)
		result_release_names(&from->objects[i]);
	result_free_argv(from->strings);
	from->strings = NULL;
	from->nr_strings = 0;
}

FIXTURE(set_up)
{
	unsigned char *message;
	const char *why;
	size_t bytes;

	fill_result(&named);
	assert_int_equal(resultpack_pack(&named, &message, &bytes), 0);
	assert_int_equal(resultpack_unpack(message, bytes, &result, &why), 0);
	free(message);
	drop_names(&result);
	return 0;
}

FIXTURE(tear_down)
{
	result_release(&named);
	result_release(&result);
	return 0;
}

TEST_F(names_are_added)
{
	unsigned char *message;
	size_t bytes;

	assert_true(named.objects[0].has_names && named.objects[0].nr_places > 1 &&
		    named.objects[0].nr_frames && named.objects[0].nr_functions);
	assert_int_equal(resultnames_pack(&named, &message, &bytes), 0);
	assert_int_equal(resultnames_take(&result, message, bytes), 0);
	free(message);
	assert_same_result(&named, &result);
	assert_int_equal(result.nr_strings, named.nr_strings);
}

/* What the parent has need not be sent to it. */
TEST_F(processes_are_not_in_the_message)
{
	unsigned char *message;
	size_t few, many, i;

	assert_int_equal(resultnames_pack(&named, &message, &few), 0);
	free(message);
	named.processes = reallocarray(named.processes, 1000, sizeof(*named.processes));
	assert_non_null(named.processes);
	for (i = named.nr_processes; i < 1000; i++)
		named.processes[i] = (struct result_process){ .program = strdup("program") };
	named.nr_processes = 1000;
	assert_int_equal(resultnames_pack(&named, &message, &many), 0);
	free(message);
	assert_int_equal(few, many);
}

TEST_F(names_of_another_result_are_refused)
{
	unsigned char *message;
	size_t bytes;

	assert_int_equal(resultnames_pack(&named, &message, &bytes), 0);
	result.objects[1].path[1]++;
	assert_int_equal(resultnames_take(&result, message, bytes), -EBADMSG);
	assert_false(result.objects[0].has_names);
	assert_null(result.strings);
	result.objects[1].path[1]--;
	result.nr_objects--;
	assert_int_equal(resultnames_take(&result, message, bytes), -EBADMSG);
	result.nr_objects++;
	assert_int_equal(resultnames_take(&result, message, bytes - 1), -EBADMSG);
	free(message);
}
