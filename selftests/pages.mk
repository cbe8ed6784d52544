# SPDX-License-Identifier: GPL-2.0-only
# The old systems whose profil(2) libprofil has
PAGES := solaris bsd linux099 osf1 aix svid
