// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil info names the reason for which a kernel has no module, and no reason that does not apply:
 * each test has the files of a machine in a folder.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmd/built.h>

#include "support/test.h"

#define RELEASE		"6.12.9-amd64"
#define BUILD		"/lib/modules/" RELEASE "/build"
#define SOURCE		"/usr/src/profil-0.9.0"
#define MODULE		"/lib/modules/" RELEASE "/updates/dkms/profil.ko.xz"
#define EFI		"/sys/firmware/efi/efivars/"
#define SECURE_BOOT	EFI "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define ENROLLED	EFI "MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"
#define FIRMWARE_KEYS	EFI "db-d719b2cb-3d3a-4596-a3bc-dad00e67656f"
#define LOCKDOWN	"/sys/kernel/security/lockdown"

static char root[32];
static char text[600];

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	char full[300];
	char *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void write_text(const char *path, const char *contents)
{
	write_bytes(path, contents, strlen(contents));
}

static void remove_path(const char *path)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -r '%s%s'", root, path);
	assert_int_equal(system(command), 0);
}

static enum built find(void)
{
	return built_find(root, RELEASE, text, sizeof(text));
}

static void assert_names(const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' does not contain '%s'", text, words);
}

/* A machine with the package, on which nothing is wrong, but dkms has not built the module */
static int set_up(void **state)
{
	(void)state;
	strcpy(root, "built.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	write_text(SOURCE "/dkms.conf", "");
	write_text(SOURCE "/supported-kernels",
		   "# comment\nKERNEL_MIN=\"5.10\"\nKERNEL_MAX=\"6.12\"\n"
		   "KERNEL_OPTIONS=\"CONFIG_KPROBES CONFIG_MMU_NOTIFIER\"\n");
	write_text(BUILD "/.config", "CONFIG_KPROBES_ON_FTRACE=y\nCONFIG_KPROBES=y\n"
		   "CONFIG_MMU_NOTIFIER=y\n");
	write_text(BUILD "/include/x", "");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_path("");
	return 0;
}

static void without_the_package_nothing_is_said(void **state)
{
	(void)state;
	remove_path(SOURCE);
	assert_int_equal(find(), BUILT_UNKNOWN);
	assert_string_equal(text, "");
}

static void dkms_has_not_run(void **state)
{
	(void)state;
	assert_int_equal(find(), BUILT_NOT);
	assert_string_equal(text, "package installed, not built for " RELEASE
			    ", because dkms has not been run for it: sudo dkms install profil/0.9.0 -k "
			    RELEASE);
}

static void headers_are_missing(void **state)
{
	(void)state;
	remove_path(BUILD);
	assert_int_equal(find(), BUILT_NOT);
	assert_names("apt install linux-headers-" RELEASE);
	/* as a link of a kernel's package to headers that are not installed */
	write_text(BUILD "/x", "");
	find();
	assert_names("apt install linux-headers-" RELEASE);
}

/* As in a container: there is no package of headers for the kernel of another system. */
static void kernel_of_another_system(void **state)
{
	(void)state;
	remove_path("/lib");
	assert_int_equal(find(), BUILT_NOT);
	assert_names("/lib/modules/" RELEASE " does not exist");
	assert_null(strstr(text, "apt"));
}

static void kernel_is_too_new(void **state)
{
	(void)state;
	assert_int_equal(built_find(root, "6.13.0", text, sizeof(text)), BUILT_NOT);
	assert_names("newer than Linux 6.12,");
	built_find(root, "7.0-rc1", text, sizeof(text));
	assert_names("newer than Linux 6.12,");
	/* a patch release of the newest, and numbers, not text, are compared */
	built_find(root, "6.12.200", text, sizeof(text));
	assert_null(strstr(text, "newer"));
	built_find(root, "6.9.1", text, sizeof(text));
	assert_null(strstr(text, "newer"));
}

static void kernel_is_too_old(void **state)
{
	(void)state;
	assert_int_equal(built_find(root, "5.9.0", text, sizeof(text)), BUILT_NOT);
	assert_names("older than Linux 5.10:");
	built_find(root, "5.10.0", text, sizeof(text));
	assert_null(strstr(text, "older"));
}

/* Headers would not help. */
static void headers_of_a_kernel_that_is_too_new(void **state)
{
	(void)state;
	built_find(root, "6.13.0", text, sizeof(text));
	assert_null(strstr(text, "headers"));
}

static void options_are_missing(void **state)
{
	(void)state;
	write_text(BUILD "/.config", "# CONFIG_KPROBES is not set\n"
		   "CONFIG_MMU_NOTIFIER=y\n");
	assert_int_equal(find(), BUILT_NOT);
	assert_names("without CONFIG_KPROBES:");
	write_text(BUILD "/.config", "");
	find();
	assert_names("without CONFIG_KPROBES CONFIG_MMU_NOTIFIER:");
}

/* Without headers, the configuration is in /boot. */
static void options_are_read_from_boot(void **state)
{
	(void)state;
	remove_path(BUILD);
	write_text("/boot/config-" RELEASE, "CONFIG_KPROBES=y\n");
	find();
	assert_names("without CONFIG_MMU_NOTIFIER:");
}

static void build_has_failed(void **state)
{
	(void)state;
	write_text("/var/lib/dkms/profil/0.9.0/build/make.log",
		   "DKMS make.log for profil-0.9.0 for kernel " RELEASE " (x86_64)\n");
	assert_int_equal(find(), BUILT_NOT);
	assert_names("the build failed: see /var/lib/dkms/profil/0.9.0/build/make.log");
	/* for another kernel, whose release begins with the same text */
	write_text("/var/lib/dkms/profil/0.9.0/build/make.log",
		   "DKMS make.log for profil-0.9.0 for kernel " RELEASE "-rt (x86_64)\n");
	find();
	assert_names("dkms has not been run");
}

static void module_is_installed(void **state)
{
	(void)state;
	write_text(MODULE, "");
	assert_int_equal(find(), BUILT_INSTALLED);
	assert_names("modprobe profil");
	/* also without the package: from make modules_install */
	remove_path(SOURCE);
	assert_int_equal(find(), BUILT_INSTALLED);
}

/* Secure Boot, and a kernel that is locked down for it */
static void lock_down(void)
{
	write_text(MODULE, "");
	write_text("/var/lib/dkms/mok.pub", "certificate");
	write_bytes(SECURE_BOOT, "\6\0\0\0\1", 5);
	write_text(LOCKDOWN, "none [integrity] confidentiality\n");
	write_bytes(ENROLLED, "\6\0\0\0certific", 12);
}

static void key_is_not_enrolled(void **state)
{
	(void)state;
	lock_down();
	assert_int_equal(find(), BUILT_UNTRUSTED);
	assert_names("mokutil --import /var/lib/dkms/mok.pub");
	/* no key is enrolled */
	remove_path(ENROLLED);
	assert_int_equal(find(), BUILT_UNTRUSTED);
	/* a kernel that demands signatures without being locked down */
	write_text(LOCKDOWN, "[none] integrity confidentiality\n");
	write_text("/sys/module/module/parameters/sig_enforce", "Y\n");
	assert_int_equal(find(), BUILT_UNTRUSTED);
}

static void key_is_not_the_reason(void **state)
{
	(void)state;
	lock_down();
	write_bytes(ENROLLED, "\6\0\0\0another certificate, too", 28);
	assert_int_equal(find(), BUILT_INSTALLED);
	remove_path(ENROLLED);
	write_bytes(FIRMWARE_KEYS, "\6\0\0\0certificate", 15);
	assert_int_equal(find(), BUILT_INSTALLED);

	remove_path(FIRMWARE_KEYS);
	assert_int_equal(find(), BUILT_UNTRUSTED);
	write_bytes(SECURE_BOOT, "\6\0\0\0\0", 5);
	assert_int_equal(find(), BUILT_INSTALLED);

	lock_down();
	write_text(LOCKDOWN, "[none] integrity confidentiality\n");
	assert_int_equal(find(), BUILT_INSTALLED);

	lock_down();
	assert_int_equal(find(), BUILT_UNTRUSTED);
	remove_path("/var/lib/dkms");
	assert_int_equal(find(), BUILT_INSTALLED);
}

/* The key of dkms says nothing about a module that was signed in another way. */
static void module_is_not_of_dkms(void **state)
{
	(void)state;
	lock_down();
	remove_path(MODULE);
	write_text("/lib/modules/" RELEASE "/updates/module/profil.ko", "");
	assert_int_equal(find(), BUILT_INSTALLED);
}

static void long_text_is_cut(void **state)
{
	char few[20];

	(void)state;
	memset(few, 'x', sizeof(few));
	built_find(root, RELEASE, few, sizeof(few));
	assert_string_equal(few, "package installed, ");
}

#define EACH(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(without_the_package_nothing_is_said),
		EACH(dkms_has_not_run),
		EACH(headers_are_missing),
		EACH(kernel_of_another_system),
		EACH(kernel_is_too_new),
		EACH(kernel_is_too_old),
		EACH(headers_of_a_kernel_that_is_too_new),
		EACH(options_are_missing),
		EACH(options_are_read_from_boot),
		EACH(build_has_failed),
		EACH(module_is_installed),
		EACH(key_is_not_enrolled),
		EACH(key_is_not_the_reason),
		EACH(module_is_not_of_dkms),
		EACH(long_text_is_cut),
	};

	return cmocka_run_group_tests_name("built", tests, NULL, NULL);
}
