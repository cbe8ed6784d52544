/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_DISTRIBUTION_H
#define PROFIL_DISTRIBUTION_H

#define DISTRIBUTION_RECORDS	"/var/lib/dpkg/info"	/* of dpkg: a list of files for each package */
#define DISTRIBUTION_RELEASE	"/etc/os-release"

/*
 * Find the package that has the debug symbols of an installed file. It is not known whether the
 * package exists. @records: DISTRIBUTION_RECORDS; all its lists are read, 10 MB in 0.03 s. Return:
 * its name, for free(); NULL: no package has the file, dpkg is not there, or no memory.
 */
char *distribution_debug_package(const char *records, const char *path);

/* The server that has the debug symbols of a distribution. @release: DISTRIBUTION_RELEASE */
const char *distribution_debuginfod(const char *release);

#endif /* PROFIL_DISTRIBUTION_H */
