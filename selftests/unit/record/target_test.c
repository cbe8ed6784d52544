// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why a program cannot be profiled, according to its file. The tests compare with the kernel's
 * decisions (which file runs, and whether with AT_SECURE): this program executes copies of
 * itself, whose exit status shows AT_SECURE.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <linux/capability.h>

#include <record/target.h>

#include "support/test.h"

/* The argument of a copy of this program, and its exit statuses */
#define ASK	"is-secure"
#define INSECURE	40
#define SECURE	41

#define USER	65531
#define OTHER	65532

static char directory[64];

static char *in_directory(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
	return path;
}

/* Return: the path of a new executable file, to free() */
static char *write_file(const char *name, const void *data, size_t bytes)
{
	char *path = in_directory(name);
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	close(fd);
	return path;
}

static char *write_text(const char *name, const char *text)
{
	return write_file(name, text, strlen(text));
}

static char *copy_this_program(const char *name)
{
	char *path = in_directory(name), buffer[65536];
	int from, to;
	ssize_t bytes;

	unlink(path);
	from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	assert_true(from >= 0 && to >= 0);
	while ((bytes = read(from, buffer, sizeof(buffer))) > 0)
		assert_int_equal(write(to, buffer, (size_t)bytes), bytes);
	close(from);
	close(to);
	return path;
}

/* Write the headers of a program, and nothing else; @linker may be NULL. */
static char *write_program(const char *name, unsigned int type, unsigned int machine,
			   const char *linker)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		char linker[64];
	} file = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = (Elf64_Half)type,
			.e_machine = (Elf64_Half)machine,
			.e_version = EV_CURRENT,
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.segment = {
			.p_type = linker ? PT_INTERP : PT_NULL,
			.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
		},
	};

	if (linker) {
		strcpy(file.linker, linker);
		file.segment.p_filesz = strlen(linker) + 1;
	}
	return write_file(name, &file, sizeof(file));
}

static char *write_32_bit(const char *name, unsigned int machine)
{
	Elf32_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = (Elf32_Half)machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
	};

	return write_file(name, &header, sizeof(header));
}

/* This program's machine, and others */
#ifdef __x86_64__
#define OWN_MACHINE	EM_X86_64
#define OWN_32_BIT	EM_386
#define FOREIGN_MACHINE	EM_AARCH64
#define FOREIGN_NAME	"arm64"
#else
#define OWN_MACHINE	EM_AARCH64
#define OWN_32_BIT	EM_ARM
#define FOREIGN_MACHINE	EM_X86_64
#define FOREIGN_NAME	"x86-64"
#endif

/* Examining the command finds @problem, and the explanation contains @words; NULL: none. */
static void assert_problem(const char *command, enum target_problem problem, const char *words)
{
	struct target target;
	char *text;

	assert_int_equal(target_examine(&target, command), 0);
	if (target.problem != problem)
		print_message("%s\n", command);
	assert_int_equal(target.problem, problem);
	text = target_explain(&target);
	if (!words) {
		assert_null(text);
	} else {
		assert_non_null(text);
		if (!strstr(text, words))
			print_message("%s\n", text);
		assert_non_null(strstr(text, words));
	}
	free(text);
	target_release(&target);
}

