// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * And where the static library does: inside the C library profil() has another name too,
 * of which ours takes the place of the weak one. To name it here is what brings it into
 * the program.
 */
#include "fallback.h"

profil_fallback_function __profil;

profil_fallback_function *profil_fallback_find(void)
{
	return __profil;
}
