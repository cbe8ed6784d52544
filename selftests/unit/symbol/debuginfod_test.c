// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debug information from elfutils' debuginfod server, in a network namespace of its own.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmd/options.h>
#include <symbol/debuginfod.h>
#include <symbol/symbols.h>

#include "stderr_capture.h"
#include "support/debug_file.h"
#include "support/test.h"

/* Ports of 127.0.0.1. In a new network namespace, all are free. */
#define SERVER	8002
#define SILENT	8003	/* accepts connections, but never answers */
#define CLOSED	8004

static char path[] = "fetched/program";
static struct result_object object = { .path = path };
static struct result result = { .objects = &object, .nr_objects = 1 };
static unsigned long exported, hidden;
static char build_id[64];
static const char *skip_reason;
static int standard_error, silent_port;

static bool has_own_network(void)
{
	struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	/* only root, also of a user namespace, may create a network namespace */
	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback))
		return false;
	close(fd);
	return true;
}

static struct sockaddr_in port(uint16_t number)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(number),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

/* Whether the server has the file. It scans for files after it has started to answer. */
static bool is_served(void)
{
	const struct sockaddr_in server = port(SERVER);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char answer[] = "HTTP/1.1 404";

	if (!connect(fd, (const struct sockaddr *)&server, sizeof(server)) &&
	    dprintf(fd, "GET /buildid/%s/debuginfo HTTP/1.0\r\n\r\n", build_id) > 0)
		recv(fd, answer, sizeof(answer) - 1, MSG_WAITALL);
	close(fd);
	return !strcmp(answer + strlen("HTTP/1.1 "), "200");
}

static pid_t start_server(void)
{
	pid_t server = fork();

	if (server)
		return server;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	freopen("fetched/log", "w", stdout);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	execlp("debuginfod", "debuginfod", "-d", ":memory:", "-p", "8002", "-F",
	       "fetched/served", NULL);
	_exit(127);
}

static void open_silent_port(void)
{
	const struct sockaddr_in silent = port(SILENT);

	/* never closed */
	silent_port = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	bind(silent_port, (const struct sockaddr *)&silent, sizeof(silent));
	listen(silent_port, 8);
}

/* The program is stripped, and its debug file is on the server only. */
static int make_files(void)
{
	FILE *output;
	int read;

	if (system("rm -rf fetched; mkdir -p fetched/served fetched/root &&"
		   "objcopy --only-keep-debug fixture-pie fetched/served/debug-file &&"
		   "objcopy --strip-all fixture-pie fetched/program &&"
		   "cp fetched/program fetched/root"))
		return -1;
	output = popen("./fixture-pie; readelf -n fixture-pie | sed -n 's|.*Build ID: ||p'", "r");
	read = fscanf(output, "%lx %lx %*x %*x %*x", &exported, &hidden);
	while (read == 2 && fgets(build_id, sizeof(build_id), output) && build_id[0] == '\n')
		;
	build_id[strcspn(build_id, "\n")] = 0;
	pclose(output);
	return read == 2 ? 0 : -1;
}

static int set_up_all(void **state)
{
	static pid_t server;

	if (system("command -v debuginfod >/dev/null")) {
		skip_reason = "no debuginfod: scripts/deps/install check";
		return 0;
	}
	if (!has_own_network()) {
		skip_reason = "cannot create a network namespace";
		return 0;
	}
	if (make_files())
		return -1;
	setenv("DEBUGINFOD_CACHE_PATH", "fetched/cache", 1);
	standard_error = dup(STDERR_FILENO);
	open_silent_port();
	server = start_server();
	*state = &server;
	/* no time limit; if the server exits, it has failed */
	while (!is_served())
		if (waitpid(server, NULL, WNOHANG))
			return -1;
	return 0;
}

static int tear_down_all(void **state)
{
	pid_t *server = *state;

	if (!server)
		return 0;
	kill(*server, SIGKILL);
	waitpid(*server, NULL, 0);
	return system("rm -rf fetched");
}

static void use_server(uint16_t number)
{
	char url[64];

	if (skip_reason) {
		print_message("%s\n", skip_reason);
		skip();
	}
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", number);
	setenv("DEBUGINFOD_URLS", url, 1);
	assert_int_equal(system("rm -rf fetched/cache"), 0);
}

/* Parse an option like a subcommand. */
static void parse(const char *option)
{
	const struct argp argp = { .children = &options_of_results[1] };
	char *arguments[] = { (char *)"report", (char *)option, NULL };

	assert_int_equal(argp_parse(&argp, option ? 2 : 1, arguments, 0, NULL, NULL), 0);
}

