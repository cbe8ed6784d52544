// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page of text about a row, from the code of `profil report'. The child makes a result of the
 * copy of the recording that it has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/profile.h"
#include "report/annotate.h"
#include "report/table.h"
#include "result/select.h"
#include "symbol/symbols.h"
#include "top/child_signals.h"
#include "top/details.h"
#include "top/open_files.h"
#include "util/failure.h"

/* What the child writes about */
struct subject {
	const struct details_run *run;
	enum details_of of;
	const struct row *row;
	struct terminal_style style;
};

/* --- the child ------------------------------------------------------------------- */

/* Print the functions of the samples that are selected. Return: 0 or -ENOMEM. */
static int print_functions(FILE *out, const struct result *result, struct symbols *symbols,
			   const struct subject *subject)
{
	const struct table_options options = { .is_part = true, .style = subject->style };
	struct profile profile = { 0 };
	int error = profile_make(&profile, result, symbols_find, symbols);

	if (!error) {
		profile_demangle(&profile);
		fprintf(out, "# %s: %llu samples\n", subject->row->name,
			(unsigned long long)profile.samples);
		if (profile.samples)
			error = table_print(out, result, &profile, &options);
	}
	profile_release(&profile);
	return error;
}

static int select_row(struct result *result, const struct subject *subject)
{
	char *program = selection_pattern(subject->row->place), thread[16];
	struct selection selection = { .program = program };
	int error = program ? 0 : -ENOMEM;

	if (subject->of == DETAILS_THREAD) {
		snprintf(thread, sizeof(thread), "%d", subject->row->tid);
		selection = (struct selection){ .process = subject->row->pid, .thread = thread };
	}
	if (!error)
		error = result_select(result, &selection);
	free(program);
	return error;
}

static int print_annotated(FILE *out, const struct result *result, struct symbols *symbols,
			   const struct subject *subject)
{
	const struct annotate_options options = {
		.function = subject->row->name,
		.instructions = subject->of == DETAILS_INSTRUCTIONS,
		.style = subject->style,
	};
	const long functions = annotate_print(out, result, symbols, &options);

	if (!functions)
		fprintf(out, "# there is no file that has the code of this row\n");
	return functions < 0 ? (int)functions : 0;
}

static int write_page(FILE *out, const struct subject *subject)
{
	const struct details_run *run = subject->run;
	struct symbols *symbols;
	struct result result;
	int error;

	error = collect_result(&result, run->recording, run->log, run->so_far, run->argv);
	if (!error && (subject->of == DETAILS_THREAD || subject->of == DETAILS_PROGRAM))
		error = select_row(&result, subject);
	if (error)
		return error;
	symbols = symbols_new(&result, NULL);
	if (!symbols)
		return -ENOMEM;
	open_files_use(symbols, &result, run->recording);
	return subject->of == DETAILS_THREAD || subject->of == DETAILS_PROGRAM ?
	       print_functions(out, &result, symbols, subject) :
	       print_annotated(out, &result, symbols, subject);
}

static void __attribute__((noreturn)) write_in_child(const struct subject *subject, int file)
{
	FILE *out = fdopen(file, "w");
	int error;

	child_signals_set();
	error = out ? write_page(out, subject) : -ENOMEM;
	if (out && error)
		fprintf(out, "# %s (%s)\n", strerror(-error), strerrorname_np(-error));
	if (out)
		fflush(out);
	_exit(0);
}

/* --- this process ---------------------------------------------------------------- */

/* A page of one line. */
static void explain(struct details *details, const char *text)
{
	free(details->text);
	free(details->lines);
	details->text = strdup(text);
	details->lines = calloc(1, sizeof(*details->lines));
	details->nr = details->text && details->lines;
	if (details->nr)
		details->lines[0] = details->text;
}

static void explain_error(struct details *details, int error)
{
	char text[256];

	snprintf(text, sizeof(text), "# no page: %s (%s): %s", strerror(error),
		 strerrorname_np(error), error == EAGAIN ?
		 "raise the limit of processes (ulimit -u)" : failure_remedy(error));
	explain(details, text);
}

void details_begin(struct details *details, const struct details_run *run, enum details_of of,
		   const struct row *row, int columns)
{
	const struct subject subject = {
		.run = run, .of = of, .row = row, .style = { .columns = columns },
	};

	memset(details, 0, sizeof(*details));
	details->file = memfd_create("profil-details", MFD_CLOEXEC);
	if (details->file < 0) {
		explain_error(details, errno);
		return;
	}
	/* otherwise the child would write buffered text a second time */
	fflush(NULL);
	details->child = fork();
	if (!details->child)
		write_in_child(&subject, details->file);
	if (details->child > 0)
		return;
	explain_error(details, errno);
	details->child = 0;
	close(details->file);
}

/* Split the text into lines. Return: 0 or -ENOMEM. */
static int split(struct details *details)
{
	char *at = details->text, *const end = at + details->bytes;
	size_t nr = 0;

	for (at = details->text; at < end; at++)
		nr += *at == '\n';
	details->lines = calloc(nr + 1, sizeof(*details->lines));
	if (!details->lines)
		return -ENOMEM;
	for (at = details->text; at < end; at++) {
		details->lines[details->nr++] = at;
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			break;
		*at = 0;
	}
	return 0;
}

static int read_page(struct details *details)
{
	struct stat st;

	if (fstat(details->file, &st))
		return -errno;
	details->bytes = (size_t)st.st_size;
	details->text = calloc(details->bytes + 1, 1);
	if (!details->text)
		return -ENOMEM;
	if (pread(details->file, details->text, details->bytes, 0) != st.st_size)
		return -EIO;
	return split(details);
}

bool details_look(struct details *details)
{
	int status;

	if (!details->child || waitpid(details->child, &status, WNOHANG) != details->child)
		return false;
	details->child = 0;
	if (read_page(details))
		explain(details, "# no memory (ENOMEM): end other programs");
	else if (WIFSIGNALED(status))
		explain(details, "# a file of the program is damaged, or changed while it was read: press r to read it again");
	close(details->file);
	return true;
}

void details_end(struct details *details)
{
	if (details->child) {
		/* it may take long to read a file */
		kill(details->child, SIGKILL);
		waitpid(details->child, NULL, 0);
		close(details->file);
	}
	free(details->lines);
	free(details->text);
	memset(details, 0, sizeof(*details));
}
