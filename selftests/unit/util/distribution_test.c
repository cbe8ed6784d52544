// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a distribution has debug symbols: the package of a file by dpkg's lists, and the server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <util/distribution.h>

#include "support/test.h"

#define FOLDER	"distribution-records"

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void package_is(const char *path, const char *expected)
{
	char *package = distribution_debug_package(FOLDER, path);

	if (expected)
		assert_string_equal(package, expected);
	else
		assert_null(package);
	free(package);
}

TEST(a_file_has_the_package_whose_list_has_it)
{
	mkdir(FOLDER, 0700);
	write_file(FOLDER "/perl-base.list", "/.\n/usr\n/usr/bin/perl\n/usr/bin/perl5.36");
	write_file(FOLDER "/libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
	write_file(FOLDER "/libm.1.list", "/usr/lib/libm.so.1\n");
	write_file(FOLDER "/other.md5sums", "/usr/bin/other\n");
	package_is("/usr/bin/perl", "perl-base-dbgsym");
	package_is("/usr/bin/perl5.36", "perl-base-dbgsym");
	package_is("/usr/lib/libm.so.1", "libm.1-dbgsym");
	/* its directory is a link, and the list has another path to it */
	package_is("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc6-dbg");
	package_is("/usr/bin/per", NULL);
	package_is("/usr/bin/perl5", NULL);
	package_is("/usr/bin/p*", NULL);
	package_is("/usr/bin/other", NULL);
	package_is("", NULL);
	assert_null(distribution_debug_package(FOLDER "/none", "/usr/bin/perl"));
	assert_int_equal(system("rm -r " FOLDER), 0);
}

TEST(a_distribution_has_a_server)
{
	static const struct {
		const char *text, *url;
	} cases[] = {
		{ "NAME=x\nID=debian\n", "https://debuginfod.debian.net" },
		{ "ID=\"fedora\"\nVERSION_ID=41\n", "https://debuginfod.fedoraproject.org" },
		{ "VERSION_ID=debian\nID='ubuntu'\n", "https://debuginfod.ubuntu.com" },
		{ "ID=another\nID_LIKE=debian\n", "https://debuginfod.elfutils.org" },
		{ "", "https://debuginfod.elfutils.org" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_file("distribution-release", cases[i].text);
		assert_string_equal(distribution_debuginfod("distribution-release"), cases[i].url);
	}
	unlink("distribution-release");
	assert_string_equal(distribution_debuginfod("distribution-release"),
			    "https://debuginfod.elfutils.org");
}
