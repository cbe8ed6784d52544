// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects and their debug files below a root directory, with links that lead out of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
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
FIXTURE(set_up)
{
	FILE *output = popen("./fixture-pie", "r");
	int read = fscanf(output, "%lx %lx", &exported, &hidden);

	pclose(output);
	run("rm -rf below outside; mkdir -p below/bin;"
	    "objcopy --only-keep-debug fixture-pie below/debug-file;"
	    "objcopy --strip-all fixture-pie below/bin/program");
	assert_non_null(realpath("below", root));
	snprintf(path, sizeof(path), "/bin/program");
	return read == 2 ? 0 : -1;
}

FIXTURE(tear_down)
{
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

TEST_F(absolute_links_start_at_the_root)
{
	run("ln -s /bin below/lib");
	snprintf(path, sizeof(path), "/lib/program");
	assert_null(find_problem());
}

TEST_F(paths_do_not_leave_the_root)
{
	char *here = realpath(".", NULL), *problem;

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

TEST_F(debug_files_are_found_by_build_id)
{
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

/* Run readelf -n, and store the build-id in the object. */
static void read_build_id(void)
{
	FILE *output = popen("readelf -n fixture-pie | sed -n 's|.*Build ID: ||p'", "r");
	unsigned int byte;

	object.build_id_bytes = 0;
	while (fscanf(output, "%2x", &byte) == 1)
		object.build_id[object.build_id_bytes++] = (unsigned char)byte;
	pclose(output);
	assert_int_equal(object.build_id_bytes, 20);
}

/* Names and lines are from the debug file, and a message says so. */
static void assert_debug_file_suffices(const char *why)
{
	struct symbols *symbols = symbols_new(&result, root);
	struct function function;
	char *explanation;

	assert_true(debug_file_is_found(&result, root, hidden));
	assert_int_equal(symbols_find(symbols, 0, exported, &function), 1);
	assert_memory_equal(function.name, "exported", 8);
	assert_int_equal(function.start, exported);
	assert_null(symbols_problem(symbols, 0));
	explanation = symbols_explain(symbols, 0, "--root");
	assert_non_null(explanation);
	assert_non_null(strstr(explanation, why));
	assert_non_null(strstr(explanation, "function names are from the debug file"));
	free(explanation);
	symbols_free(symbols);
}

/* The program was deleted or replaced after it ran. */
TEST_F(debug_file_serves_for_a_missing_program)
{
	char *problem;

	read_build_id();
	run("file=below/usr/lib/debug/.build-id/$id.debug; mkdir -p ${file%%/*};"
	    "cp below/debug-file $file; rm below/bin/program");
	assert_debug_file_suffices("No such file or directory below the root");
	run("objcopy --strip-all fixture-fixed below/bin/program");
	assert_debug_file_suffices("its build-id differs");
	/* the debug file of another program */
	run("objcopy --only-keep-debug fixture-fixed below/usr/lib/debug/.build-id/$id.debug");
	problem = find_problem();
	assert_non_null(strstr(problem, "its build-id differs"));
	free(problem);
	/* without a build-id, no debug file can be the right one */
	run("cp below/debug-file below/usr/lib/debug/.build-id/$id.debug; rm below/bin/program");
	object.build_id_bytes = 0;
	problem = find_problem();
	assert_non_null(strstr(problem, "No such file"));
	free(problem);
}

/* A program without section headers has lines too. */
TEST_F(debug_file_serves_without_section_headers)
{
	run("file=below/usr/lib/debug/.build-id/$id.debug; mkdir -p ${file%%/*};"
	    "cp below/debug-file $file");
	run("for range in %zu,%zu %zu,4; do head -c ${range#*,} /dev/zero |"
	    "dd status=none of=below/bin/program bs=1 seek=${range%%,*} conv=notrunc; done",
	    offsetof(ElfW(Ehdr), e_shoff), sizeof(ElfW(Off)), offsetof(ElfW(Ehdr), e_shnum));
	assert_int_not_equal(system("readelf -S below/bin/program | grep -q text"), 0);
	assert_true(debug_file_is_found(&result, root, hidden));
}

TEST_F(unreadable_debug_file_is_reported)
{
	struct symbols *symbols;
	struct source_line line;
	char *explanation;

	if (system("objcopy --compress-debug-sections=zstd fixture-pie below/debug-file 2>/dev/null")) {
		print_message("this objcopy does not compress with zstd\n");
		skip();
	}
	run("file=below/usr/lib/debug/.build-id/$id.debug; mkdir -p ${file%%/*};"
	    "objcopy --only-keep-debug below/debug-file $file");
	symbols = symbols_new(&result, root);
	/* some versions of elfutils can read it */
	if (!symbols_line(symbols, 0, exported, &line)) {
		explanation = symbols_explain_lines(symbols, 0);
		assert_non_null(explanation);
		assert_non_null(strstr(explanation, "compressed with zstd"));
		free(explanation);
	}
	symbols_free(symbols);
}

TEST_F(debug_files_outside_are_not_used)
{
	char *here = realpath(".", NULL);

	run("mkdir -p below/usr/lib; ln -s %s/outside below/usr/lib/debug;"
	    "file=outside/.build-id/$id.debug; mkdir -p ${file%%/*}; cp below/debug-file $file",
	    here);
	assert_false(debug_file_is_found(&result, root, hidden));
	free(here);
}

TEST_F(debug_files_are_found_by_name)
{
	static const char *const places[] = {
		"below/bin", "below/bin/.debug", "below/usr/lib/debug/bin",
	};
	size_t i;

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

/* To read one of terabytes, with nothing stored, would take hours. */
TEST_F(sparse_debug_files_are_not_read)
{
	run("truncate -s 64M below/debug-file;"
	    "objcopy --remove-section .note.gnu.build-id --add-gnu-debuglink=below/debug-file "
	    "below/bin/program; cp --sparse=always below/debug-file below/bin");
	assert_false(debug_file_is_found(&result, root, hidden));
	run("cp --sparse=never below/debug-file below/bin");
	assert_true(debug_file_is_found(&result, root, hidden));
}

/* dwz moves common parts of several debug files to a shared file. */
TEST_F(shared_debug_files_are_found)
{
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
TEST_F(shared_debug_files_outside_are_not_used)
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

TEST_F(kernel_without_openat2_is_reported)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(find_without_openat2());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
