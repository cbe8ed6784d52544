// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why there is no module for a kernel, from the files of dkms, of the kernel and of the firmware.
 *
 * These are the files by which dkms and the kernel decide, so that no reason is named that cannot
 * apply. The order is that of the remedies: headers do not help a kernel that is too new.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/built.h"

#define DKMS		"/var/lib/dkms"
/* dkms signs modules with this key */
#define DKMS_KEY	DKMS "/mok.pub"
#define SOURCES		"/usr/src/profil-"	/* and the version */
#define EFI		"/sys/firmware/efi/efivars/"
/* The attributes of a variable, in front of its value */
#define EFI_HEADER	4
/* Lists of enrolled keys: certificates of some KiB each */
#define KEYS_MAX	(1 << 20)

/* What dkms.conf and profil info read, see module/supported-kernels */
struct supported {
	char min[32];
	char max[32];
	char options[512];
};

/* Return: bytes read; 0 if the file cannot be read. */
static size_t read_file(const char *root, const char *path, void *buffer, size_t size)
{
	char full[PATH_MAX];
	size_t length = 0;
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "re");
	if (!file)
		return 0;
	length = fread(buffer, 1, size, file);
	fclose(file);
	return length;
}

/* Whether a path, or a shell pattern, exists below @root, which has no special characters. @found:
 * unless NULL, the last that matches, without @root
 */
__attribute__((format(printf, 3, 4)))
static bool find_path(const char *root, char found[PATH_MAX], const char *format, ...)
{
	char pattern[PATH_MAX];
	va_list arguments;
	glob_t paths;
	size_t length;
	bool any;

	length = snprintf(pattern, sizeof(pattern), "%s", root);
	if (length >= sizeof(pattern))
		return false;
	va_start(arguments, format);
	vsnprintf(pattern + length, sizeof(pattern) - length, format, arguments);
	va_end(arguments);
	any = !glob(pattern, 0, NULL, &paths);
	if (any && found)
		snprintf(found, PATH_MAX, "%s", paths.gl_pathv[paths.gl_pathc - 1] + length);
	globfree(&paths);
	return any;
}

/* If @line is NAME="VALUE", copy the value. */
static void take_value(const char *line, const char *name, char *value, size_t size)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length) || strncmp(line + length, "=\"", 2))
		return;
	line += length + 2;
	snprintf(value, size, "%.*s", (int)strcspn(line, "\"\n"), line);
}

static void read_supported(const char *root, const char *version, struct supported *supported)
{
	char path[PATH_MAX], line[600];
	FILE *file;

	memset(supported, 0, sizeof(*supported));
	snprintf(path, sizeof(path), "%s" SOURCES "%s/supported-kernels", root, version);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		take_value(line, "KERNEL_MIN", supported->min, sizeof(supported->min));
		take_value(line, "KERNEL_MAX", supported->max, sizeof(supported->max));
		take_value(line, "KERNEL_OPTIONS", supported->options, sizeof(supported->options));
	}
	fclose(file);
}

/* Compare the first two numbers, as dkms.conf does. Return: as strcmp(); 0: one is no version */
static int compare_versions(const char *a, const char *b)
{
	unsigned int a_major, a_minor, b_major, b_minor;

	if (sscanf(a, "%u.%u", &a_major, &a_minor) != 2 ||
	    sscanf(b, "%u.%u", &b_major, &b_minor) != 2)
		return 0;
	if (a_major != b_major)
		return a_major < b_major ? -1 : 1;
	return (a_minor > b_minor) - (a_minor < b_minor);
}

/* The configuration that dkms reads, or else the one beside the kernel. Return: NULL: none */
static FILE *open_config(const char *root, const char *release)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/build/.config", root, release);
	file = fopen(path, "re");
	if (file)
		return file;
	snprintf(path, sizeof(path), "%s/boot/config-%s", root, release);
	return fopen(path, "re");
}

static bool is_set(FILE *config, const char *option)
{
	size_t length = strlen(option);
	char line[256];

	rewind(config);
	while (fgets(line, sizeof(line), config)) {
		if (!strncmp(line, option, length) && line[length] == '=')
			return line[length + 1] == 'y' || line[length + 1] == 'm';
	}
	return false;
}

/* @options: separated by spaces; cut into words. @missing: those that the kernel lacks, the same */
static void find_missing(const char *root, const char *release, char *options, char *missing,
			 size_t size)
{
	FILE *config = open_config(root, release);
	char *option, *rest = NULL;
	size_t used = 0;

	missing[0] = 0;
	if (!config)
		return;
	for (option = strtok_r(options, " ", &rest); option; option = strtok_r(NULL, " ", &rest)) {
		if (!is_set(config, option) && used < size)
			used += snprintf(missing + used, size - used, "%s%s", used ? " " : "",
					 option);
	}
	fclose(config);
}

/* Whether the last build was for this kernel, and so failed: dkms keeps the log of a good build
 * in another folder.
 */
