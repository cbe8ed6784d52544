// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil info - check whether a profile can be started
 *
 * Tries the steps of a run, the last of which is to start a profile. A failure is printed with
 * its errno and a remedy.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
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
#include "util/distribution.h"
#include "util/failure.h"
#include "util/json.h"

#define MODULE	"/sys/module/profil"
#define VERSION	1	/* of the JSON */

static const char doc[] =
	"Check whether a profile can be started, and print the rates and limits that apply, or what "
	"is missing and how to fix it."
	"\v"
	"Exit status: 0 if a profile can be started; 1 if not; 2 for wrong usage.\n"
	"\n"
	"See profil-info(1).";

enum { JSON = 256 };

static const struct argp_option options[] = {
	{ "json", JSON, NULL, 0, "Print JSON", 0 },
	{ 0 }
};

/* What is printed */
struct info {
	bool is_json;
	struct json json;
	struct profil_info interface;	/* the version and the rates; zero if they are not known */
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct info *info = state->input;

	switch (key) {
	case JSON:
		info->is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		options_error(state, "no arguments are allowed: unexpected '%s'", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Print what was found. @error: errno, or 0; @text: may have several lines */
static void print_check(struct info *info, const char *name, int error, char *text)
{
	char *line = text, *rest;

	if (!info->is_json) {
		printf("%-18s", name);
		while ((rest = strchr(line, '\n'))) {
			printf("%.*s\n%18s", (int)(rest - line), line, "");
			line = rest + 1;
		}
		puts(line);
		return;
	}
	while ((line = strchr(line, '\n')))
		*line = ' ';
	json_next(&info->json);
	json_enter(&info->json, '{');
	json_string(&info->json, "name", name);
	json_string(&info->json, "error", error ? strerrorname_np(error) : NULL);
	json_string(&info->json, "text", text);
	json_leave(&info->json, '}');
}

static void __attribute__((format(printf, 3, 4)))
print_found(struct info *info, const char *name, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) >= 0) {
		print_check(info, name, 0, text);
		free(text);
	}
	va_end(arguments);
}

static void print_failure(struct info *info, const char *name, int error, const char *remedy)
{
	char *text;

	if (asprintf(&text, "%s (%s): %s", strerrordesc_np(error), strerrorname_np(error),
		     remedy) < 0)
		return;
	print_check(info, name, error, text);
	free(text);
}

static void print_kernel(struct info *info)
{
	struct utsname name;

	if (uname(&name))
		print_failure(info, "kernel", errno, "see uname(2)");
	else
		print_found(info, "kernel", "Linux %s %s", name.release, name.machine);
}

/* For information only: a profile needs the device. Return: whether modprobe can load it, for all
 * that is known.
 */
static bool print_module(struct info *info, const struct profil_node *node)
{
	struct utsname name;
	char text[512];
	enum built built;

	if (node->module == PROFIL_MODULE_LOADED) {
		print_found(info, "module", "loaded");
		return true;
	}
	/* The files of a container say nothing about the kernel of its host. */
	built = node->contained || uname(&name) ? BUILT_UNKNOWN :
						  built_find(name.release, text, sizeof(text));
	if (built == BUILT_UNKNOWN)
		snprintf(text, sizeof(text), "%s", node->module == PROFIL_MODULE_ABSENT ?
			 "not loaded" : "unknown: /sys is not mounted");
	print_found(info, "module", "%s", text);
	return built == BUILT_UNKNOWN || built == BUILT_INSTALLED;
}

/* @loadable: see print_module(). Return: a descriptor; -1: failed, and the reason is printed. */
static int open_device(struct info *info, const struct profil_node *node, bool loadable)
{
	int fd = profil_device_open();

	if (fd < 0)
		print_failure(info, PROFIL_DEVICE, -fd, profil_device_is_missing(-fd) && !loadable ?
			      "the module is missing, see above" : profil_node_remedy(node, -fd));
	else
		print_found(info, PROFIL_DEVICE, "can be opened");
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

static bool print_interface(struct info *info, int device)
{
	struct profil_info interface = { .size = sizeof(interface) };
	int error = profil_device_call(device, PROFIL_IOC_INFO, &interface);

	if (error) {
		print_failure(info, "interface", -error, is_another(device) ?
			      "this file is not the device of the module: make the system's " PROFIL_DEVICE " available here" :
			      "the loaded module is of another version: install the module and the command from the same build");
		return false;
	}
	info->interface = interface;
	print_found(info, "interface", "version %" PRIu32, interface.abi_version);
	print_found(info, "rates",
		    "1 to %" PRIu32 " Hz; up to %" PRIu32 " Hz by the scheduler's tick; default: %d Hz",
		    interface.max_rate, interface.tick_hz, PROFIL_DEFAULT_RATE);
	print_found(info, "profile size",
		    "up to %" PRIu32 " regions; their counters may span %" PRIu64 " MiB",
		    interface.max_regions, (uint64_t)interface.max_bytes >> 20);
	return true;
}

/* Print the administrator's limits, except those that cannot be read. */
static void print_parameters(struct info *info)
{
	static const char *const names[] = {
		"max_rate", "max_cpu_percent", "max_user_sessions", "max_user_regions",
		"max_hook_seconds", "max_start_maps",
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
			print_found(info, names[i], "%s (module parameter)", value);
		}
		fclose(file);
	}
}

static void print_memlock(struct info *info)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		print_failure(info, "locked memory", errno, "see getrlimit(2)");
	else if (limit.rlim_cur == RLIM_INFINITY)
		print_found(info, "locked memory", "no limit");
	else
		print_found(info, "locked memory",
			    "up to %llu KiB for all processes of the user (ulimit -l);\n"
			    "a run locks its log, 64 KiB or more",
			    (unsigned long long)limit.rlim_cur / 1024);
}

