/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TOP_VIEW_H
#define PROFIL_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "top/drill_down.h"
#include "top/paint.h"
#include "top/rows.h"
#include "top/screen.h"

/**
 * struct view - what is shown
 * @tables:   functions, threads and programs
 * @by:       which of them is shown
 * @first:    index of the first row that is shown
 * @selected: the selected row, which moves with its place; NULL: the first one
 * @height:   number of rows that the terminal has room for
 * @search:   as in struct rows, of all tables
 * @is_typing: it is being typed
 * @is_paused: the table stays as it is
 * @has_help: the help is shown
 * @page:     shown instead of the table if @has_page
 * @has_page: there is a page
 * @page_of:  what it is about
 * @page_row: the row that it is about
 * @page_first: index of its first line that is shown
 */
struct view {
	struct rows *tables[NR_PAINT_BYS];
	enum paint_by by;
	size_t first;
	struct row *selected;
	size_t height;
	char search[64];
	bool is_typing;
	bool is_paused;
	bool has_help;
	struct drill_down page;
	bool has_page;
	enum drill_down_of page_of;
	struct row *page_row;
	size_t page_first;
};

/* What a key asks for that the view cannot do itself */
enum view_wish {
	VIEW_NOTHING,
	VIEW_LEAVE,
	VIEW_PAGE,	/* write @page about @page_row */
	VIEW_WRITE,	/* write a result of what has been counted so far */
	VIEW_SUSPEND,
};

/* Sort all tables. */
void view_order_by(struct view *view, enum rows_order order);

/* Do what a key says. Return: what else it asks for. */
enum view_wish view_key(struct view *view, int key);

/*
 * Choose the first row so that the selected one of the sorted table is shown. Return: index of the
 * selected row.
 */
size_t view_scroll(struct view *view);

#endif /* PROFIL_TOP_VIEW_H */
