// SPDX-License-Identifier: GPL-2.0-only
/*
 * Examines the program that a command executes, before it runs. First finds its file, as
 * execvp(3) searches PATH and as the kernel follows the first lines of scripts. Then reads from
 * the file which dynamic linker will start the program, and with which privileges.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <gelf.h>
#include <linux/capability.h>

#include "record/target.h"
#include "util/base_name.h"
#include "util/objectfile.h"

/* The kernel's limits: bytes of a script that it reads, and nested scripts (fs/exec.c) */
#define SCRIPT_BYTES	256
#define MAX_SCRIPTS	5

/* execvp() runs files of unknown format with this */
#define SHELL		"/bin/sh"

/* How an ELF file is started */
struct start {
	unsigned int class;
	unsigned int machine;
	bool has_linker;
	char linker[PATH_MAX];
};

/* --- finding the file ---------------------------------------------------------- */

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* Return: the path of a command, to free(); NULL with @error 0: not found. */
static char *search_path(const char *command, int *error)
{
	char standard[PATH_MAX];
	const char *from = getenv("PATH"), *end;
	char *path;

	*error = 0;
	if (strchr(command, '/')) {
		if (!is_executable(command))
			return NULL;
		path = strdup(command);
		if (!path)
			*error = -ENOMEM;
		return path;
	}
	if (!from) {
		confstr(_CS_PATH, standard, sizeof(standard));
		from = standard;
	}
	if (!*command)
		return NULL;
	for (;; from = end + 1) {
		end = strchrnul(from, ':');
		/* an empty element means the current directory */
		if (asprintf(&path, "%.*s%s%s", (int)(end - from), from,
			     end > from ? "/" : "", command) < 0) {
			*error = -ENOMEM;
			return NULL;
		}
		if (is_executable(path))
			return path;
		free(path);
		if (!*end)
			return NULL;
	}
}

/*
 * Find the interpreter in the first line of a script. Return: length of its path, with @name
 * set to its start in @head; 0: no script, or one that the kernel refuses.
 */
static size_t read_first_line(int fd, char head[SCRIPT_BYTES + 1], const char **name)
{
	ssize_t bytes = pread(fd, head, SCRIPT_BYTES, 0);
	size_t length;

	if (bytes < 2 || strncmp(head, "#!", 2))
		return 0;
	head[bytes] = 0;
	*name = head + 2 + strspn(head + 2, " \t");
	length = strcspn(*name, " \t\n");
	/* the kernel refuses a name that may continue after the bytes that it reads */
	return *name + length == head + SCRIPT_BYTES ? 0 : length;
}

/* --- privileges ---------------------------------------------------------------- */

static bool has_capabilities(const char *path)
{
	struct vfs_ns_cap_data caps = { 0 };
	ssize_t bytes = getxattr(path, "security.capability", &caps, sizeof(caps));

	if (bytes < (ssize_t)XATTR_CAPS_SZ_1)
		return false;
	return le32toh(caps.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE ||
	       caps.data[0].permitted || caps.data[1].permitted;
}

/*
 * Whether the kernel will set AT_SECURE, which makes the dynamic linker ignore LD_PRELOAD: if
 * the program's effective user or group will not be the caller's real one, or if its file has
 * capabilities and the caller is not root.
 */
static enum target_problem check_privileges(const char *path, const struct stat *st)
{
	struct statvfs fs;

	if (!statvfs(path, &fs) && fs.f_flag & ST_NOSUID)
		return TARGET_OK;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
		if (st->st_mode & S_ISUID && st->st_uid != getuid())
			return TARGET_OTHER_USER;
		/* without the execute bit, this bit means mandatory locking */
		if (st->st_mode & S_ISGID && st->st_mode & S_IXGRP &&
		    st->st_gid != getgid())
			return TARGET_OTHER_GROUP;
	}
	if (getuid() && has_capabilities(path))
		return TARGET_CAPABILITIES;
	return TARGET_OK;
}

/* --- the ELF header ------------------------------------------------------------ */

/* Return: false if the file is not a program. */
static bool read_start(int fd, struct start *start)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool is_program = false;
	GElf_Phdr segment;
	GElf_Ehdr header;
	size_t nr = 0, i;
	ssize_t bytes;

	memset(start, 0, sizeof(*start));
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		goto out;
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		goto out;
	is_program = true;
	start->class = header.e_ident[EI_CLASS];
	start->machine = header.e_machine;
	if (elf_getphdrnum(elf, &nr))
		nr = 0;
	for (i = 0; i < nr && gelf_getphdr(elf, (int)i, &segment); i++) {
		if (segment.p_type != PT_INTERP)
			continue;
		start->has_linker = true;
		if (segment.p_filesz >= sizeof(start->linker))
			break;
		bytes = pread(fd, start->linker, segment.p_filesz, (off_t)segment.p_offset);
		if (bytes < 0)
			bytes = 0;
		start->linker[bytes] = 0;
		break;
	}
