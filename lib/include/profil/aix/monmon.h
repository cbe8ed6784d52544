/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The manual page of profil() names this header; on AIX it is <mon.h>. */
#include <mon.h>
