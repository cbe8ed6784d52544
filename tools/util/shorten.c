// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shortens names to fit into a column of a table. The type in front of a function goes first, then
 * what the compiler appends to the name of a copy of a function, then the text in brackets in names
 * of C++, Rust and Go, then namespaces: the names of the function and its class matter most.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/folded.h"
#include "util/shorten.h"
#include "util/terminal.h"

#define ELLIPSIS	"..."
#define DOTS		((int)sizeof(ELLIPSIS) - 1)

#define OPERATOR	"operator"

/* A shortened copy of a name, while it is made. It is never longer than the name. */
struct copy {
	char *end;
	char before;	/* the character of the name just read; 'a' stands for any identifier */
};

static void append(struct copy *copy, const char *text, size_t length)
{
	memcpy(copy->end, text, length);
	copy->end += length;
}

static bool is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/*
 * Return: length of an operator's name ("operator<<") at the start of @name, including a blank
 * in front of template arguments; 0: there is none.
 */
static size_t find_operator(const char *name)
{
	size_t length = strlen(OPERATOR);

	if (strncmp(name, OPERATOR, length))
		return 0;
	if (!strncmp(name + length, "()", 2) || !strncmp(name + length, "[]", 2))
		return length + 2;
	if (!strspn(name + length, "<>=!+-*/%^&|~,"))
		return 0;
	length += strspn(name + length, "<>=!+-*/%^&|~,");
	return name[length] == ' ' && name[length + 1] == '<' ? length + 1 : length;
}

/* Return: the bracket that closes the one at @open; NULL: none. */
static const char *find_close(const char *open)
{
	size_t round = 0, angle = 0;
	const char *at;

	for (at = open; *at; at++) {
		if (*at == '(')
			round++;
		else if (*at == ')' && round)
			round--;
		else if (strchr("<[", *at) && !round)
			angle++;
		else if (strchr(">]", *at) && !round && at[-1] != '-' && angle)
			angle--;
		if (!round && !angle)
			return at;
	}
	return NULL;
}

#define ABI		"[abi:"
#define LETTERS		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS		"0123456789"
#define HASH		16	/* hexadecimal digits of the hash of a Rust function */

/*
 * Return: length of a suffix at @at that the compiler gave to a copy or a part of a function; 0:
 * there is none. @has_dot: the name has a dot before. What follows it can be a name of Go, whose
 * functions in functions have numbers, too
 */
static size_t find_suffix(const char *at, bool has_dot)
{
	/* those with a dot at the end have a number */
	static const char *const suffixes[] = {
		".isra.", ".constprop.", ".part.", ".lto_priv.", ".lto.", ".llvm.", ".__uniq.",
		".__part.", ".specialized.", ".memprof.", ".localalias.", ".cold.", ".localalias",
		".cold", ".",
	};
	size_t i, length, digits;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		length = strlen(suffixes[i]);
		if (strncmp(at, suffixes[i], length) || (length == 1 && has_dot))
			continue;
		digits = at[length - 1] == '.' ? strspn(at + length, DIGITS) : 0;
		if (is_identifier(at[length + digits]) || (at[length - 1] == '.' && !digits))
			continue;
		return length + digits;
	}
	return 0;
}

/* The same, also in the form of a demangled name, or the hash of a mangled one */
static size_t find_clone(const char *at, bool has_dot)
{
	static const char demangled[] = " [clone ";
	size_t length = strlen(demangled);

	if (!strncmp(at, "17h", 3) && strspn(at + 3, DIGITS "abcdef") == HASH &&
	    at[3 + HASH] == 'E')
		return 3 + HASH;
	if (strncmp(at, demangled, length))
		return *at == '.' ? find_suffix(at, has_dot) : 0;
	while (at[length] == '.' && find_suffix(at + length, false))
		length += find_suffix(at + length, false);
	return at[length] == ']' ? length + 1 : 0;
}

/* The same for what distinguishes versions of a package in a mangled name of Rust, after its C */
static size_t find_disambiguator(const char *at)
{
	const size_t length = 1 + strspn(at + 1, DIGITS LETTERS);

	return *at == 's' && at[length] == '_' && isdigit((unsigned char)at[length + 1]) ?
	       length + 1 : 0;
}

/* Steps of shortening a name. Each includes the ones before it. */
enum step {
	CLONES,		/* f<int>(char), without [clone .isra.0] */
	PARAMETERS,	/* f<int>(...) */
	TEMPLATES,	/* f<...>(...) */
	LISTS,		/* f */
	NR_STEPS,
};

