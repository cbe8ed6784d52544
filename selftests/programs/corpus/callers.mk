# SPDX-License-Identifier: GPL-2.0-only
# Callers of profil(2) on old systems, each with the library of its system: PROGRAM-DIALECT
CORPUS := $(addprefix svvs-,solaris bsd linux099 osf1 aix svid) v7mon-svid bsdgmon-bsd \
	ldprof-solaris ticker-solaris ticker-svid papi-solaris pcs-solaris