static void elf_header_shows_the_problem(void **state)
{
	static const struct {
		unsigned int type;
		unsigned int machine;
		const char *linker;
		enum target_problem problem;
		const char *words;
	} cases[] = {
		{ ET_EXEC, OWN_MACHINE, NULL, TARGET_STATIC, "is a static program" },
		/* static-pie */
		{ ET_DYN, OWN_MACHINE, NULL, TARGET_STATIC, "link it without -static" },
		{ ET_DYN, FOREIGN_MACHINE, NULL, TARGET_OTHER_MACHINE,
		  "is a program for " FOREIGN_NAME ", which can only run in an emulator" },
		{ ET_EXEC, 0x1234, "/bin/sh", TARGET_OTHER_MACHINE, "for another machine" },
		/* an existing file with another name than the dynamic linker's */
		{ ET_DYN, OWN_MACHINE, "/bin/sh", TARGET_OTHER_LINKER, "is started by /bin/sh" },
		{ ET_DYN, OWN_MACHINE, "/nonexistent/ld.so", TARGET_NO_LINKER,
		  "/nonexistent/ld.so, which does not exist" },
		/* not a program: execvp() runs a shell */
		{ ET_REL, OWN_MACHINE, NULL, TARGET_OK, NULL },
	};
	char *path;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		path = write_program("made-up", cases[i].type, cases[i].machine,
				     cases[i].linker);
		assert_problem(path, cases[i].problem, cases[i].words);
		free(path);
	}
	path = write_32_bit("made-up", OWN_32_BIT);
	assert_problem(path, TARGET_OTHER_WIDTH, "word size differs from profil's");
	free(path);
	path = write_32_bit("made-up", EM_MIPS);
	assert_problem(path, TARGET_OTHER_MACHINE, "for MIPS");
	free(path);
	path = copy_this_program("copy");
	assert_problem(path, TARGET_OK, NULL);
	free(path);
}

static void damaged_files_do_not_crash(void **state)
{
	char *path = write_program("made-up", ET_DYN, OWN_MACHINE, "/lib/linker");
	struct target target;
	char bytes[256];
	size_t size, i;
	int fd;

	(void)state;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	size = (size_t)read(fd, bytes, sizeof(bytes));
	assert_in_range(size, sizeof(Elf64_Ehdr), sizeof(bytes));
	close(fd);
	for (i = 0; i < size; i++) {
		char saved = bytes[i];

		bytes[i] ^= 0xff;
		free(path);
		path = write_file("made-up", bytes, size);
		assert_int_equal(target_examine(&target, path), 0);
		target_release(&target);
		bytes[i] = saved;
		free(path);
		path = write_file("made-up", bytes, i);
		assert_int_equal(target_examine(&target, path), 0);
		target_release(&target);
	}
	free(path);
}

/* It has no dynamic linker either, but loads LD_PRELOAD. */
static void the_dynamic_linker_is_not_static(void **state)
{
	(void)state;
	/* its name depends on the machine */
	assert_problem("/proc/self/exe", TARGET_OK, NULL);
#ifdef __x86_64__
	assert_problem("/lib64/ld-linux-x86-64.so.2", TARGET_OK, NULL);
#endif
}

/* valgrind does not start programs as the kernel does. */
static bool can_ask_kernel(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return !preload || !strstr(preload, "vgpreload");
}

static int run(const char *path, const char *argument)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		execlp(path, path, argument, NULL);
		_exit(errno);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* As the kernel, up to five */
static void scripts_are_followed(void **state)
{
	char *program, *path, *text, *name = NULL, long_name[300];
	int i;

	(void)state;
	program = write_program("static", ET_EXEC, OWN_MACHINE, NULL);
	for (i = 1; i <= 6; i++) {
		assert_true(asprintf(&text, "#! \t%s%s", i == 1 ? program : path,
				     i % 2 ? " -x -y\n" : "") > 0);
		if (i > 1)
			free(path);
		assert_true(asprintf(&name, "script%d", i) > 0);
		path = write_text(name, text);
		if (i <= 5)
			assert_problem(path, TARGET_STATIC, "/static, the interpreter of /");
		else
			assert_problem(path, TARGET_OK, NULL);
		free(text);
		free(name);
	}
	free(path);
	free(program);

	/* the same with a program that the kernel runs */
	program = copy_this_program("copy");
	for (i = 1; i <= 6; i++) {
		assert_true(asprintf(&text, "#!%s %s\n", i == 1 ? program : path,
				     i == 1 ? ASK : "") > 0);
		if (i > 1)
			free(path);
		assert_true(asprintf(&name, "script%d", i) > 0);
		path = write_text(name, text);
		if (can_ask_kernel())
			assert_int_equal(run(path, NULL), i <= 5 ? INSECURE : ELOOP);
		free(text);
		free(name);
	}
	free(path);
	free(program);

	path = write_text("script", "#!/nonexistent/interpreter\n");
	assert_problem(path, TARGET_NO_LINKER, "/nonexistent/interpreter, which does not exist");
	free(path);
	/* no interpreter in the first line, or one that is too long: a shell runs it */
	path = write_text("script", "exit 7\n");
	assert_problem(path, TARGET_OK, NULL);
	assert_int_equal(run(path, NULL), 7);
	free(path);
	memset(long_name, '/', sizeof(long_name));
	memcpy(long_name, "#!", 2);
	strcpy(long_name + sizeof(long_name) - 10, "bin/none\n");
	path = write_text("script", long_name);
	assert_problem(path, TARGET_OK, NULL);
	free(path);
}