/* Whether a bracket opens a list to be shortened, but not "(anonymous namespace)" */
static bool is_list(const char *open, char before, enum step step)
{
	if (step == CLONES)
		return false;
	if (step == LISTS && !strncmp(open, ABI, strlen(ABI)))
		return true;
	if (*open == '(')
		return before == 'a' || before == '>' || before == ')' || before == ']' ||
		       before == '}';
	return *open == '<' && step >= TEMPLATES && before == 'a';
}

static void append_list(struct copy *copy, const char *open, const char *close, enum step step)
{
	if (step == LISTS)
		return;
	append(copy, open, 1);
	if (close - open > DOTS + 1)
		append(copy, ELLIPSIS, DOTS);
	else
		append(copy, open + 1, (size_t)(close - open - 1));
	append(copy, close, 1);
}

/* Remove @end from the end of a copy. @start: start of the copy */
static void cut_end(struct copy *copy, const char *start, const char *end)
{
	size_t length = strlen(end);

	if ((size_t)(copy->end - start) > length && !memcmp(copy->end - length, end, length))
		copy->end -= length;
}

/*
 * Of the names of a folded function that are the same now, keep the first one. Frees @names.
 * Return: what is left.
 */
static char *drop_repeated(char *names)
{
	char *kept = folded_has_several(names) ? calloc(strlen(names) + 1, 1) : NULL, *to = kept;
	const char *rest = names, *name;
	size_t length;

	if (!kept)
		return names;
	while ((name = folded_next(&rest, &length))) {
		if (to > kept && folded_has(kept, name, length))
			continue;
		if (to > kept)
			to = stpcpy(to, FOLDED_COMMA);
		memcpy(to, name, length);
		to += length;
	}
	free(names);
	return kept;
}

/* Shorten @name by a step. Return: the name, to be freed with free(); NULL: no memory. */
static char *collapse(const char *name, enum step step)
{
	char *shortened = calloc(strlen(name) + 1, 1);
	struct copy copy = { .end = shortened };
	const bool is_rust = !strncmp(name, "_R", 2);
	bool is_balanced = true, has_dot = false;

	if (!shortened)
		return NULL;
	while (*name) {
		size_t length = copy.before == 'a' ? 0 : find_operator(name);
		size_t clone = find_clone(name, has_dot);
		const char *close = NULL;

		if (is_rust && copy.end > shortened && copy.end[-1] == 'C')
			clone = find_disambiguator(name);
		if (clone) {
			name += clone;
			continue;
		}
		if (is_balanced && is_list(name, copy.before, step)) {
			close = find_close(name);
			/* unbalanced: copy the rest, in linear time */
			is_balanced = close;
		}
		if (close) {
			append_list(&copy, name, close, step);
			copy.before = *close == ']' ? 'a' : *close;
			name = close + 1;
			continue;
		}
		/* a comma is between the names of a folded function */
		has_dot = (has_dot || *name == '.') && *name != ',';
		copy.before = length || is_identifier(*name) ? 'a' : *name;
		length += !length;
		append(&copy, name, length);
		name += length;
	}
	if (step == LISTS) {
		cut_end(&copy, shortened, " const");
		cut_end(&copy, shortened, " ");
	}
	*copy.end = 0;
	return drop_repeated(shortened);
}

/*
 * Put an ellipsis after the first @head columns of a name, and omit as much as necessary.
 * Return: the name, to be freed with free(); NULL: no memory.
 */
static char *elide(const char *name, int most, int head)
{
	int left = terminal_columns(name), kept = 0;
	const char *end = name, *tail;
	char *shortened;

	while (*end) {
		const char *next = end;
		int columns = escape_columns(&next);

		if (kept + columns > head)
			break;
		kept += columns;
		end = next;
	}
	left -= kept;
	for (tail = end; *tail && left > most - kept - DOTS; )
		left -= escape_columns(&tail);
	if (asprintf(&shortened, "%.*s%s%s", (int)(end - name), name, ELLIPSIS, tail) < 0)
		return NULL;
	return shortened;
}

/*
 * Find the names in a name: those of its namespaces, its class and the function, or of Go's
 * packages. Return: the separator in front of the next one, outside brackets; NULL: none.
 * @at:    where to start
 * @depth: of brackets; 0 at the start of the name
 * @slash: '/' is a separator
 */
