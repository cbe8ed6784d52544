// SPDX-License-Identifier: GPL-2.0-only
/*
 * What keeps a program from being profiled, told from its file. Where the kernel decides
 * (which file runs, and whether as a secure one), it is asked too: this program runs a copy
 * of itself, which tells.
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

/* What a copy of this program exits with, and its argument */
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

static char *copy_of_us(const char *name)
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

/* A program's headers, and nothing behind them; @linker may be NULL. */
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

/* What this program is, for the machine that it is compiled for */
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

/* The command has this problem, and is explained with these words; NULL: with none. */
static void is_found(const char *command, enum target_problem problem, const char *words)
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

static void files_tell_who_starts_them(void **state)
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
		  "is a program for " FOREIGN_NAME ": if it runs here" },
		{ ET_EXEC, 0x1234, "/bin/sh", TARGET_OTHER_MACHINE, "for another machine" },
		/* any file that is there, as far as its name goes */
		{ ET_DYN, OWN_MACHINE, "/bin/sh", TARGET_OTHER_LINKER, "is started by /bin/sh" },
		{ ET_DYN, OWN_MACHINE, "/nonexistent/ld.so", TARGET_NO_LINKER,
		  "/nonexistent/ld.so, which cannot be found" },
		/* no program: a shell is asked to do something with it */
		{ ET_REL, OWN_MACHINE, NULL, TARGET_OK, NULL },
	};
	char *path;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		path = write_program("made-up", cases[i].type, cases[i].machine,
				     cases[i].linker);
		is_found(path, cases[i].problem, cases[i].words);
		free(path);
	}
	path = write_32_bit("made-up", OWN_32_BIT);
	is_found(path, TARGET_OTHER_WIDTH, "word size is not profil's");
	free(path);
	path = write_32_bit("made-up", EM_MIPS);
	is_found(path, TARGET_OTHER_MACHINE, "for MIPS");
	free(path);
	path = copy_of_us("copy");
	is_found(path, TARGET_OK, NULL);
	free(path);
}

static void damaged_files_do_no_harm(void **state)
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

/* What only a program that the linker itself is asked for is not */
static void the_dynamic_linker_is_not_static(void **state)
{
	(void)state;
	/* its name is the machine's */
	is_found("/proc/self/exe", TARGET_OK, NULL);
#ifdef __x86_64__
	is_found("/lib64/ld-linux-x86-64.so.2", TARGET_OK, NULL);
#endif
}

/* valgrind starts programs itself, and not as the kernel does. */
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

/* The kernel follows five scripts, and so do we. */
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
			is_found(path, TARGET_STATIC, "/static, which runs /");
		else
			is_found(path, TARGET_OK, NULL);
		free(text);
		free(name);
	}
	free(path);
	free(program);

	/* the same with a program that really runs */
	program = copy_of_us("copy");
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
	is_found(path, TARGET_NO_LINKER, "/nonexistent/interpreter, which cannot be found");
	free(path);
	/* no first line, or one that the kernel does not see the end of: a shell's */
	path = write_text("script", "exit 7\n");
	is_found(path, TARGET_OK, NULL);
	assert_int_equal(run(path, NULL), 7);
	free(path);
	memset(long_name, '/', sizeof(long_name));
	memcpy(long_name, "#!", 2);
	strcpy(long_name + sizeof(long_name) - 10, "bin/none\n");
	path = write_text("script", long_name);
	is_found(path, TARGET_OK, NULL);
	free(path);
}

static void names_are_looked_for_in_path(void **state)
{
	char *program = write_program("static", ET_EXEC, OWN_MACHINE, NULL);
	char *path, *saved = strdup(getenv("PATH"));

	(void)state;
	assert_true(asprintf(&path, "/nonexistent:%s", directory) > 0);
	setenv("PATH", path, 1);
	is_found("static", TARGET_STATIC, program);
	/* what is not to be executed is passed over */
	chmod(program, 0644);
	is_found("static", TARGET_OK, NULL);
	is_found(program, TARGET_OK, NULL);
	chmod(program, 0755);
	is_found("no such command", TARGET_OK, NULL);
	is_found("", TARGET_OK, NULL);
	is_found("/", TARGET_OK, NULL);
	/* an empty one is where we are */
	assert_int_equal(chdir(directory), 0);
	setenv("PATH", "/nonexistent:", 1);
	is_found("static", TARGET_STATIC, "static is a static program");
	setenv("PATH", "", 1);
	is_found("static", TARGET_STATIC, "static is a static program");
	/* and without it there is one that the C library knows */
	unsetenv("PATH");
	is_found("static", TARGET_OK, NULL);
	is_found("sh", TARGET_OK, NULL);
	setenv("PATH", saved, 1);
	free(saved);
	free(path);
	free(program);
}

