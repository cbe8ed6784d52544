/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_PUSH_SERVER_H
#define PROFIL_PUSH_SERVER_H

#include <stddef.h>

#include "push/http.h"
#include "symbol/symbolize.h"

/**
 * struct server - where to push, and as what
 * @url:       of Pyroscope, http://HOST:4040 or .../ingest; or of Parca, .../profiles/writeraw
 * @labels:    "NAME=VALUE", which server_problem_label() accepts
 * @nr_labels: number of labels
 */
struct server {
	const char *url;
	const char **labels;
	size_t nr_labels;
};

/* Return: why a URL is not that of a server; NULL: it is. */
const char *server_problem(const char *url);

/* Return: why a text is not a label; NULL: it is. */
const char *server_problem_label(const char *label);

/**
 * server_push - send a profile
 * @why:        on error, gets a sentence with the reason
 *
 * Return: as http_send().
 */
int server_push(const struct server *server, const struct symbolized *symbolized,
		char why[HTTP_WHY]);

#endif /* PROFIL_PUSH_SERVER_H */