static const char *find_separator(const char *at, int *depth, bool slash)
{
	for (; *at; at++) {
		if (strchr("(<{", *at))
			(*depth)++;
		else if (strchr(")>}", *at) && *depth)
			(*depth)--;
		else if (!*depth && ((at[0] == ':' && at[1] == ':') || (slash && *at == '/')))
			return at;
	}
	return NULL;
}

/*
 * Keep as many of the last names in a name as fit, or the last one and the end of that before it,
 * or some of the last one. @name: without lists. Return: the name, to be freed with free(); NULL:
 * no memory.
 */
static char *keep_last(const char *name, int most)
{
	/* a blank is in names of C++ or in those of generated code, which have a path */
	const bool slash = !strchr(name, ' ');
	const char *at = name, *last = NULL, *fits = NULL, *next;
	int depth = 0, left = terminal_columns(name);
	char *shortened;

	while ((next = find_separator(at, &depth, slash))) {
		while (at < next)
			left -= escape_columns(&at);
		last = next;
		if (!fits && left <= most - DOTS)
			fits = next;
		/* a separator has no brackets */
		left -= escape_columns(&at);
	}
	if (!last)
		return elide(name, most, (most - DOTS) / 3);
	if (!fits) {
		last += strspn(last, ":/");
		return terminal_columns(last) > most ? elide(last, most, (most - DOTS) / 3) :
						       strdup(last);
	}
	if (fits == last)
		return elide(name, most, 0);
	return asprintf(&shortened, ELLIPSIS "%s", fits) < 0 ? NULL : shortened;
}

/* Whether what is before a blank is no type: "non-virtual thunk to" */
static bool ends_in_preposition(const char *name, const char *blank)
{
	return (blank - name >= 3 && !memcmp(blank - 3, " to", 3)) ||
	       (blank - name >= 4 && !memcmp(blank - 4, " for", 4));
}

/* Return: the name of a function without the type in front of it, which templates and Java have. */
static const char *skip_type(const char *name)
{
	const char *at, *start = name;
	char before = 0;
	int depth = 0;

	for (at = name; *at; before = is_identifier(*at) ? 'a' : *at, at++) {
		const bool is_operator = before != 'a' &&
					 !strncmp(at, OPERATOR, strlen(OPERATOR)) &&
					 !is_identifier(at[strlen(OPERATOR)]);

		if (!depth && (is_operator || is_list(at, before, PARAMETERS)))
			return start;
		if (strchr("(<[{", *at))
			depth++;
		else if (strchr(")>]}", *at) && depth && before != '-')
			depth--;
		else if (!depth && *at == ' ' && ends_in_preposition(name, at))
			return name;
		else if (!depth && *at == ' ')
			start = at + 1;
	}
	return name;
}

/*
 * Shorten the name of JavaScript code, "JS:*work file:///srv/app/queue.js:3:18": the directories,
 * then the kind. Return: the name, to be freed with free(); NULL: it is another name, or no memory.
 */
static char *shorten_script(const char *name, int most)
{
	const char *file = strrchr(name, ' '), *base = file ? strrchr(file, '/') : NULL;
	const size_t kind = strcspn(name, ": ");
	char *shortened;

	if (!base || name[kind] != ':' || name[kind + 1] == ':' ||
	    asprintf(&shortened, "%.*s%s", (int)(file + 1 - name), name, base + 1) < 0)
		return NULL;
	if (terminal_columns(shortened) > most)
		memmove(shortened, shortened + kind + 1, strlen(shortened + kind));
	return shortened;
}

/*
 * Find the function in the name of a line, "queue.cc:12 (work(int))". Return: its start, after the
 * bracket; NULL: the name is no such one.
 */
static const char *find_in_line(const char *name)
{
	const char *open = strstr(name, " ("), *number = open;

	if (!open || name[strlen(name) - 1] != ')')
		return NULL;
	while (number > name && strchr(DIGITS "?", number[-1]))
		number--;
	return number < open && number > name && number[-1] == ':' ? open + strlen(" (") : NULL;
}

/*
 * Shorten the name of a line: the function in brackets, but not the number. Without room for some
 * of the function, the file goes without it. Return: as shorten_function().
 */
