/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TEXT_TREE_H
#define PROFIL_TEXT_TREE_H

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* What an element of a tree begins with */
struct text_node {
	const char *text;
};

static inline int text_tree_compare(const void *va, const void *vb)
{
	const struct text_node *a = va, *b = vb;

	return strcmp(a->text, b->text);
}

/*
 * Find the element with a text, which must outlive it, or add one of @bytes bytes that is zero
 * otherwise; tdestroy(3) with free() frees all. NULL: no memory.
 */
static inline void *text_tree_find(void **tree, const char *text, size_t bytes)
{
	struct text_node *node, **found = tfind(&(struct text_node){ text }, tree, text_tree_compare);

	if (found)
		return *found;
	node = calloc(1, bytes);
	if (!node)
		return NULL;
	node->text = text;
	if (tsearch(node, tree, text_tree_compare))
		return node;
	free(node);
	return NULL;
}

#endif /* PROFIL_TEXT_TREE_H */
