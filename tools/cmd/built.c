// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why there is no module for this kernel, as dkms, modprobe and mokutil say.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <device.h>
#include <node.h>

#include "cmd/built.h"

/* dkms signs modules with this key */
#define DKMS_KEY	"/var/lib/dkms/mok.pub"

/* For the shell: PATH of users need not have the folders of these programs */
#define ASK		"export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C; exec 2>/dev/null; "

/*
 * Run a program.
 *
 * @line: its first line, cut if it is too long; empty if there is none
 *
 * Return: its exit status; -1: it was not run, or killed. A shell that does not find it has 127.
 */
static int ask(const char *command, char line[128])
{
	FILE *out = popen(command, "re");
	char rest[128];
	int status;

	line[0] = 0;
	if (!out)
		return -1;
	if (fgets(line, 128, out))
		line[strcspn(line, "\n")] = 0;
	/* to its end, or it would get SIGPIPE */
	while (fgets(rest, sizeof(rest), out))
		;
	status = pclose(out);
	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether Secure Boot does not know the key that dkms signs with. */
static bool key_is_unknown(void)
{
	char line[128];

	ask(ASK "mokutil --sb-state", line);
	if (!strstr(line, "SecureBoot enabled"))
		return false;
	ask(ASK "mokutil --test-key " DKMS_KEY, line);
	return strstr(line, "is not enrolled");
}

enum built built_find(const char *release, char *text, size_t size)
{
	char line[128];

	text[0] = 0;
	if (!ask(ASK "modprobe --dry-run --quiet profil", line)) {
		if (!key_is_unknown()) {
			snprintf(text, size, "installed, not loaded: sudo modprobe profil");
			return BUILT_INSTALLED;
		}
		snprintf(text, size, "installed, not loaded: Secure Boot is on, and the key that dkms signs modules with is not enrolled: sudo mokutil --import " DKMS_KEY ", then reboot");
		return BUILT_UNTRUSTED;
	}
	/* "profil/0.9.0: added", or with a kernel that it was built for, "profil/0.9.0, 6.1.0, ..." */
	if (ask(ASK "dkms status -m profil", line) || strncmp(line, "profil/", strlen("profil/")))
		return BUILT_UNKNOWN;
	line[strcspn(line, ",:")] = 0;
	snprintf(text, size, "package installed, not built for %s: sudo dkms install %s -k %s builds it, or says why not",
		 release, line, release);
	return BUILT_NOT;
}

void built_explain(int error, char *why, size_t size)
{
	struct profil_node node;
	struct utsname name;
	char text[256];

	if (!profil_device_is_missing(-error) || uname(&name))
		return;
	profil_node_look(&node);
	/* the files of a container say nothing about the kernel of its host */
	if (!node.contained && node.module == PROFIL_MODULE_ABSENT &&
	    built_find(name.release, text, sizeof(text)) != BUILT_UNKNOWN)
		snprintf(why, size, PROFIL_DEVICE ": %s (%s): %s", strerrordesc_np(-error),
			 strerrorname_np(-error), text);
}
