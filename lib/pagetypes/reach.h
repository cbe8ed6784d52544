/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_REACH_H
#define PROFIL_REACH_H

/*
 * Say on stderr, once, that a profile cannot count in the program's own text: the page of
 * @dialect declares an offset of 32 bits, and the text is above what @bytes of counters at
 * @scale reach from @offset. So it is in every program that is linked as a PIE.
 */
void profil_reach_check(const char *dialect, unsigned int bytes, unsigned int offset,
			unsigned int scale);

#endif /* PROFIL_REACH_H */
