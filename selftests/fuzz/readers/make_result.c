// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a result file, or only the message in it: the initial inputs of result_reader.
 *
 * usage: make_result file|message FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <result/resultfile.h>
#include <result/resultpack.h>

#include "support/fake_result.h"

int main(int argc, char **argv)
{
	unsigned char *message;
	struct result result;
	size_t bytes;
	char *left;
	int error;
	FILE *out;

	fake_result(&result);
	if (argc != 3)
		return 1;
	if (!strcmp(argv[1], "file"))
		return resultfile_write(argv[2], &result, &left, NULL) != 0;
	out = fopen(argv[2], "w");
	if (!out || resultpack_pack(&result, &message, &bytes))
		return 1;
	error = fwrite(message, bytes, 1, out) != 1 || fclose(out);
	free(message);
	return error;
}
