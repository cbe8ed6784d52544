/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_SEARCH_H
#define PROFIL_SEARCH_H

/*
 * Call next, the true dlopen(), so that it finds what it would find if caller, an
 * address in the code that wants the library, called it. Return: as dlopen().
 */
void *profil_search_open(void *(*next)(const char *name, int mode), const void *caller,
			 const char *name, int mode);

#endif /* PROFIL_SEARCH_H */