/* Must be the first test, because debuginfod_allow() cannot be undone. */
TEST(nothing_is_fetched_unless_allowed)
{
	use_server(SERVER);
	parse("--no-debuginfod");
	assert_false(debug_file_is_found(&result, NULL, hidden));
	assert_int_not_equal(access("fetched/cache", F_OK), 0);
	assert_null(getenv("DEBUGINFOD_MAXTIME"));
}

TEST(debug_information_is_fetched)
{
	use_server(SERVER);
	parse(NULL);
	assert_true(debug_file_is_found(&result, NULL, hidden));
	assert_int_equal(access("fetched/cache", F_OK), 0);
}

TEST(debug_information_below_a_root_is_fetched)
{
	use_server(SERVER);
	debuginfod_allow();
	snprintf(path, sizeof(path), "/program");
	assert_true(debug_file_is_found(&result, "fetched/root", hidden));
	snprintf(path, sizeof(path), "fetched/program");
}

/* The program was deleted after it ran. */
TEST(debug_information_of_a_missing_program_is_fetched)
{
	const char *digits = build_id;

	use_server(SERVER);
	debuginfod_allow();
	while (sscanf(digits, "%2hhx", &object.build_id[object.build_id_bytes]) == 1) {
		object.build_id_bytes++;
		digits += 2;
	}
	snprintf(path, sizeof(path), "fetched/deleted");
	assert_true(debug_file_is_found(&result, NULL, hidden));
	assert_true(debug_file_is_found(&result, "fetched/root", hidden));
	snprintf(path, sizeof(path), "fetched/program");
	object.build_id_bytes = 0;
}

/* There are time limits, which the user can change. */
TEST(time_is_limited)
{
	use_server(SERVER);
	unsetenv("DEBUGINFOD_MAXTIME");
	setenv("DEBUGINFOD_TIMEOUT", "7", 1);
	debuginfod_allow();
	assert_string_equal(getenv("DEBUGINFOD_MAXTIME"), "300");
	assert_string_equal(getenv("DEBUGINFOD_TIMEOUT"), "7");
}

/* A failure is reported once, and the server is not used for the next object. */
static void assert_failure(const char *message)
{
	struct stderr_capture captured;
	const char *text;

	debuginfod_allow();
	capture_stderr(&captured);
	assert_false(debug_file_is_found(&result, NULL, hidden));
	assert_null(getenv("DEBUGINFOD_URLS"));
	assert_false(debug_file_is_found(&result, NULL, hidden));
	text = end_capture(&captured);
	if (!strstr(text, message))
		fail_msg("not '%s': %s", message, text);
	assert_int_equal(count_lines(text), count_lines(message) + 1);
}

TEST(failing_server_is_reported)
{
	use_server(CLOSED);
	assert_failure("debuginfod: Connection refused (ECONNREFUSED): no more");
}

TEST(silent_server_times_out)
{
	use_server(SILENT);
	setenv("DEBUGINFOD_TIMEOUT", "2", 1);
	/* standard error is a file, which gets a line after a second */
	assert_failure("debuginfod: waiting for debug information of program; --no-debuginfod fetches none\n"
		       "debuginfod_test: debuginfod: Timer expired (ETIME): no more");
	/* another try would take as long */
	assert_true(accept(silent_port, NULL, NULL) >= 0);
	assert_int_equal(accept(silent_port, NULL, NULL), -1);
	unsetenv("DEBUGINFOD_TIMEOUT");
}

TEST(missing_file_is_not_a_failure)
{
	use_server(SERVER);
	debuginfod_allow();
	debuginfod_after_search(-ENOENT);
	debuginfod_after_search(-1);
	assert_non_null(getenv("DEBUGINFOD_URLS"));
}

TEST(progress_is_shown_on_terminals)
{
	char text[1 << 16] = "";
	int master, slave;
	ssize_t nr;
	size_t length = 0;

	use_server(SERVER);
	debuginfod_allow();
	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	dup2(slave, STDERR_FILENO);
	assert_true(debug_file_is_found(&result, NULL, hidden));
	dup2(standard_error, STDERR_FILENO);
	/* read() below returns at the end */
	close(slave);
	while ((nr = read(master, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)nr;
	close(master);
	assert_memory_equal(text, "\rprofil: fetching debug information of program", 46);
	/* the line is erased at the end */
	assert_string_equal(strrchr(text, '\r'), "\r\033[K");
}

GROUP(set_up_all, tear_down_all)
