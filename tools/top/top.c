// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live view of a run. Each look costs as much as the samples since the last one and the lines of
 * the screen, not as much as the whole run: it must not disturb what it shows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/snapshot.h"
#include "record/sample_hook.h"
#include "record/signals.h"
#include "top/live_functions.h"
#include "top/live_tasks.h"
#include "top/stored.h"
#include "top/top.h"
#include "top/view.h"
#include "util/helper.h"
#include "util/time_ns.h"

/* How often the names of threads and of made code are read */
#define NAMES_NS	NS_PER_S

/* In the first seconds, the screen is renewed at each call: names come one after the other */
#define FIRST_NS	(2 * NS_PER_S)

/* How long the one table waits for names */
#define LAST_NAMES_NS	(30 * NS_PER_S)

/* A view */
struct top {
	struct top_options options;	/* what to show */
	struct recording *recording;	/* what it is of; NULL: a stored result */
	struct live_functions functions;	/* the rows of functions */
	struct live_tasks tasks;	/* the rows of threads and programs */
	struct view view;	/* what is shown */
	struct screen *screen;	/* the terminal; NULL: none */
	int messages;	/* file in memory: the messages to standard error; -1: none */
	int standard_error;	/* the real one */
	uint64_t start_ns;	/* when top_begin() was called; 0: not yet */
	uint64_t shown_ns;	/* when the screen was renewed */
	uint64_t names_ns;	/* when names of threads and of made code are read again */
	const char *state;	/* as in struct paint */
	struct resultfile file;	/* for results that the user asks for */
	struct snapshot snapshot;	/* writes them */
	char note[256];	/* as in struct paint, until the next key */
	bool is_leaving;	/* the user has left */
};

/* --- counting -------------------------------------------------------------------- */

/* A sample_hook_fn. The sums of made code are read in count_made(). */
static int count(void *data, const struct file *file, const struct result_part *part)
{
	struct top *top = data;
	int error = 0;

	if (!file || !files_is_made(file))
		error = live_functions_add(&top->functions, file, part);
	return error ? error : live_tasks_add(&top->tasks, part);
}