static char *shorten_line(const char *name, const char *function, int most)
{
	const int brackets = (int)strlen(" ()"), line = (int)(function - strlen(" (") - name);
	char *place = strndup(name, (size_t)line), *inner = NULL, *shortened = NULL;
	int room;

	room = place ? most - terminal_columns(place) - brackets : 0;
	if (place && room >= SHORTEN_MIN)
		inner = strndup(function, strlen(function) - 1);
	if (inner)
		shortened = shorten_function(inner, room);
	free(inner);
	inner = shortened;
	shortened = NULL;
	if (inner && asprintf(&shortened, "%s (%s)", place, inner) < 0)
		shortened = NULL;
	else if (place && room < SHORTEN_MIN)
		shortened = shorten_path(place, most);
	free(inner);
	free(place);
	return shortened;
}

char *shorten_path(const char *path, int most)
{
	return terminal_columns(path) <= most ? strdup(path) : elide(path, most, 0);
}

char *shorten_copy(const char *name)
{
	return collapse(name, CLONES);
}

char *shorten_bare(const char *name)
{
	return collapse(name, LISTS);
}

char *shorten_function(const char *name, int most)
{
	const char *of_line = find_in_line(name);
	char *script, *shortened;
	int step;

	if (terminal_columns(name) <= most)
		return strdup(name);
	if (of_line)
		return shorten_line(name, of_line, most);
	script = shorten_script(name, most);
	name = script ? script : skip_type(name);
	shortened = strdup(name);
	for (step = 0; shortened && terminal_columns(shortened) > most; step++) {
		char *before = shortened;

		shortened = step < NR_STEPS ? collapse(name, (enum step)step) :
					      keep_last(before, most);
		free(before);
	}
	free(script);
	return shortened;
}

static int compare_shortened(const void *va, const void *vb)
{
	const struct shorten_name *const *a = va, *const *b = vb;
	int order = strcmp((*a)->shortened, (*b)->shortened);

	return order ? order : strcmp((*a)->full, (*b)->full);
}

/*
 * Move the names whose shortened form is also that of a different name to the front. Return: the
 * number of these.
 */
static size_t find_ambiguous(struct shorten_name **names, size_t nr)
{
	size_t first, next, ambiguous = 0;

	qsort(names, nr, sizeof(struct shorten_name *), compare_shortened);
	for (first = 0; first < nr; first = next) {
		for (next = first + 1; next < nr; next++)
			if (strcmp(names[first]->shortened, names[next]->shortened))
				break;
		if (!strcmp(names[first]->full, names[next - 1]->full))
			continue;
		memmove(names + ambiguous, names + first, (next - first) * sizeof(*names));
		ambiguous += next - first;
	}
	return ambiguous;
}

/* Return: 0 or -ENOMEM. */
static int shorten_again(struct shorten_name *name, int most)
{
	free(name->shortened);
	name->shortened = shorten_function(name->full, most);
	return name->shortened ? 0 : -ENOMEM;
}

/*
 * Shorten the names to @most columns, and append numbers to make them distinct. Return: 0 or
 * -ENOMEM.
 */
static int number(struct shorten_name **names, size_t nr, int most)
{
	size_t i, last = 0;
	int error = 0;

	for (i = 0; !error && i < nr; i++)
		error = shorten_again(names[i], most);
	if (error)
		return error;
	qsort(names, nr, sizeof(struct shorten_name *), compare_shortened);
	for (i = 0; i < nr; i++) {
		if (!i || strcmp(names[i - 1]->shortened, names[i]->shortened))
			last = 1;
		else if (strcmp(names[i - 1]->full, names[i]->full))
			last++;
		names[i]->number = last;
	}
	for (i = 0; !error && i < nr; i++) {
		char *text = NULL;

		if (asprintf(&text, "%s~%zu", names[i]->shortened, names[i]->number) < 0)
			return -ENOMEM;
		free(names[i]->shortened);
		names[i]->shortened = text;
	}
	return 0;
}

long shorten_functions(struct shorten_name *names, size_t nr, int most)
{
	struct shorten_name **order = calloc(nr + 1, sizeof(*order));
	size_t ambiguous = 0, i;
	int error = order ? 0 : -ENOMEM;

	for (i = 0; !error && i < nr; i++) {
		order[i] = &names[i];
		error = shorten_again(&names[i], most);
	}
	if (!error)
		ambiguous = find_ambiguous(order, nr);
	if (ambiguous)
		error = number(order, ambiguous, most - snprintf(NULL, 0, "~%zu", ambiguous));
	free(order);
	return error ? error : (long)ambiguous;
}