out:
	elf_end(elf);
	return is_program;
}

static bool is_same_file(const char *a, const struct stat *b)
{
	struct stat st;

	return !stat(a, &st) && st.st_dev == b->st_dev && st.st_ino == b->st_ino;
}

static bool is_other_width(unsigned int machine, unsigned int other)
{
	return machine == other ||
	       (machine == EM_X86_64 && other == EM_386) ||
	       (machine == EM_386 && other == EM_X86_64) ||
	       (machine == EM_AARCH64 && other == EM_ARM) ||
	       (machine == EM_ARM && other == EM_AARCH64);
}

/* Compare with this program's own file, which libprofil-run.so is built for. */
static int check_start(struct target *target, const struct start *start, const struct stat *st)
{
	struct stat linker;
	struct start own;
	bool is_known;
	int fd;

	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	is_known = fd >= 0 && read_start(fd, &own);
	if (fd >= 0)
		close(fd);
	if (!is_known)
		return 0;
	target->machine = start->machine;
	if (start->class != own.class && is_other_width(own.machine, start->machine)) {
		target->problem = TARGET_OTHER_WIDTH;
	} else if (start->class != own.class || start->machine != own.machine) {
		target->problem = TARGET_OTHER_MACHINE;
	} else if (!start->has_linker) {
		/* the dynamic linker itself may run, with a program as its argument */
		if (!is_same_file(own.linker, st))
			target->problem = TARGET_STATIC;
	} else if (stat(start->linker, &linker)) {
		target->problem = TARGET_NO_LINKER;
	} else if (strcmp(base_name(start->linker), base_name(own.linker)) &&
		   !is_same_file(own.linker, &linker)) {
		target->problem = TARGET_OTHER_LINKER;
	}
	if (target->problem == TARGET_NO_LINKER || target->problem == TARGET_OTHER_LINKER) {
		target->linker = strdup(start->linker);
		if (!target->linker)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Examine target->path. Return: 0; -ENOEXEC: unknown format; -EAGAIN: a script, and
 * target->path is now its interpreter; -ENOMEM.
 */
static int examine_file(struct target *target)
{
	char head[SCRIPT_BYTES + 1];
	const char *problem, *name;
	struct start start;
	struct stat st;
	size_t length;
	int fd, error;

	if (stat(target->path, &st))
		return 0;
	target->owner = st.st_uid;
	target->group = st.st_gid;
	fd = objectfile_open(target->path, &problem);
	if (fd < 0) {
		target->problem = check_privileges(target->path, &st);
		if (!target->problem)
			target->problem = TARGET_UNREADABLE;
		return 0;
	}
	length = read_first_line(fd, head, &name);
	if (length) {
		close(fd);
		free(target->path);
		target->path = strndup(name, length);
		return target->path ? -EAGAIN : -ENOMEM;
	}
	error = read_start(fd, &start) ? check_start(target, &start, &st) : -ENOEXEC;
	close(fd);
	/* last, as the remedy for privileges does not help with other problems */
	if (!error && !target->problem)
		target->problem = check_privileges(target->path, &st);
	return error;
}

/* Follow scripts from target->path to a program. Return: as examine_file(). */
static int follow_scripts(struct target *target)
{
	int scripts, error = 0;

	for (scripts = 0; scripts <= MAX_SCRIPTS; scripts++) {
		error = examine_file(target);
		if (error != -EAGAIN)
			return error;
		if (!access(target->path, F_OK))
			continue;
		target->linker = strdup(target->path);
		if (!target->linker)
			return -ENOMEM;
		target->problem = TARGET_NO_LINKER;
		return 0;
	}
	/* too many: exec will fail */
	return 0;
}

int target_examine(struct target *target, const char *command)
{
	int error;

	*target = (struct target){ .command = command };
	target->path = search_path(command, &error);
	if (!target->path)
		return error;
	elf_version(EV_CURRENT);
	error = follow_scripts(target);
	if (error != -ENOEXEC)
		return error;
	free(target->path);
	target->path = strdup(SHELL);
	if (!target->path)
		return -ENOMEM;
	error = follow_scripts(target);
	return error == -ENOEXEC ? 0 : error;
}

void target_release(struct target *target)
{
	free(target->path);
	free(target->linker);
}

bool target_takes_library(const struct target *target)
{
	return target->problem != TARGET_OTHER_WIDTH &&
	       target->problem != TARGET_OTHER_MACHINE &&
	       target->problem != TARGET_OTHER_LINKER;
}

/* --- messages ------------------------------------------------------------------ */

#define PRELOAD_IGNORED	"so the dynamic linker ignores LD_PRELOAD, and it is not profiled"

static const char *name_machine(unsigned int machine)
{
	static const struct {
		unsigned int machine;
		const char *name;
	} names[] = {
		{ EM_386, "i386" }, { EM_X86_64, "x86-64" }, { EM_ARM, "ARM" },
		{ EM_AARCH64, "arm64" }, { EM_RISCV, "RISC-V" }, { EM_MIPS, "MIPS" },
		{ EM_PPC64, "64-bit PowerPC" }, { EM_S390, "S/390" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "another machine";
}

static int print_user(char **text, const char *file, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (!uid)
		return asprintf(text, "%s is set-user-ID root, " PRELOAD_IGNORED ": run profil as root",
				file);
	if (!user)
		return asprintf(text, "%s is set-user-ID %u, " PRELOAD_IGNORED ": run profil as user %u",
				file, uid, uid);
	return asprintf(text, "%s is set-user-ID %s, " PRELOAD_IGNORED ": run profil as that user: sudo -u %s profil ...",
			file, user->pw_name, user->pw_name);
}

static int print_group(char **text, const char *file, gid_t gid)
{
	const struct group *group = getgrgid(gid);

	if (!group)
		return asprintf(text, "%s is set-group-ID %u, " PRELOAD_IGNORED ": run profil with group %u",
				file, gid, gid);
	return asprintf(text, "%s is set-group-ID %s, " PRELOAD_IGNORED ": run profil with that group: sg %s 'profil ...'",
			file, group->gr_name, group->gr_name);
}

static int print_problem(char **text, const struct target *target, const char *file)
{
	switch (target->problem) {
	case TARGET_STATIC:
		return asprintf(text, "%s is a static program, into which no library can be loaded, so it is not profiled: link it without -static, or start the profile in the program itself (libprofil(3))",
				file);
	case TARGET_OTHER_USER:
		return print_user(text, file, target->owner);
	case TARGET_OTHER_GROUP:
		return print_group(text, file, target->group);
	case TARGET_CAPABILITIES:
		return asprintf(text, "%s has file capabilities (getcap(8)), " PRELOAD_IGNORED ": run profil as root, or run a copy of the file, which has no capabilities",
				file);
	case TARGET_OTHER_WIDTH:
		return asprintf(text, "%s is a program for %s, whose word size differs from profil's, so it is not profiled: compile it with profil's word size, or start the profile in the program itself, with a libprofil of its word size (libprofil(3))",
				file, name_machine(target->machine));
	case TARGET_OTHER_MACHINE:
		return asprintf(text, "%s is a program for %s, which can only run in an emulator, so it is not profiled: compile it for this machine",
				file, name_machine(target->machine));
	case TARGET_OTHER_LINKER:
		return asprintf(text, "%s is started by %s, the dynamic linker of another C library, which cannot load libprofil-run.so, so it is not profiled: link it with the C library that profil uses",
				file, target->linker);
	case TARGET_NO_LINKER:
		return asprintf(text, "%s must be started by %s, which does not exist: install it, or correct its path (in the first line of the script, or by linking the program again)",
				target->command, target->linker);
	case TARGET_UNREADABLE:
		return asprintf(text, "%s did not load libprofil-run.so, and the reason is unknown without permission to read the file: run profil as a user who can read it",
				file);
	case TARGET_OK:
		break;
	}
	*text = NULL;
	return 0;
}

char *target_explain(const struct target *target)
{
	char *text = NULL, *file = NULL;
	int length;

	if (!target->path)
		return NULL;
	if (strcmp(base_name(target->path), base_name(target->command)))
		length = asprintf(&file, "%s, the interpreter of %s,", target->path,
				  target->command);
	else
		length = asprintf(&file, "%s", target->path);
	if (length < 0)
		return NULL;
	if (print_problem(&text, target, file) < 0)
		text = NULL;
	free(file);
	return text;
}
