// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil info - check whether a profile can be started
 *
 * Tries the steps of a run, the last of which is to start a profile. A failure is printed with
 * its errno and a remedy.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <device.h>
#include <node.h>
#include <rate.h>

#include "cmd/built.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "record/attach.h"
#include "record/child.h"

#define MODULE	"/sys/module/profil"

static const char doc[] =
	"Check whether a profile can be started, and print the rates and limits that apply, or what "
	"is missing and how to fix it."
	"\v"
	"Exit status: 0 if a profile can be started; 1 if not; 2 for wrong usage.\n"
	"\n"
	"See profil-info(1).";

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	options_error(state, "no arguments are allowed: unexpected '%s'", text);
	return 0;
}

static void print_title(const char *title)
{
	printf("%-18s", title);
}

static void print_failure(int error, const char *remedy)
{
	printf("%s (%s): %s\n", strerrordesc_np(error), strerrorname_np(error), remedy);
}

static void print_kernel(void)
{
	struct utsname name;

	print_title("kernel");
	if (uname(&name))
		print_failure(errno, "see uname(2)");
	else
		printf("Linux %s %s\n", name.release, name.machine);
}

/* For information only: a profile needs the device. Return: whether modprobe can load it, for all
 * that is known.
 */
static bool print_module(const struct profil_node *node)
{
	struct utsname name;
	char text[1200];
	enum built built;

	print_title("module");
	if (node->module == PROFIL_MODULE_LOADED) {
		puts("loaded");
		return true;
	}
	/* The files of a container say nothing about the kernel of its host. */
	built = node->contained || uname(&name) ? BUILT_UNKNOWN :
						  built_find("", name.release, text, sizeof(text));
	if (built != BUILT_UNKNOWN)
		puts(text);
	else
		puts(node->module == PROFIL_MODULE_ABSENT ? "not loaded" :
							    "unknown: /sys is not mounted");
	return built == BUILT_UNKNOWN || built == BUILT_INSTALLED;
}

/* @loadable: see print_module(). Return: a descriptor; -1: failed, and the reason is printed. */
static int open_device(const struct profil_node *node, bool loadable)
{
	int fd = profil_device_open();

	print_title(PROFIL_DEVICE);
	if (fd < 0)
		print_failure(-fd, profil_device_is_missing(-fd) && !loadable ?
			      "the module is missing, see above" : profil_node_remedy(node, -fd));
	else
		puts("can be opened");
	return fd < 0 ? -1 : fd;
}

/* Whether sysfs shows that the open file is not the module's device. */
static bool is_another(int device)
{
	char path[64], link[256];
	struct stat node;
	ssize_t length;

	if (fstat(device, &node))
		return false;
	if (!S_ISCHR(node.st_mode))
		return true;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u", major(node.st_rdev),
		 minor(node.st_rdev));
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return false;
	link[length] = 0;
	return strcmp(strrchr(link, '/') ? strrchr(link, '/') : link, "/profil") != 0;
}

static bool print_interface(int device)
{
	struct profil_info info = { .size = sizeof(info) };
	int error = profil_device_call(device, PROFIL_IOC_INFO, &info);

	print_title("interface");
	if (error) {
		print_failure(-error, is_another(device) ?
			      "this file is not the device of the module: make the system's " PROFIL_DEVICE " available here" :
			      "the loaded module is of another version: install the module and the command from the same build");
		return false;
	}
	printf("version %" PRIu32 "\n", info.abi_version);
	print_title("rates");
	printf("1 to %" PRIu32 " Hz; up to %" PRIu32 " Hz by the scheduler's tick; default: %d Hz\n",
	       info.max_rate, info.tick_hz, PROFIL_DEFAULT_RATE);
	print_title("profile size");
	printf("up to %" PRIu32 " regions; their counters may span %" PRIu64 " MiB\n",
	       info.max_regions, (uint64_t)info.max_bytes >> 20);
	return true;
}

/* Print the administrator's limits, except those that cannot be read. */
static void print_parameters(void)
{
	static const char *const names[] = {
		"max_rate", "max_cpu_percent", "max_user_sessions", "max_user_regions",
		"max_hook_seconds",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128], value[32];
		FILE *file;

		snprintf(path, sizeof(path), MODULE "/parameters/%s", names[i]);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(value, sizeof(value), file)) {
			value[strcspn(value, "\n")] = 0;
			print_title(names[i]);
			printf("%s (module parameter)\n", value);
		}
		fclose(file);
	}
}

static void print_memlock(void)
{
	struct rlimit limit;

	print_title("locked memory");
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		print_failure(errno, "see getrlimit(2)");
	else if (limit.rlim_cur == RLIM_INFINITY)
		puts("no limit");
	else
		printf("up to %llu KiB for all processes of the user (ulimit -l);\n"
		       "%18sa run locks its log, 64 KiB or more\n",
		       (unsigned long long)limit.rlim_cur / 1024, "");
}

/* Attach to the child that waits, as a run does. Return: 1: it need not execute a program. */
static int probe(void *data, pid_t pid)
{
	const struct attach_options options = { .rate = PROFIL_DEFAULT_RATE, .follow = true };
	struct attach attach;
	char *why = data;

	if (attach_open(&attach, &options, why) || attach_process(&attach, pid, true, why)) {
		attach_close(&attach);
		return 1;
	}
	attach_close(&attach);
	why[0] = 0;
	return 1;
}

static bool print_probe(void)
{
	char *const command[] = { NULL };
	char why[ATTACH_WHY] = "";
	const struct child_calls calls = { .attach = probe, .data = why };
	struct child_end end;
	int error = child_run(command, &calls, &end);

	print_title("profile");
	if (error < 0)
		print_failure(-error, "see fork(2)");
	else
		puts(*why ? why : "can be started");
	return error >= 0 && !*why;
}

int info_main(int argc, char **argv)
{
	static const struct argp argp = { .parser = parse_option, .doc = doc };
	bool ready = true;
	struct profil_node node;
	bool loadable;
	int device;

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, NULL);
	print_kernel();
	profil_node_look(&node);
	loadable = print_module(&node);
	device = open_device(&node, loadable);
	if (device < 0)
		ready = false;
	else if (!print_interface(device))
		ready = false;
	print_parameters();
	print_memlock();
	if (device >= 0) {
		profil_device_close(device);
		if (!print_probe())
			ready = false;
	} else {
		print_title("profile");
		puts("cannot be started without " PROFIL_DEVICE);
	}
	return ready ? 0 : EXIT_NO_RESULT;
}
