/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_PUSH_HTTP_H
#define PROFIL_PUSH_HTTP_H

#include <stddef.h>

#define HTTP_WHY	512	/* bytes for an explanation */
#define HTTP_NO_MEMORY	"no memory (ENOMEM)"

/**
 * struct http_post - a request
 * @url:   where to
 * @type:  Content-Type of @data
 * @field: name of the field of a form that @data is; NULL: it is the body
 */
struct http_post {
	const char *url;
	const char *type;
	const char *field;
	const void *data;
	size_t bytes;
};

/**
 * http_check - check whether requests can be sent to a URL at all. Sends nothing
 * @why: on error, gets a sentence with the reason and the remedy
 *
 * Return: 0; -ENOENT: there is no libcurl; -EINVAL: libcurl does not accept the URL;
 * -EPROTONOSUPPORT: it has no HTTPS; -ENOMEM.
 */
int http_check(const char *url, char why[HTTP_WHY]);

/**
 * http_send - send a request, once
 * @why:  on error, gets a sentence with the reason
 *
 * Takes half a minute at most. The user and password are those that ~/.netrc has for the host.
 *
 * Return: 0; -EAGAIN: it may succeed later; -ENODATA: the same, but there was no answer, so the
 * server may have taken it; -EPROTO: the server does not accept it; -ENOENT: as
 * http_check(); -ENOMEM.
 */
int http_send(const struct http_post *post, char why[HTTP_WHY]);

#endif /* PROFIL_PUSH_HTTP_H */
