/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_TEXT_H
#define PROFIL_TEXT_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Messages without stdio. Signal handlers may call the functions that print them, also one that
 * has interrupted fprintf(). Inline, because the dialect libraries cannot call hidden functions of
 * libprofil.
 */

#define PROFIL_TEXT_PARTS	24	/* strings in a line; more are left out */
#define PROFIL_DIGITS		24	/* bytes for any number */

/*
 * Print strings on stderr as one line, to which it adds the newline. Preserves errno. Not a
 * cancellation point, unlike writev(): callers hold memory and locks.
 */
#define profil_text_print(...)						\
	profil_text_print_list((const char *const[]){ __VA_ARGS__, NULL })

/* Used by profil_text_print() only: its strings, up to NULL */
static inline void profil_text_print_list(const char *const *list)
{
	struct iovec parts[PROFIL_TEXT_PARTS + 1];
	const int saved = errno;
	int nr;

	for (nr = 0; nr < PROFIL_TEXT_PARTS && list[nr]; nr++)
		parts[nr] = (struct iovec){ (char *)list[nr], strlen(list[nr]) };
	parts[nr++] = (struct iovec){ (char *)"\n", 1 };
	syscall(SYS_writev, STDERR_FILENO, parts, nr);
	errno = saved;
}

/* The digits of a number, which are in @digits. base: 10 or 16, without a prefix */
static inline const char *profil_text_number(char digits[PROFIL_DIGITS],
					     unsigned long long number, unsigned int base)
{
	char *at = &digits[PROFIL_DIGITS - 1];

	*at = 0;
	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	return at;
}

/*
 * Append a string to @text, which has room for @size bytes; what does not fit is left out. Not by
 * strncat(): GCC 12 removes the final 0 of @more, as if that read no more than its limit.
 */
static inline void profil_text_append(char *text, size_t size, const char *more)
{
	size_t used = strlen(text), bytes = strlen(more);

	if (bytes > size - 1 - used)
		bytes = size - 1 - used;
	memcpy(text + used, more, bytes);
	text[used + bytes] = 0;
}

#endif /* PROFIL_TEXT_H */