/* Return: 0 or -ENOMEM. */
static int read_names(struct top *top, uint64_t now_ns)
{
	const uint64_t start = time_ns(CLOCK_PROCESS_CPUTIME_ID);
	const struct rows *threads = &top->tasks.threads;
	size_t i, last = top->view.first + top->view.height;
	uint64_t pause_ns;
	int error;

	error = recording_read_names(top->recording);
	if (!error)
		error = live_functions_count_made(&top->functions);
	for (i = top->view.first; !error && i < last && i < threads->nr; i++)
		if (top->view.by != PAINT_FUNCTIONS)
			error = live_tasks_update(&top->tasks, threads->list[i]);
	/* at most 5 % of the CPU time, however large the files of a runtime are */
	pause_ns = helper_pause(time_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
	top->names_ns = now_ns + (pause_ns > NAMES_NS ? pause_ns : NAMES_NS);
	return error;
}

static int bring_up_to_date(struct top *top)
{
	const uint64_t now_ns = time_ns(CLOCK_MONOTONIC);
	int error = 0;
	size_t by;

	if (!top->recording)
		return 0;
	for (by = 0; by < NR_PAINT_BYS; by++)
		rows_tick(top->view.tables[by], now_ns);
	if (now_ns >= top->names_ns)
		error = read_names(top, now_ns);
	return error ? error : live_functions_name(&top->functions);
}

/* --- showing --------------------------------------------------------------------- */

static struct paint make_paint(const struct top *top, const struct live_run *run)
{
	return (struct paint){
		.of = run->argv[0],
		.pid = run->so_far.pid,
		.by = top->view.by,
		.table = top->view.tables[top->view.by],
		.first = top->view.first,
		.seconds = (double)run->so_far.elapsed_ns / NS_PER_S,
		.rate = run->log.status.rate,
		.lost = run->log.status.lost,
		.waiting = live_functions_waiting(&top->functions),
		.state = top->view.is_paused ? "PAUSED" : top->state,
		.note = top->note,
	};
}

static void paint(struct top *top, const struct live_run *run)
{
	struct view *view = &top->view;
	struct screen_line *lines;
	struct paint table;
	int columns, rows;

	screen_size(top->screen, &columns, &rows);
	lines = calloc((size_t)rows, sizeof(*lines));
	if (!lines)
		return;
	view->height = rows > PAINT_HEAD + 1 ? (size_t)rows - PAINT_HEAD - 1 : 0;
	if (columns < PAINT_COLUMNS || rows < PAINT_ROWS) {
		paint_small(lines, (size_t)rows, columns);
	} else if (view->has_help) {
		paint_help(lines, (size_t)rows, columns);
	} else if (view->has_page) {
		paint_page(lines, (size_t)rows, columns, view->page_row->name, &view->page,
			   view->page_first);
	} else {
		rows_sort(view->tables[view->by]);
		table = make_paint(top, run);
		table.columns = columns;
		table.selected = view_scroll(view);
		table.first = view->first;
		paint_table(lines, (size_t)rows, &table);
	}
	screen_show(top->screen, lines);
	free(lines);
}

static void note_written(struct top *top)
{
	const int error = -top->snapshot.error;

	if (!error)
		snprintf(top->note, sizeof(top->note), "the result is in %s", top->file.path);
	else
		snprintf(top->note, sizeof(top->note), "%s: no result: %s (%s)", top->file.path,
			 strerror(error), strerrorname_np(error));
}

/* A result is as that of an interval of `profil run'. */
static void write_result(struct top *top, const struct live_run *run)
{
	if (!top->recording) {
		snprintf(top->note, sizeof(top->note), "the result is in %s", top->state);
		return;
	}
	snprintf(top->note, sizeof(top->note), "the result is being written to %s",
		 top->file.path);
	if (!snapshot_has_ended(&top->snapshot, false))
		return;
	snapshot_begin(&top->snapshot, run, &top->file, 0);
	if (!top->snapshot.helper.pid)
		note_written(top);
}

int top_show(struct top *top, const struct live_run *run)
{
	const uint64_t now_ns = time_ns(CLOCK_MONOTONIC);
	int error = bring_up_to_date(top), columns, rows;
	bool is_due;

	if (!top->screen)
		return error;
	is_due = now_ns - top->shown_ns >= top->options.delay_ns ||
		 now_ns - top->start_ns < FIRST_NS;
	is_due &= !top->view.is_paused && !top->view.has_page;
	is_due |= drill_down_look(&top->view.page) ||
		  (top->view.page.helper.pid && now_ns - top->shown_ns >= NS_PER_S);
	is_due |= screen_size(top->screen, &columns, &rows);
	if (top->snapshot.helper.pid && snapshot_has_ended(&top->snapshot, false)) {
		note_written(top);
		is_due = true;
	}
	if (is_due) {
		paint(top, run);
		top->shown_ns = now_ns;
	}
	return error;
}

bool top_key(struct top *top, const struct live_run *run)
{
	struct view *view = &top->view;
	int key, columns, rows;
	enum view_wish wish;

	while (!top->is_leaving && (key = screen_key(top->screen)) != SCREEN_NONE) {
		wish = view_key(view, key);
		*top->note = 0;
		if (view->is_typing || *view->search)
			snprintf(top->note, sizeof(top->note), "/%s  %sEscape shows all",
				 view->search, view->is_typing ? "Enter keeps it, " : "");
		switch (wish) {
		case VIEW_LEAVE:
			top->is_leaving = true;
			break;
		case VIEW_PAGE:
			screen_size(top->screen, &columns, &rows);
			drill_down_begin(&view->page, run, view->page_of, view->page_row, columns);
			view->has_page = true;
			break;
		case VIEW_WRITE:
			write_result(top, run);
			break;
		case VIEW_SUSPEND:
			screen_suspend(top->screen);
			break;
		default:
			break;
		}
	}
	if (!top->is_leaving)
		paint(top, run);
	return !top->is_leaving;
}

/* --- the terminal ---------------------------------------------------------------- */

/* What is written to standard error would be in the middle of the screen. */
static void hold_messages(struct top *top)
{
	if (!isatty(STDERR_FILENO))
		return;
	top->messages = memfd_create("profil-messages", MFD_CLOEXEC);
	top->standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (top->messages >= 0 && top->standard_error >= 0)
		dup2(top->messages, STDERR_FILENO);
}

static void release_messages(struct top *top)
{
	char text[4096];
	ssize_t bytes;

	if (top->messages < 0 || top->standard_error < 0)
		return;
	fflush(stderr);
	dup2(top->standard_error, STDERR_FILENO);
	lseek(top->messages, 0, SEEK_SET);
	while ((bytes = read(top->messages, text, sizeof(text))) > 0)
		if (write(STDERR_FILENO, text, (size_t)bytes) < 0)
			break;
	close(top->standard_error);
	close(top->messages);
	top->messages = -1;
	top->standard_error = -1;
}

int top_begin(struct top *top, char why[SCREEN_WHY])
{
	top->start_ns = time_ns(CLOCK_MONOTONIC);
	bring_up_to_date(top);
	if (top->options.terminal < 0)
		return 0;
	top->screen = screen_new(top->options.terminal, why);
	if (!top->screen)
		return -1;
	hold_messages(top);
	return 0;
}

/* The programs have ended. Wait until the user has seen enough. */
static void linger(struct top *top, const struct live_run *run)
{
	const struct timespec tick = { .tv_nsec = TOP_TICK_NS };
	struct pollfd polled = { .fd = top->options.terminal, .events = POLLIN };
	struct signals old;
	sigset_t waiting;

	if (top->recording)
		top->state = "ENDED, q leaves";
	/* what was used in the last seconds is nearly 0 for all */
	if (top->view.tables[top->view.by]->order == ROWS_BY_NOW)
		view_order_by(&top->view, ROWS_BY_SAMPLES);
	signals_begin(&old, false);
	signals_allow(&old, 0, &waiting);
	paint(top, run);
	while (!top->is_leaving && !signals_end_is_requested()) {
		const int nr = ppoll(&polled, 1, &tick, &waiting);

		if (nr > 0 && polled.revents & ~POLLIN)
			break;
		if (nr > 0)
			top_key(top, run);
		top_show(top, run);
	}
	signals_end(&old);
}

static void print_table(struct top *top, const struct live_run *run)
{
	struct rows *table = top->view.tables[top->view.by];
	const uint64_t end_ns = time_ns(CLOCK_MONOTONIC) + LAST_NAMES_NS;
	const struct timespec tick = { .tv_nsec = TOP_TICK_NS / 10 };
	struct paint paint = make_paint(top, run);
	struct screen_line *lines;
	size_t nr, i;

	while (live_functions_waiting(&top->functions) && time_ns(CLOCK_MONOTONIC) < end_ns &&
	       !live_functions_name(&top->functions))
		ppoll(NULL, 0, &tick, NULL);
	rows_sort(table);
	nr = table->nr;
	if (top->options.most && nr > top->options.most)
		nr = top->options.most;
	lines = calloc(nr + PAINT_HEAD, sizeof(*lines));
	if (!lines)
		return;
	paint.plain = true;
	paint.columns = terminal_style(top->options.out, TERMINAL_AUTO).columns;
	paint.selected = SIZE_MAX;
	paint.waiting = live_functions_waiting(&top->functions);
	paint_table(lines, nr + PAINT_HEAD, &paint);
	for (i = 0; i < nr + PAINT_HEAD; i++) {
		if (lines[i].text)
			fprintf(top->options.out, "%s\n", lines[i].text);
		free(lines[i].text);
	}
	free(lines);
}

void top_end(struct top *top, const struct live_run *run)
{
	const bool has_ended = !top->is_leaving && !signals_end_is_requested();

	top->names_ns = 0;
	bring_up_to_date(top);
	if (!top->screen) {
		print_table(top, run);
		return;
	}
	if (has_ended)
		linger(top, run);
	screen_free(top->screen);
	top->screen = NULL;
	release_messages(top);
}

void top_hide_command(void *data)
{
	int fd, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)data;
	for (fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		if (isatty(fd))
			dup2(null, fd);
}

struct top *top_new(const struct top_options *options, struct recording *recording)
{
	struct top *top = calloc(1, sizeof(*top));

	if (!top)
		return NULL;
	top->options = *options;
	top->recording = recording;
	top->messages = -1;
	top->standard_error = -1;
	top->functions.recording = recording;
	top->functions.reader = recording ? name_reader_new(recording) : NULL;
	top->tasks.recording = recording;
	top->view.tables[PAINT_FUNCTIONS] = &top->functions.rows;
	top->view.tables[PAINT_THREADS] = &top->tasks.threads;
	top->view.tables[PAINT_PROGRAMS] = &top->tasks.programs;
	top->view.by = options->by;
	top->file.path = options->output;
	resultfile_look(&top->file);
	view_order_by(&top->view, options->order);
	if (recording && !top->functions.reader) {
		free(top);
		return NULL;
	}
	if (recording)
		sample_hook_set(recording, count, top);
	return top;
}

int top_show_stored(const struct top_options *options, const struct result *result,
		    const char *path, char why[SCREEN_WHY])
{
	const struct live_run run = {
		.log.status.rate = (uint32_t)(result_rate(result) + 0.5),
		.log.status.lost = result->lost,
		.so_far = { .pid = result->pid, .elapsed_ns = result->elapsed_ns },
		.argv = result->argv,
		.stored = result,
	};
	struct top *top = top_new(options, NULL);
	int error = -1;

	snprintf(why, SCREEN_WHY, "no memory");
	if (top && !stored_fill(top->view.tables, result, why))
		error = top_begin(top, why);
	if (!error) {
		top->state = path;
		top_end(top, &run);
	}
	top_free(top);
	return error;
}

void top_free(struct top *top)
{
	if (!top)
		return;
	screen_free(top->screen);
	release_messages(top);
	drill_down_end(&top->view.page);
	live_functions_release(&top->functions);
	live_tasks_release(&top->tasks);
	free(top);
}