static void path_is_searched(void **state)
{
	char *program = write_program("static", ET_EXEC, OWN_MACHINE, NULL);
	char *path, *saved = strdup(getenv("PATH"));

	(void)state;
	assert_true(asprintf(&path, "/nonexistent:%s", directory) > 0);
	setenv("PATH", path, 1);
	assert_problem("static", TARGET_STATIC, program);
	/* files that are not executable are skipped */
	chmod(program, 0644);
	assert_problem("static", TARGET_OK, NULL);
	assert_problem(program, TARGET_OK, NULL);
	chmod(program, 0755);
	assert_problem("no such command", TARGET_OK, NULL);
	assert_problem("", TARGET_OK, NULL);
	assert_problem("/", TARGET_OK, NULL);
	/* an empty element is the current directory */
	assert_int_equal(chdir(directory), 0);
	setenv("PATH", "/nonexistent:", 1);
	assert_problem("static", TARGET_STATIC, "static is a static program");
	setenv("PATH", "", 1);
	assert_problem("static", TARGET_STATIC, "static is a static program");
	/* without PATH, the C library has a default */
	unsetenv("PATH");
	assert_problem("static", TARGET_OK, NULL);
	assert_problem("sh", TARGET_OK, NULL);
	setenv("PATH", saved, 1);
	free(saved);
	free(path);
	free(program);
}

/* --- privileges ---------------------------------------------------------------- */

struct privileges {
	uid_t owner;
	gid_t group;
	mode_t mode;
	uint32_t permitted;	/* capabilities; 0: no attribute */
	bool effective;
	uid_t user;		/* runs it */
	bool no_new_privs;
	enum target_problem problem;
	const char *words;
};

static void set_capabilities(const char *path, const struct privileges *privileges)
{
	struct vfs_cap_data caps = {
		.magic_etc = VFS_CAP_REVISION_2 |
			     (privileges->effective ? VFS_CAP_FLAGS_EFFECTIVE : 0),
		.data[0].permitted = privileges->permitted,
	};

	if (privileges->permitted || privileges->effective)
		assert_int_equal(setxattr(path, "security.capability", &caps,
					  sizeof(caps), 0), 0);
}

/* Runs in a child process. Return: its exit status; 0: as expected. */
static int try_privileges(const char *path, const struct privileges *privileges)
{
	struct target target;
	bool is_secure;
	char *text;
	int wrong;

	if (privileges->no_new_privs)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (privileges->user && (setgroups(0, NULL) || setgid(privileges->user) ||
				 setuid(privileges->user)))
		return 10;
	if (target_examine(&target, path) || target.problem != privileges->problem)
		return 1;
	text = target_explain(&target);
	wrong = privileges->words ? !text || !strstr(text, privileges->words) : !!text;
	free(text);
	target_release(&target);
	if (wrong)
		return 2;
	is_secure = privileges->problem != TARGET_OK && privileges->problem != TARGET_UNREADABLE;
	return can_ask_kernel() && run(path, ASK) != (is_secure ? SECURE : INSECURE) ? 3 : 0;
}

