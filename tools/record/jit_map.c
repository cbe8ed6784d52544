// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads /tmp/perf-PID.map, whose format is that of tools/perf/Documentation/jit-interface.txt in
 * the kernel's sources. The file is read from its end, as its last lines count: the reading ends
 * when all addresses have a name, and needs the memory of one window only.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/jit_map.h"
#include "result/result.h"

#define WINDOW	((size_t)1 << 20)
#define HEAD	((size_t)2 * RESULT_MAX_NAME)	/* more than the part of a line that counts */

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit |= 'a' ^ 'A';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Read a number and the spaces after it, at least one. */
static bool read_number(const char **at, const char *end, uint64_t *number)
{
	const char *digit = *at;

	*number = 0;
	if (end - digit > 2 && digit[0] == '0' && (digit[1] | ('x' ^ 'X')) == 'x')
		digit += 2;
	*at = digit;
	for (; digit < end && digit_value(*digit) >= 0; digit++) {
		if (*number >> 60)
			return false;
		*number = *number << 4 | (uint64_t)digit_value(*digit);
	}
	if (digit == *at || digit == end || *digit != ' ')
		return false;
	while (digit < end && *digit == ' ')
		digit++;
	*at = digit;
	return true;
}

static void read_line(const char *line, const char *end, struct jit_names *names)
{
	uint64_t start, bytes;

	if (!read_number(&line, end, &start) || !read_number(&line, end, &bytes))
		return;
	if (end > line && end[-1] == '\r')
		end--;
	jit_names_add(names, start, bytes, line, (size_t)(end - line));
}

/* Read lines, the last one first. */
static void read_lines(const char *text, const char *end, struct jit_names *names)
{
	while (end > text && names->left) {
		const char *newline, *line;

		if (end[-1] == '\n')
			end--;
		newline = memrchr(text, '\n', (size_t)(end - text));
		line = newline ? newline + 1 : text;
		read_line(line, end, names);
		end = line;
	}
}

/* @bytes: at least 1. Return: whether the file has these bytes. */
static bool read_window(int fd, char *window, size_t bytes, uint64_t from)
{
	size_t done = 0;

	do {
		ssize_t more = pread(fd, window + done, bytes - done, (off_t)(from + done));

		if (more <= 0)
			return false;
		done += (size_t)more;
	} while (done < bytes);
	return true;
}

void jit_map_read(int fd, struct jit_names *names)
{
	char *window = malloc(WINDOW);
	uint64_t end, least, from;
	struct stat state;

	if (!window || fstat(fd, &state) || state.st_size <= 0)
		goto out;
	end = (uint64_t)state.st_size;
	least = end > JIT_MAP_BYTES ? end - JIT_MAP_BYTES : 0;
	while (end > least && names->left) {
		const char *first = window;
		size_t bytes;

		from = end - least > WINDOW ? end - WINDOW : least;
		bytes = (size_t)(end - from);
		if (!read_window(fd, window, bytes, from))
			break;
		/* the first line begins before the window */
		if (from) {
			first = memchr(window, '\n', bytes);
			first = first ? first + 1 : window + bytes;
		}
		read_lines(first, window + bytes, names);
		if (first < window + bytes)
			end = from + (uint64_t)(first - window);
		/* a line that is longer than the window: what counts of it may begin before */
		else if (from > least)
			end = from + HEAD;
		else
			break;
	}
out:
	free(window);
}
