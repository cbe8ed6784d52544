// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends data to an HTTP server, by libcurl.
 *
 * Like capstone (disassembler.c), libcurl is loaded when it is used, and not linked: it brings some
 * twenty libraries, of TLS and others, and most runs push nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CURL_DISABLE_TYPECHECK	/* the functions are called by pointers */
#include <curl/curl.h>

#include "push/http.h"
#include "util/library.h"

#define SONAME		"libcurl.so.4"	/* since 2006, with symbol versions */
#define CONNECT_S	5L
#define WHOLE_S		30L

/* What is used of libcurl */
#define FUNCTIONS(of)	\
	of(curl_easy_init) of(curl_easy_setopt) of(curl_easy_perform) of(curl_easy_getinfo) \
	of(curl_easy_cleanup) of(curl_easy_strerror) of(curl_slist_append) \
	of(curl_slist_free_all) of(curl_mime_init) of(curl_mime_addpart) of(curl_mime_name) \
	of(curl_mime_filename) of(curl_mime_data) of(curl_mime_type) of(curl_mime_free) \
	of(curl_url) of(curl_url_set) of(curl_url_cleanup)

struct library {
	FUNCTIONS(LIBRARY_MEMBER)
};

static int load(struct library *library, char why[HTTP_WHY])
{
	const struct library_symbol functions[] = { FUNCTIONS(LIBRARY_SYMBOL) };
	const char *missing;

	if (library_load(SONAME, functions, sizeof(functions) / sizeof(functions[0]), &missing))
		return 0;
	if (missing)
		snprintf(why, HTTP_WHY, SONAME " lacks %s (ENOENT): install libcurl 7.62 or later",
			 missing);
	else
		snprintf(why, HTTP_WHY, SONAME " cannot be loaded (ENOENT): install the package of libcurl that has it (Debian: libcurl4)");
	return -ENOENT;
}

static int explain_url(CURLUcode code, char why[HTTP_WHY])
{
	switch (code) {
	case CURLUE_OK:
		return 0;
	case CURLUE_OUT_OF_MEMORY:
		snprintf(why, HTTP_WHY, HTTP_NO_MEMORY);
		return -ENOMEM;
	case CURLUE_UNSUPPORTED_SCHEME:
		snprintf(why, HTTP_WHY, "this " SONAME " has no HTTPS (EPROTONOSUPPORT): use http://, or install a libcurl with TLS");
		return -EPROTONOSUPPORT;
	default:
		snprintf(why, HTTP_WHY, "libcurl does not accept the URL (EINVAL): expected http://HOST[:PORT] or https://HOST[:PORT]");
		return -EINVAL;
	}
}

int http_check(const char *url, char why[HTTP_WHY])
{
	struct library library;
	int error = load(&library, why);
	CURLU *parsed;

	if (error)
		return error;
	parsed = library.curl_url();
	error = explain_url(parsed ? library.curl_url_set(parsed, CURLUPART_URL, url, 0) :
			    CURLUE_OUT_OF_MEMORY, why);
	library.curl_url_cleanup(parsed);
	return error;
}

/* What the server says is of no use, unless it refuses the request. */
static size_t keep_start(char *data, size_t size, size_t nr, void *answer)
{
	char *to = answer;
	const size_t used = strlen(to), bytes = size * nr;
	const size_t room = HTTP_WHY / 2 - used - 1;

	strncat(to, data, bytes < room ? bytes : room);
	return bytes;
}

/* Return: whether the server may accept it later. */
static bool is_temporary(long status)
{
	return status == 408 || status == 429 || status >= 500;
}

/* Whether nothing was sent, so that the server cannot have it. */
static bool is_unsent(CURLcode code)
{
	return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
	       code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION;
}

/* Whether a proxy has sent it, and got no answer. */
static bool is_unanswered(long status)
{
	return status == 502 || status == 504;
}

static int explain_status(long status, const char *answer, char why[HTTP_WHY])
{
	if (status >= 200 && status < 300)
		return 0;
	snprintf(why, HTTP_WHY, "the server answers with status %ld%s%.*s%s", status, *answer ? ": " : "",
		 (int)strcspn(answer, "\r\n"), answer,
		 status == 401 ? ": ~/.netrc must have the user and password of the host" : "");
	if (is_unanswered(status))
		return -ENODATA;
	return is_temporary(status) ? -EAGAIN : -EPROTO;
}

/* Return: 0; or -ENOMEM. */
static int set_body(const struct library *library, CURL *curl, const struct http_post *post,
		    curl_mime **form)
{
	curl_mimepart *part;

	if (!post->field) {
		library->curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->bytes);
		library->curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post->data);
		return 0;
	}
	*form = library->curl_mime_init(curl);
	part = *form ? library->curl_mime_addpart(*form) : NULL;
	if (!part || library->curl_mime_name(part, post->field) ||
	    library->curl_mime_filename(part, post->field) ||
	    library->curl_mime_type(part, post->type) ||
	    library->curl_mime_data(part, post->data, post->bytes))
		return -ENOMEM;
	library->curl_easy_setopt(curl, CURLOPT_MIMEPOST, *form);
	return 0;
}

static int perform(const struct library *library, CURL *curl, char why[HTTP_WHY])
{
	char answer[HTTP_WHY / 2] = "";
	long status = 0;
	CURLcode code;

	library->curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep_start);
	library->curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
	code = library->curl_easy_perform(curl);
	if (code) {
		snprintf(why, HTTP_WHY, "%s", library->curl_easy_strerror(code));
		if (code == CURLE_OUT_OF_MEMORY)
			return -ENOMEM;
		return is_unsent(code) ? -EAGAIN : -ENODATA;
	}
	library->curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	return explain_status(status, answer, why);
}

int http_send(const struct http_post *post, char why[HTTP_WHY])
{
	struct curl_slist *headers = NULL;
	struct library library;
	curl_mime *form = NULL;
	char type[128];
	CURL *curl;
	int error;

	error = load(&library, why);
	if (error)
		return error;
	snprintf(type, sizeof(type), "Content-Type: %s", post->type);
	curl = library.curl_easy_init();
	if (!post->field)
		headers = library.curl_slist_append(NULL, type);
	if (!curl || (!post->field && !headers) || set_body(&library, curl, post, &form)) {
		snprintf(why, HTTP_WHY, HTTP_NO_MEMORY);
		error = -ENOMEM;
		goto out;
	}
	library.curl_easy_setopt(curl, CURLOPT_URL, post->url);
	library.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	library.curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	library.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	library.curl_easy_setopt(curl, CURLOPT_TIMEOUT, WHOLE_S);
	if (headers)
		library.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	error = perform(&library, curl, why);
out:
	if (form)
		library.curl_mime_free(form);
	if (headers)
		library.curl_slist_free_all(headers);
	if (curl)
		library.curl_easy_cleanup(curl);
	return error;
}
