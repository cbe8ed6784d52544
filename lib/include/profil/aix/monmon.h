/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header that the manual page of profil() names; AIX's own is <mon.h>. */
#include <mon.h>