/* For information only: where `profil report' finds the names of programs without symbols */
static void print_debug_symbols(struct info *info)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *library;

	if (!urls || !*urls) {
		print_found(info, "debug symbols",
			    "from installed packages; to fetch others: export DEBUGINFOD_URLS=%s",
			    distribution_debuginfod(DISTRIBUTION_RELEASE));
		return;
	}
	library = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	print_found(info, "debug symbols", library ? "from installed packages, and from %s" :
		    "from installed packages; %s needs libdebuginfod1", urls);
	if (library)
		dlclose(library);
}

/* Attach to the child that waits, as a run does. Return: 1: it need not execute a program. */
static int probe(void *data, pid_t pid)
{
	const struct attach_options attached = { .rate = PROFIL_DEFAULT_RATE, .follow = true };
	struct attach attach;
	char *why = data;

	if (attach_open(&attach, &attached, why) || attach_process(&attach, pid, true, why)) {
		attach_close(&attach);
		return 1;
	}
	attach_close(&attach);
	why[0] = 0;
	return 1;
}

static bool print_probe(struct info *info)
{
	char *const command[] = { NULL };
	char why[ATTACH_WHY] = "";
	const struct child_calls calls = { .attach = probe, .data = why };
	struct child_end end;
	int error = child_run(command, &calls, &end);

	if (error < 0)
		print_failure(info, "profile", -error, "see fork(2)");
	else
		print_found(info, "profile", "%s", *why ? why : "can be started");
	return error >= 0 && !*why;
}

/* Print all checks. Return: whether a profile can be started. */
static bool print_checks(struct info *info)
{
	bool ready = true, loadable;
	struct profil_node node;
	int device;

	print_kernel(info);
	profil_node_look(&node);
	loadable = print_module(info, &node);
	device = open_device(info, &node, loadable);
	if (device < 0 || !print_interface(info, device))
		ready = false;
	print_parameters(info);
	print_memlock(info);
	print_debug_symbols(info);
	if (device >= 0) {
		profil_device_close(device);
		if (!print_probe(info))
			ready = false;
	} else {
		print_found(info, "profile", "cannot be started without " PROFIL_DEVICE);
	}
	return ready;
}

static void print_rate(struct json *json, const char *name, uint32_t rate)
{
	if (rate)
		json_number(json, name, rate);
	else
		json_string(json, name, NULL);
}

/* As specified by profil-info.schema.json. Return: as print_checks(). */
static bool print_json(struct info *info)
{
	struct json *json = &info->json;
	bool ready;

	json->out = stdout;
	json_enter(json, '{');
	json_string(json, "format", "profil-info");
	json_number(json, "version", VERSION);
	json_member(json, "checks");
	json_enter(json, '[');
	ready = print_checks(info);
	json_leave(json, ']');
	json_bool(json, "can_profile", ready);
	json_number(json, "default_rate", PROFIL_DEFAULT_RATE);
	print_rate(json, "max_rate", info->interface.max_rate);
	print_rate(json, "tick_rate", info->interface.tick_hz);
	json_leave(json, '}');
	putc('\n', stdout);
	return ready;
}

int info_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse_option, .doc = doc,
	};
	struct info info = { 0 };
	bool ready;

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &info);
	ready = info.is_json ? print_json(&info) : print_checks(&info);
	if (fflush(stdout) || ferror(stdout))
		failure_exit(EXIT_NO_RESULT, "standard output", errno);
	return ready ? 0 : EXIT_NO_RESULT;
}
