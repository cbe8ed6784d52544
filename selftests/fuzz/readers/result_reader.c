// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes `profil report', `profil diff' and `profil merge' with untrusted result files: reading,
 * adding up, printing. The sanitizers report errors, and the guarantees of resultfile.h, result.h
 * and profile.h are checked.
 *
 * The first byte of the input selects what the rest is: a file, or only the message in it,
 * because a mutated file hardly ever has the right checksum.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <profile/comparison.h>
#include <profile/profile.h>
#include <report/comparison_gate.h>
#include <report/report.h>
#include <report/report_json.h>
#include <result/merge.h>
#include <result/resultfile.h>
#include <result/resultpack.h>

#include "fake_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[] = "_ZN1a1bEv";	/* name of functions */

static void print_comparison(const struct comparison *comparison,
			     const struct comparison_side *side)
{
	const struct comparison_side sides[] = { *side, *side };
	const struct comparison_gate gate = { .is_set = true };
	const struct comparison_table table = { .top = 10 };
	const char *const names[] = { name, name };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	comparison_print_json(out, comparison, names, sides, &table, &gate);
	comparison_print_markdown(out, comparison, &table, &gate);
	if (comparison_fails(comparison, &gate))
		abort();
	fclose(out);
	free(text);
}

/* Compared with itself, a profile has no significant changes. */
static void compare(const struct result *result, const struct profile *profile)
{
	const struct comparison_side side = { result, profile };
	enum comparison_of of;

	for (of = COMPARISON_OF_SECONDS; of <= COMPARISON_OF_SHARES; of++) {
		struct comparison comparison;
		size_t i;

		if (!comparison_make(&comparison, &side, &side, of)) {
			for (i = 0; i < comparison.nr_rows; i++)
				if (comparison.rows[i].is_significant)
					abort();
			print_comparison(&comparison, &side);
		}
		comparison_release(&comparison);
	}
}

static void show(const struct result *result)
{
	struct profile profile;
	enum table_by by;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (!profile_make(&profile, result, fake_symbols_find, name)) {
		if (profile.samples != result_samples(result))
			abort();
		profile_demangle(&profile);
		compare(result, &profile);
		for (by = TABLE_BY_FUNCTION; by < NR_TABLES; by++) {
			const struct report report = {
				.result = result,
				.profile = &profile,
				.table.by = by,
				.table.order = PROFILE_BY_ADDRESS,
				.table.style = {
					.color = true, .bars = 20, .columns = 40 * (int)by,
				},
				.of_file = true,
			};

			out = open_memstream(&text, &length);
			report_print(out, &report);
			report_print_json(out, &report);
			fclose(out);
			free(text);
		}
	}
	profile_release(&profile);
}

/* A result that is written and read again does not change. */
static void write_again(const struct result *result)
{
	unsigned char *message, *second;
	size_t bytes, more_bytes;
	struct result again;
	const char *why;

	if (resultpack_pack(result, &message, &bytes))
		return;
	if (resultpack_unpack(message, bytes, &again, &why) ||
	    resultpack_pack(&again, &second, &more_bytes))
		abort();
	if (bytes != more_bytes || memcmp(message, second, bytes))
		abort();
	free(message);
	free(second);
	result_release(&again);
}

/* The sum of a result and itself is a result with twice the samples, if there can be one. */
static void merge(const struct result *result)
{
	struct result sum, more;
	char why[MERGE_WHY];
	unsigned char *message;
	const char *problem;
	size_t bytes;

	if (resultpack_pack(result, &message, &bytes))
		return;
	if (resultpack_unpack(message, bytes, &sum, &problem) ||
	    resultpack_unpack(message, bytes, &more, &problem))
		abort();
	if (!merge_add(&sum, &more, why)) {
		if (result_problem(&sum) || result_samples(&sum) != 2 * result_samples(result))
			abort();
		write_again(&sum);
	}
	free(message);
	result_release(&sum);
	result_release(&more);
}

static int read_result_file(const uint8_t *data, size_t size, struct result *result,
		     const char **why)
{
	int fd = memfd_create("result", MFD_CLOEXEC);
	int error = -EIO;
	char path[64];

	memset(result, 0, sizeof(*result));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		error = resultfile_read(path, result, why);
	close(fd);
	return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *why = NULL;
	struct result result;
	int error;

	if (!size)
		return 0;
	if (data[0] == 'f')
		error = read_result_file(data + 1, size - 1, &result, &why);
	else
		error = resultpack_unpack(data + 1, size - 1, &result, &why);
	if (error == -EBADMSG && !why)
		abort();
	if (!error) {
		if (result_problem(&result))
			abort();
		show(&result);
		write_again(&result);
		merge(&result);
	}
	result_release(&result);
	return 0;
}
