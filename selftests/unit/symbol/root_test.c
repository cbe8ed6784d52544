// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects and their debug files below a root directory, with links that lead out of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <symbol/symbols.h>

#include "support/debug_file.h"
#include "support/test.h"

static char path[4096], root[4096];
static struct result_object object = { .path = path };
static struct result result = { .objects = &object, .nr_objects = 1 };
static unsigned long exported, hidden;

/* Run a shell command with $id set to the program's build-id, as in a path: 01/2345... */
static void run(const char *format, ...)
{
	char *command, *whole;
	va_list arguments;

	va_start(arguments, format);
	assert_true(vasprintf(&command, format, arguments) > 0);
	va_end(arguments);
	assert_true(asprintf(&whole, "set -e; id=$(readelf -n fixture-pie |"
			     "sed -n 's|.*Build ID: \\(..\\)|\\1/|p'); %s", command) > 0);
	if (system(whole))
		fail_msg("%s", command);
	free(whole);
	free(command);
}

/* below/bin/program is stripped; its symbols are in below/debug-file. */
static int set_up(void **state)
{
	FILE *output = popen("./fixture-pie", "r");
	int read = fscanf(output, "%lx %lx", &exported, &hidden);

	(void)state;
	pclose(output);
	run("rm -rf below outside; mkdir -p below/bin;"
	    "objcopy --only-keep-debug fixture-pie below/debug-file;"
	    "objcopy --strip-all fixture-pie below/bin/program");
	assert_non_null(realpath("below", root));
	snprintf(path, sizeof(path), "/bin/program");
	return read == 2 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return system("rm -rf below outside");
}

/* Find a function. Return: NULL, or the problem, to be given to free(). */
static char *find_problem(void)
{
	struct symbols *symbols = symbols_new(&result, root);
	struct function function;
	char *problem = NULL;

	if (symbols_find(symbols, 0, exported, &function) == 1)
		assert_memory_equal(function.name, "exported", 8);
	else
		problem = strdup(symbols_problem(symbols, 0));
	symbols_free(symbols);
	return problem;
}

static void absolute_links_start_at_the_root(void **state)
{
	(void)state;
	run("ln -s /bin below/lib");
	snprintf(path, sizeof(path), "/lib/program");
	assert_null(find_problem());
}

static void paths_do_not_leave_the_root(void **state)
{
	char *here = realpath(".", NULL), *problem;

	(void)state;
	snprintf(path, sizeof(path), "/../../../../../../../../../../..%s/fixture-pie", here);
	problem = find_problem();
	assert_string_equal(problem, "No such file or directory below the root");
	free(problem);
	snprintf(path, sizeof(path), "/bin/outside");
	run("ln -s %s/fixture-pie below/bin/outside", here);
	problem = find_problem();
	assert_string_equal(problem, "No such file or directory below the root");
	free(problem);
	free(here);
}

static void debug_files_are_found_by_build_id(void **state)
{
	(void)state;
	assert_false(debug_file_is_found(&result, root, hidden));
	/* through an absolute link */
	run("mkdir -p below/usr/lib; ln -s /debug below/usr/lib/debug;"
	    "file=below/debug/.build-id/$id.debug; mkdir -p ${file%%/*};"
	    "cp below/debug-file $file");
	assert_true(debug_file_is_found(&result, root, hidden));
	/* the debug file of another program */
	run("objcopy --only-keep-debug fixture-fixed below/debug/.build-id/$id.debug");
	assert_false(debug_file_is_found(&result, root, hidden));
}

static void debug_files_outside_are_not_used(void **state)
{
	char *here = realpath(".", NULL);

	(void)state;
	run("mkdir -p below/usr/lib; ln -s %s/outside below/usr/lib/debug;"
	    "file=outside/.build-id/$id.debug; mkdir -p ${file%%/*}; cp below/debug-file $file",
	    here);
	assert_false(debug_file_is_found(&result, root, hidden));
	free(here);
}

static void debug_files_are_found_by_name(void **state)
{
	static const char *const places[] = {
		"below/bin", "below/bin/.debug", "below/usr/lib/debug/bin",
	};
	size_t i;

	(void)state;
	run("objcopy --remove-section .note.gnu.build-id --add-gnu-debuglink=below/debug-file "
	    "below/bin/program");
	assert_false(debug_file_is_found(&result, root, hidden));
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		run("mkdir -p %s; cp below/debug-file %s", places[i], places[i]);
		assert_true(debug_file_is_found(&result, root, hidden));
		/* a file with another checksum */
		run("echo >>%s/debug-file", places[i]);
		assert_false(debug_file_is_found(&result, root, hidden));
	}
}

/* dwz moves common parts of several debug files to a shared file. */
static void shared_debug_files_are_found(void **state)
{
	(void)state;
	if (system("command -v dwz >/dev/null")) {
		print_message("no dwz: scripts/deps/install check\n");
		skip();
	}
	run("file=below/usr/lib/debug/.build-id/$id.debug; mkdir -p ${file%%/*} below/usr/lib/debug/.dwz;"
	    "cp below/debug-file $file; cp below/debug-file below/copy;"
	    "dwz -m below/usr/lib/debug/.dwz/shared -M /usr/lib/debug/.dwz/shared $file below/copy");
	assert_true(debug_file_is_found(&result, root, hidden));
}

/* libdw would open the shared file outside the root. */
static void shared_debug_files_outside_are_not_used(void **state)
{
	struct symbols *symbols;
	struct source_line line;

	shared_debug_files_are_found(state);
	run("mv below/usr/lib/debug/.dwz outside; sed -i 's|/usr/lib/debug/.dwz/shared|/proc/self/cwd/outside/abc|' below/usr/lib/debug/.build-id/$id.debug;"
	    "mv outside/shared outside/abc");
	symbols = symbols_new(&result, root);
	assert_int_equal(symbols_line(symbols, 0, hidden, &line), 0);
	symbols_free(symbols);
}

/* Find a function without openat2(), like a kernel before 5.6. Return: the exit status. */
static int find_without_openat2(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = ARRAY_SIZE(filter), .filter = filter,
	};
	char *problem;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 2;
	problem = find_problem();
	return !problem || !strstr(problem, "openat2(2)");
}

static void kernel_without_openat2_is_reported(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		_exit(find_without_openat2());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(absolute_links_start_at_the_root),
		TEST(paths_do_not_leave_the_root),
		TEST(debug_files_are_found_by_build_id),
		TEST(debug_files_outside_are_not_used),
		TEST(debug_files_are_found_by_name),
		TEST(shared_debug_files_are_found),
		TEST(shared_debug_files_outside_are_not_used),
		TEST(kernel_without_openat2_is_reported),
	};

	return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
