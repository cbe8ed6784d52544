// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil info says what dkms, modprobe and mokutil say, whose place scripts take here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmd/built.h>
#include <node.h>

#include "support/test.h"

#define RELEASE		"6.12.9-amd64"
#define ADDED		"[ \"$*\" = 'status -m profil' ] && echo profil/0.9.0: added; exit 0"

static char folder[32];
static char text[512];

/* What is run under a name from now on */
static void program(const char *name, const char *script)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

static enum built find(void)
{
	return built_find(RELEASE, text, sizeof(text));
}

/* A machine that has none of the three: none is found, and PATH has no others in front of them */
FIXTURE(set_up)
{
	char path[256], here[192];

	strcpy(folder, "built.XXXXXX");
	if (!mkdtemp(folder) || !getcwd(here, sizeof(here)))
		return -1;
	snprintf(path, sizeof(path), "%s/%s:/usr/bin:/bin", here, folder);
	setenv("PATH", path, 1);
	program("modprobe", "exit 1");
	program("dkms", "exit 127");
	program("mokutil", "exit 127");
	return 0;
}

FIXTURE(tear_down)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command);
}

TEST_F(without_the_package_nothing_is_said)
{
	assert_int_equal(find(), BUILT_UNKNOWN);
	assert_string_equal(text, "");
	/* there is dkms, without the package */
	program("dkms", "exit 0");
	assert_int_equal(find(), BUILT_UNKNOWN);
}

/* For another kernel it has been. */
TEST_F(dkms_has_not_built)
{
	static const char not_built[] = "package installed, not built for " RELEASE
		": sudo dkms install profil/0.9.0 -k " RELEASE " builds it, or says why not";

	program("dkms", ADDED);
	assert_int_equal(find(), BUILT_NOT);
	assert_string_equal(text, not_built);
	program("dkms", "echo 'profil/0.9.0, 6.1.0-18-amd64, x86_64: installed'");
	assert_int_equal(find(), BUILT_NOT);
	assert_string_equal(text, not_built);
}

TEST_F(module_is_installed)
{
	program("modprobe", "[ \"$*\" = '--dry-run --quiet profil' ]");
	assert_int_equal(find(), BUILT_INSTALLED);
	assert_string_equal(text, "installed, not loaded: sudo modprobe profil");
}

TEST_F(key_is_not_enrolled)
{
	program("modprobe", "exit 0");
	program("mokutil", "case $1 in --sb-state) echo SecureBoot enabled ;;\n"
		"*) echo \"$2 is not enrolled\"; esac");
	assert_int_equal(find(), BUILT_UNTRUSTED);
	assert_non_null(strstr(text, "mokutil --import /var/lib/dkms/mok.pub"));
	program("mokutil", "case $1 in --sb-state) echo SecureBoot enabled ;;\n"
		"*) echo \"$2 is already enrolled\"; exit 1; esac");
	assert_int_equal(find(), BUILT_INSTALLED);
	program("mokutil", "case $1 in --sb-state) echo SecureBoot disabled ;;\n"
		"*) echo \"$2 is not enrolled\"; esac");
	assert_int_equal(find(), BUILT_INSTALLED);
}

/*
 * The remedy of a profile, too, says why it cannot be loaded. Only the host of a container knows
 * that.
 */
TEST_F(missing_module_is_explained)
{
	char why[256] = "as it was";
	struct profil_node node;

	profil_node_look(&node);
	program("dkms", ADDED);
	built_explain(-EACCES, why, sizeof(why));
	assert_string_equal(why, "as it was");
	built_explain(0, why, sizeof(why));
	assert_string_equal(why, "as it was");
	built_explain(-ENOENT, why, sizeof(why));
	if (node.contained || node.module != PROFIL_MODULE_ABSENT)
		assert_string_equal(why, "as it was");
	else
		assert_non_null(strstr(why, "(ENOENT): package installed, not built for "));
}

TEST_F(long_text_is_cut)
{
	char few[20];

	program("dkms", ADDED);
	built_find(RELEASE, few, sizeof(few));
	assert_string_equal(few, "package installed, ");
}
