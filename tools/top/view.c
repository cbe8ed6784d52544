// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the keys of a live view do.
 */
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "top/view.h"
#include "util/array.h"

#define CONTROL(letter)	((letter) & 0x1f)

/* Return: how many rows of the table are shown; these are first. */
static size_t nr_rows(const struct view *view)
{
	const struct rows *table = view->tables[view->by];
	return array_first_not(table->nr, i, rows_is_shown(table->list[i]));
}

static size_t find_selected(const struct view *view)
{
	const struct rows *table = view->tables[view->by];
	const size_t nr = nr_rows(view);
	size_t i;

	for (i = 0; view->selected && i < nr; i++)
		if (table->list[i] == view->selected)
			return i;
	return 0;
}

size_t view_scroll(struct view *view)
{
	const size_t at = find_selected(view), nr = nr_rows(view);

	if (at < view->first)
		view->first = at;
	if (view->height && at >= view->first + view->height)
		view->first = at - view->height + 1;
	if (view->first + view->height > nr)
		view->first = nr > view->height ? nr - view->height : 0;
	return at;
}

/* Select the row at an index, or the nearest one. */
static void select_row(struct view *view, size_t at, size_t nr)
{
	if (at >= nr)
		at = nr ? nr - 1 : 0;
	/* the first row is that of the moment */
	view->selected = at ? view->tables[view->by]->list[at] : NULL;
}

/* Return: where a key moves to in @nr rows or lines from @at; @at: it is no such key. */
static size_t moved(int key, size_t at, size_t nr, size_t page)
{
	switch (key) {
	case 'k':
	case SCREEN_UP:
		return at ? at - 1 : 0;
	case 'j':
	case SCREEN_DOWN:
		return at + 1 < nr ? at + 1 : at;
	case SCREEN_PAGE_UP:
		return at > page ? at - page : 0;
	case SCREEN_PAGE_DOWN:
		return at + page < nr ? at + page : nr - !!nr;
	case SCREEN_HOME:
		return 0;
	case SCREEN_END:
		return nr - !!nr;
	default:
		return at;
	}
}

static enum view_wish begin_page(struct view *view, enum drill_down_of of)
{
	const struct rows *table = view->tables[view->by];

	/* there is nothing to show yet of a row without names */
	if (!nr_rows(view) || table->list[find_selected(view)]->is_waiting)
		return VIEW_NOTHING;
	view->page_row = table->list[find_selected(view)];
	view->page_of = of;
	view->page_first = 0;
	return VIEW_PAGE;
}

static enum view_wish page_key(struct view *view, int key)
{
	const size_t nr = view->page.nr, page = view->height + 1;
	const size_t last = nr > page ? nr - page : 0;

	switch (key) {
	case 'q':
	case SCREEN_LEFT:
	case SCREEN_ESCAPE:
		drill_down_end(&view->page);
		view->has_page = false;
		return VIEW_NOTHING;
	case 'r':
		return VIEW_PAGE;
	case 'i':
		if (view->page_of == DRILL_DOWN_SOURCE)
			view->page_of = DRILL_DOWN_INSTRUCTIONS;
		else if (view->page_of == DRILL_DOWN_INSTRUCTIONS)
			view->page_of = DRILL_DOWN_SOURCE;
		view->page_first = 0;
		return VIEW_PAGE;
	default:
		view->page_first = moved(key, view->page_first, nr, page);
		if (view->page_first > last)
			view->page_first = last;
		return VIEW_NOTHING;
	}
}

static void show_by(struct view *view, enum paint_by by)
{
	view->by = by;
	view->selected = NULL;
	view->first = 0;
}

void view_order_by(struct view *view, enum rows_order order)
{
	size_t by;

	for (by = 0; by < NR_PAINT_BYS; by++)
		rows_order_by(view->tables[by], order);
}

static void set_search(struct view *view)
{
	size_t by;

	for (by = 0; by < NR_PAINT_BYS; by++) {
		view->tables[by]->search = view->search;
		rows_order_by(view->tables[by], view->tables[by]->order);
		/* the next key may come before a refresh */
		rows_sort(view->tables[by]);
	}
}

static enum view_wish search_key(struct view *view, int key)
{
	char *end = view->search + strlen(view->search);
	size_t bytes;

	switch (key) {
	case SCREEN_ENTER:
		view->is_typing = false;
		return VIEW_NOTHING;
	case SCREEN_ESCAPE:
		view->is_typing = false;
		end = view->search;
		break;
	case SCREEN_BACKSPACE:
		/* all bytes of a character in UTF-8 */
		while (end > view->search && (*--end & 0xc0) == 0x80)
			;
		break;
	default:
		if (key < ' ' || key >= SCREEN_NONE ||
		    end + MB_LEN_MAX >= view->search + sizeof(view->search))
			return VIEW_NOTHING;
		bytes = wcrtomb(end, (wchar_t)key, &(mbstate_t){ 0 });
		end += bytes <= MB_LEN_MAX ? bytes : 0;
	}
	*end = 0;
	set_search(view);
	return VIEW_NOTHING;
}

static void next_order(struct view *view, int step)
{
	const int order = (int)view->tables[view->by]->order + step + NR_ROWS_ORDERS;

	view_order_by(view, (enum rows_order)(order % NR_ROWS_ORDERS));
}

static enum view_wish table_key(struct view *view, int key)
{
	static const enum drill_down_of pages[] = {
		[PAINT_FUNCTIONS] = DRILL_DOWN_SOURCE,
		[PAINT_THREADS] = DRILL_DOWN_THREAD,
		[PAINT_PROGRAMS] = DRILL_DOWN_PROGRAM,
	};
	const size_t nr = nr_rows(view), at = find_selected(view);

	switch (key) {
	case 'q':
		return VIEW_LEAVE;
	case '/':
		view->is_typing = true;
		*view->search = 0;
		set_search(view);
		break;
	case SCREEN_ESCAPE:
		return search_key(view, key);
	case 'w':
		return VIEW_WRITE;
	case '\t':
		show_by(view, (view->by + 1) % NR_PAINT_BYS);
		break;
	case 'f':
		show_by(view, PAINT_FUNCTIONS);
		break;
	case 't':
		show_by(view, PAINT_THREADS);
		break;
	case 'p':
		show_by(view, PAINT_PROGRAMS);
		break;
	case 's':
		next_order(view, 1);
		break;
	case 'S':
		next_order(view, -1);
		break;
	case ' ':
		view->is_paused = !view->is_paused;
		break;
	case '?':
	case 'h':
		view->has_help = true;
		break;
	case SCREEN_ENTER:
	case SCREEN_RIGHT:
		return begin_page(view, pages[view->by]);
	case 'c':
		return view->by == PAINT_FUNCTIONS ? begin_page(view, DRILL_DOWN_CALLERS) :
						     VIEW_NOTHING;
	case 'i':
		return view->by == PAINT_FUNCTIONS ? begin_page(view, DRILL_DOWN_INSTRUCTIONS) :
						     VIEW_NOTHING;
	default:
		select_row(view, moved(key, at, nr, view->height), nr);
	}
	return VIEW_NOTHING;
}

enum view_wish view_key(struct view *view, int key)
{
	if (key == CONTROL('c'))
		return VIEW_LEAVE;
	if (key == CONTROL('z'))
		return VIEW_SUSPEND;
	if (view->has_help) {
		view->has_help = false;
		return VIEW_NOTHING;
	}
	if (view->is_typing)
		return search_key(view, key);
	return view->has_page ? page_key(view, key) : table_key(view, key);
}