static bool build_failed(const char *root, const char *version, const char *release)
{
	char path[PATH_MAX], head[512] = "", wanted[300];

	snprintf(path, sizeof(path), DKMS "/profil/%s/build/make.log", version);
	read_file(root, path, head, sizeof(head) - 1);
	snprintf(wanted, sizeof(wanted), "for kernel %s ", release);
	return strstr(head, wanted);
}

static bool secure_boot(const char *root)
{
	unsigned char value[EFI_HEADER + 1];

	return read_file(root, EFI "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", value,
			 sizeof(value)) == sizeof(value) && value[EFI_HEADER] == 1;
}

/* Whether the kernel refuses modules without a signature that it knows. Secure Boot alone does not
 * say that: it is for the kernel to lock itself down.
 */
static bool demands_signatures(const char *root)
{
	char text[64] = "";

	if (read_file(root, "/sys/module/module/parameters/sig_enforce", text, 1) && *text == 'Y')
		return true;
	return read_file(root, "/sys/kernel/security/lockdown", text, sizeof(text) - 1) &&
	       !strstr(text, "[none]");
}

/* Whether the certificate of dkms can be read, and is not among those that were enrolled. */
static bool key_is_unknown(const char *root)
{
	/* the keys of mokutil, and those of the firmware */
	static const char *const lists[] = {
		EFI "MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23",
		EFI "db-d719b2cb-3d3a-4596-a3bc-dad00e67656f",
	};
	unsigned char key[4096];
	size_t length = read_file(root, DKMS_KEY, key, sizeof(key));
	unsigned char *keys;
	bool known = false;
	size_t i;

	/* A longer file would be compared in part. */
	if (!length || length == sizeof(key))
		return false;
	keys = malloc(KEYS_MAX);
	if (!keys)
		return false;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (memmem(keys, read_file(root, lists[i], keys, KEYS_MAX), key, length))
			known = true;
	}
	free(keys);
	return !known;
}

/* Whether dkms has installed the module, and so signed it. */
static bool is_by_dkms(const char *root, const char *release)
{
	return find_path(root, NULL, "/lib/modules/%s/updates/dkms/profil.ko*", release);
}

static bool is_installed(const char *root, const char *release)
{
	return is_by_dkms(root, release) ||
	       find_path(root, NULL, "/lib/modules/%s/updates/profil.ko*", release) ||
	       find_path(root, NULL, "/lib/modules/%s/updates/module/profil.ko*", release) ||
	       find_path(root, NULL, "/lib/modules/%s/extra/profil.ko*", release) ||
	       find_path(root, NULL, "/lib/modules/%s/extra/module/profil.ko*", release);
}

/* The version of the package whose source dkms builds; the last of several */
static bool find_package(const char *root, char *version, size_t size)
{
	char path[PATH_MAX];

	if (!find_path(root, path, SOURCES "[0-9]*/dkms.conf"))
		return false;
	*strrchr(path, '/') = 0;
	return (size_t)snprintf(version, size, "%s", path + strlen(SOURCES)) < size;
}

static void explain(const char *root, const char *version, const char *release, char *text,
		    size_t size)
{
	struct supported supported;
	char missing[512];

	read_supported(root, version, &supported);
	if (compare_versions(release, supported.max) > 0) {
		snprintf(text, size, "it is newer than Linux %s, the last that profil %s is tested with: install a newer profil-dkms, or boot an older kernel",
			 supported.max, version);
		return;
	}
	if (compare_versions(release, supported.min) < 0) {
		snprintf(text, size, "it is older than Linux %s: boot a newer kernel",
			 supported.min);
		return;
	}
	find_missing(root, release, supported.options, missing, sizeof(missing));
	if (*missing)
		snprintf(text, size, "it is configured without %s: boot a kernel that has it",
			 missing);
	else if (!find_path(root, NULL, "/lib/modules/%s", release))
		snprintf(text, size, "/lib/modules/%s does not exist: that kernel was not installed from packages of this system",
			 release);
	else if (!find_path(root, NULL, "/lib/modules/%s/build/include", release))
		snprintf(text, size, "its headers are missing: apt install linux-headers-%s",
			 release);
	else if (build_failed(root, version, release))
		snprintf(text, size, "the build failed: see " DKMS "/profil/%s/build/make.log",
			 version);
	else
		snprintf(text, size, "dkms has not been run for it: sudo dkms install profil/%s -k %s",
			 version, release);
}

enum built built_find(const char *root, const char *release, char *text, size_t size)
{
	char version[64], why[1024];

	text[0] = 0;
	if (is_installed(root, release)) {
		if (is_by_dkms(root, release) && secure_boot(root) &&
		    demands_signatures(root) && key_is_unknown(root)) {
			snprintf(text, size, "installed, not loaded: Secure Boot is on, and the key that signed the module is not enrolled: sudo mokutil --import " DKMS_KEY ", then reboot");
			return BUILT_UNTRUSTED;
		}
		snprintf(text, size, "installed, not loaded: sudo modprobe profil");
		return BUILT_INSTALLED;
	}
	if (!find_package(root, version, sizeof(version)))
		return BUILT_UNKNOWN;
	explain(root, version, release, why, sizeof(why));
	snprintf(text, size, "package installed, not built for %s, because %s", release, why);
	return BUILT_NOT;
}
