// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that a command is, looked at before it runs. First which file that is: what
 * execvp() takes from PATH, and from there on what the kernel does with the first line of
 * scripts. Then what the file says of who will load its libraries, and with whose rights.
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

/* As much of a script as the kernel looks at, and so many in a row (fs/exec.c) */
#define SCRIPT_BYTES	256
#define MAX_SCRIPTS	5

/* What execvp() gives files to that the kernel does not know */
#define SHELL		"/bin/sh"

/* What an ELF file says of who starts it */
struct start {
	unsigned int class;
	unsigned int machine;
	bool has_linker;
	char linker[PATH_MAX];
};

/* --- which file it is ---------------------------------------------------------- */

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* Return: the path of a command, to free(); NULL with 0 in *error: there is none. */
static char *look_for(const char *command, int *error)
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
		/* an empty one is the current directory */
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
 * The interpreter that the first line of a script names. Return: its length, and where it
 * begins in @head; 0: it is none, or the kernel would not take it for one.
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
	/* it may go on where the kernel does not look */
	return *name + length == head + SCRIPT_BYTES ? 0 : length;
}

/* --- with whose rights --------------------------------------------------------- */

/* Whether the file's capabilities are more than nothing */
static bool gives_capabilities(const char *path)
{
	struct vfs_ns_cap_data caps = { 0 };
	ssize_t bytes = getxattr(path, "security.capability", &caps, sizeof(caps));

	if (bytes < (ssize_t)XATTR_CAPS_SZ_1)
		return false;
	return le32toh(caps.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE ||
	       caps.data[0].permitted || caps.data[1].permitted;
}

/*
 * When the kernel sets AT_SECURE, for which the dynamic linker forgets LD_PRELOAD: if the
 * program will have another user or group than the caller really is, or capabilities that
 * it has from its file; to root these mean nothing.
 */
static enum target_problem find_rights(const char *path, const struct stat *st)
{
	struct statvfs fs;

	if (!statvfs(path, &fs) && fs.f_flag & ST_NOSUID)
		return TARGET_OK;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
		if (st->st_mode & S_ISUID && st->st_uid != getuid())
			return TARGET_OTHER_USER;
		/* without the right to execute, the bit is about locks */
		if (st->st_mode & S_ISGID && st->st_mode & S_IXGRP &&
		    st->st_gid != getgid())
			return TARGET_OTHER_GROUP;
	}
	if (getuid() && gives_capabilities(path))
		return TARGET_CAPABILITIES;
	return TARGET_OK;
}

/* --- what the file says -------------------------------------------------------- */

/* Return: false if it is no program. */
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

/* Against what we are: libprofil-run.so is of our kind. */
static int find_start(struct target *target, const struct start *start, const struct stat *st)
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
		/* or it is our dynamic linker itself, with a program as its argument */
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
 * Look at target->path. Return: 0; -ENOEXEC if the kernel would not know what to do with
 * it; -EAGAIN if it is a script, and target->path its interpreter now; -ENOMEM.
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
		target->problem = find_rights(target->path, &st);
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
	error = read_start(fd, &start) ? find_start(target, &start, &st) : -ENOEXEC;
	close(fd);
	/* what cannot be helped by another user comes first */
	if (!error && !target->problem)
		target->problem = find_rights(target->path, &st);
	return error;
}

/* From target->path on to the file that is no script. Return: as examine_file(). */
static int follow(struct target *target)
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
	/* too many: nothing will run */
	return 0;
}

int target_examine(struct target *target, const char *command)
{
	int error;

	*target = (struct target){ .command = command };
	target->path = look_for(command, &error);
	if (!target->path)
		return error;
	elf_version(EV_CURRENT);
	error = follow(target);
	if (error != -ENOEXEC)
		return error;
	free(target->path);
	target->path = strdup(SHELL);
	if (!target->path)
		return -ENOMEM;
	error = follow(target);
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

/* --- in words ------------------------------------------------------------------ */

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

static int print_user(char **text, const char *who, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (!uid)
		return asprintf(text, "%s is set-user-ID root, and nothing of a user's is loaded into such a program: it runs without a profile; to have one, run profil as root",
				who);
	if (!user)
		return asprintf(text, "%s is set-user-ID %u, and nothing of another user's is loaded into such a program: it runs without a profile; to have one, run profil as user %u",
				who, uid, uid);
	return asprintf(text, "%s is set-user-ID %s, and nothing of another user's is loaded into such a program: it runs without a profile; to have one, run profil as that user: sudo -u %s profil ...",
			who, user->pw_name, user->pw_name);
}

static int print_group(char **text, const char *who, gid_t gid)
{
	const struct group *group = getgrgid(gid);

	if (!group)
		return asprintf(text, "%s is set-group-ID %u, and nothing of others is loaded into such a program: it runs without a profile; to have one, run profil with group %u",
				who, gid, gid);
	return asprintf(text, "%s is set-group-ID %s, and nothing of others is loaded into such a program: it runs without a profile; to have one, run profil with that group: sg %s 'profil ...'",
			who, group->gr_name, group->gr_name);
}

/* @who is the file, and of a script's interpreter also whose it is */
static int print_problem(char **text, const struct target *target, const char *who)
{
	switch (target->problem) {
	case TARGET_STATIC:
		return asprintf(text, "%s is a static program, into which no library can be loaded: it runs without a profile; to have one, link it without -static, or let it start its profile itself (libprofil(3))",
				who);
	case TARGET_OTHER_USER:
		return print_user(text, who, target->owner);
	case TARGET_OTHER_GROUP:
		return print_group(text, who, target->group);
	case TARGET_CAPABILITIES:
		return asprintf(text, "%s has capabilities from its file (getcap(8)), and nothing of a user's is loaded into such a program: it runs without a profile; to have one, run profil as root, or a copy of the file, which has none",
				who);
	case TARGET_OTHER_WIDTH:
		return asprintf(text, "%s is a program for %s, whose word size is not profil's: it runs without a profile; to have one, compile it with profil's word size, or let it start its profile itself with a libprofil that is compiled as it is (libprofil(3))",
				who, name_machine(target->machine));
	case TARGET_OTHER_MACHINE:
		return asprintf(text, "%s is a program for %s: if it runs here, then in an emulator and without a profile; to have one, compile it for this machine",
				who, name_machine(target->machine));
	case TARGET_OTHER_LINKER:
		return asprintf(text, "%s is started by %s, which cannot load libprofil-run.so, as that is for another C library: it runs without a profile; to have one, link it with the C library that profil is linked with",
				who, target->linker);
	case TARGET_NO_LINKER:
		return asprintf(text, "%s is to be started by %s, which cannot be found: install that, or name another (in a script by its first line, else when linking)",
				target->command, target->linker);
	case TARGET_UNREADABLE:
		return asprintf(text, "%s did not load libprofil-run.so, and may not be read by you to see why; run profil as a user who may read it",
				who);
	case TARGET_OK:
		break;
	}
	*text = NULL;
	return 0;
}

char *target_explain(const struct target *target)
{
	char *text = NULL, *who = NULL;
	int length;

	if (!target->path)
		return NULL;
	if (strcmp(base_name(target->path), base_name(target->command)))
		length = asprintf(&who, "%s, which runs %s,", target->path, target->command);
	else
		length = asprintf(&who, "%s", target->path);
	if (length < 0)
		return NULL;
	if (print_problem(&text, target, who) < 0)
		text = NULL;
	free(who);
	return text;
}