/* --- with whose rights --------------------------------------------------------- */

struct rights {
	uid_t owner;
	gid_t group;
	mode_t mode;
	uint32_t permitted;	/* capabilities; or no attribute */
	bool effective;
	uid_t user;		/* who runs it */
	bool no_new_privs;
	enum target_problem problem;
	const char *words;
};

static void set_capabilities(const char *path, const struct rights *rights)
{
	struct vfs_cap_data caps = {
		.magic_etc = VFS_CAP_REVISION_2 |
			     (rights->effective ? VFS_CAP_FLAGS_EFFECTIVE : 0),
		.data[0].permitted = rights->permitted,
	};

	if (rights->permitted || rights->effective)
		assert_int_equal(setxattr(path, "security.capability", &caps,
					  sizeof(caps), 0), 0);
}

/* In a process that ends. Return: its exit status, 0 if it is as expected. */
static int try_rights(const char *path, const struct rights *rights)
{
	struct target target;
	bool is_secure;
	char *text;
	int wrong;

	if (rights->no_new_privs)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (rights->user && (setgroups(0, NULL) || setgid(rights->user) || setuid(rights->user)))
		return 10;
	if (target_examine(&target, path) || target.problem != rights->problem)
		return 1;
	text = target_explain(&target);
	wrong = rights->words ? !text || !strstr(text, rights->words) : !!text;
	free(text);
	target_release(&target);
	if (wrong)
		return 2;
	is_secure = rights->problem != TARGET_OK && rights->problem != TARGET_UNREADABLE;
	return can_ask_kernel() && run(path, ASK) != (is_secure ? SECURE : INSECURE) ? 3 : 0;
}

static void rights_are_the_kernels(void **state)
{
	static const uint32_t cap = 1 << CAP_NET_RAW;
	static const struct rights cases[] = {
		{ .mode = 0755 },
		{ .mode = 04755, .user = USER, .problem = TARGET_OTHER_USER,
		  .words = "set-user-ID root, and nothing of a user's" },
		/* root is root */
		{ .mode = 06755 },
		{ .owner = OTHER, .mode = 04755, .problem = TARGET_OTHER_USER,
		  .words = "run profil as user 65532" },
		{ .owner = USER, .mode = 04755, .user = USER },
		{ .group = OTHER, .mode = 02755, .user = USER, .problem = TARGET_OTHER_GROUP,
		  .words = "run profil with group 65532" },
		{ .group = USER, .mode = 02755, .user = USER },
		/* not for the group to execute */
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
		  .words = "run profil as a user who may read it" },
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
		char *path = copy_of_us("copy");
		int status;
		pid_t pid;

		assert_int_equal(chown(path, cases[i].owner, cases[i].group), 0);
		assert_int_equal(chmod(path, cases[i].mode), 0);
		set_capabilities(path, &cases[i]);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			_exit(try_rights(path, &cases[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			print_message("case %zu\n", i);
		assert_int_equal(status, 0);
		free(path);
	}
}

static void where_the_library_does_no_harm(void **state)
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
		cmocka_unit_test(files_tell_who_starts_them),
		cmocka_unit_test(damaged_files_do_no_harm),
		cmocka_unit_test(the_dynamic_linker_is_not_static),
		cmocka_unit_test(scripts_are_followed),
		cmocka_unit_test(names_are_looked_for_in_path),
		cmocka_unit_test(rights_are_the_kernels),
		cmocka_unit_test(where_the_library_does_no_harm),
	};

	if (argc > 1 && !strcmp(argv[1], ASK))
		return getauxval(AT_SECURE) ? SECURE : INSECURE;
	return cmocka_run_group_tests_name("target", tests, make_directory, remove_directory);
}
