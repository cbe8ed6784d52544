/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_REACH_H
#define PROFIL_REACH_H

/*
 * Warn on stderr, once per process, if the program's entry point is above the range that @bytes of
 * counters at @scale cover from @offset, and nothing is mapped in that range. This is so in a PIE
 * that passes an address of its own, since the page of @dialect declares an offset of 32 bits. A
 * PIE that passes the address of memory below 2^32, such as generated code, is not warned.
 */
void profil_reach_check(const char *dialect, unsigned int bytes, unsigned int offset,
			unsigned int scale);

#endif /* PROFIL_REACH_H */