static void privileges_are_checked_as_by_the_kernel(void **state)
{
	static const uint32_t cap = 1 << CAP_NET_RAW;
	static const struct privileges cases[] = {
		{ .mode = 0755 },
		{ .mode = 04755, .user = USER, .problem = TARGET_OTHER_USER,
		  .words = "set-user-ID root, so the dynamic linker ignores LD_PRELOAD" },
		/* the caller is root already */
		{ .mode = 06755 },
		{ .owner = OTHER, .mode = 04755, .problem = TARGET_OTHER_USER,
		  .words = "run profil as user 65532" },
		{ .owner = USER, .mode = 04755, .user = USER },
		{ .group = OTHER, .mode = 02755, .user = USER, .problem = TARGET_OTHER_GROUP,
		  .words = "run profil with group 65532" },
		{ .group = USER, .mode = 02755, .user = USER },
		/* the group may not execute it */
		{ .group = OTHER, .mode = 02745, .user = USER },
		{ .mode = 04755, .user = USER, .no_new_privs = true },
		{ .mode = 0755, .permitted = cap, .effective = true, .user = USER,
		  .problem = TARGET_CAPABILITIES, .words = "run profil as root" },
		{ .mode = 0755, .permitted = cap, .user = USER,
		  .problem = TARGET_CAPABILITIES, .words = "getcap(8)" },
		{ .mode = 0755, .permitted = cap, .effective = true, .user = USER,
		  .no_new_privs = true, .problem = TARGET_CAPABILITIES, .words = "getcap" },
		{ .mode = 0755, .permitted = cap, .effective = true },
		{ .mode = 0711, .user = USER, .problem = TARGET_UNREADABLE,
		  .words = "run profil as a user who can read it" },
		{ .mode = 04711, .user = USER, .problem = TARGET_OTHER_USER, .words = "root" },
	};
	struct statvfs fs;
	size_t i;

	(void)state;
	if (geteuid() || statvfs(directory, &fs) || fs.f_flag & ST_NOSUID) {
		print_message("[  SKIPPED ] needs root, and a /tmp that is not nosuid\n");
		skip();
	}
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = copy_this_program("copy");
		int status;
		pid_t pid;

		assert_int_equal(chown(path, cases[i].owner, cases[i].group), 0);
		assert_int_equal(chmod(path, cases[i].mode), 0);
		set_capabilities(path, &cases[i]);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			_exit(try_privileges(path, &cases[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			print_message("case %zu\n", i);
		assert_int_equal(status, 0);
		free(path);
	}
}

static void library_is_kept_from_other_linkers(void **state)
{
	struct target target = { .problem = TARGET_OK };

	(void)state;
	assert_true(target_takes_library(&target));
	target.problem = TARGET_STATIC;
	assert_true(target_takes_library(&target));
	target.problem = TARGET_OTHER_LINKER;
	assert_false(target_takes_library(&target));
	target.problem = TARGET_OTHER_WIDTH;
	assert_false(target_takes_library(&target));
}

static int make_directory(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/target_test.XXXXXX");
	return !mkdtemp(directory) || chmod(directory, 0755);
}

static int remove_directory(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return chdir("/") || system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elf_header_shows_the_problem),
		cmocka_unit_test(damaged_files_do_not_crash),
		cmocka_unit_test(the_dynamic_linker_is_not_static),
		cmocka_unit_test(scripts_are_followed),
		cmocka_unit_test(path_is_searched),
		cmocka_unit_test(privileges_are_checked_as_by_the_kernel),
		cmocka_unit_test(library_is_kept_from_other_linkers),
	};

	if (argc > 1 && !strcmp(argv[1], ASK))
		return getauxval(AT_SECURE) ? SECURE : INSECURE;
	return cmocka_run_group_tests_name("target", tests, make_directory, remove_directory);
}
