// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions of the C library that this library stands in front of: those that bring code
 * into a program while it runs, and those that end it without exit(). What the C library
 * itself loads (its modules for names and character sets) goes past us, and is noticed
 * with what comes next: until then it counts as outside all objects.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "autostart.h"
#include "search.h"

/* What we stand in front of */
static struct {
	__typeof__(&dlopen) dlopen;
	__typeof__(&dlmopen) dlmopen;
	__typeof__(&dlclose) dlclose;
	__typeof__(&mmap) mmap;
	__typeof__(&mmap64) mmap64;
	__typeof__(&mprotect) mprotect;
	__typeof__(&pkey_mprotect) pkey_mprotect;
	__typeof__(&execve) execve;
	__typeof__(&execv) execv;
	__typeof__(&execvp) execvp;
	__typeof__(&execvpe) execvpe;
	__typeof__(&fexecve) fexecve;
} next;

/*
 * One that is called before our constructor looks itself up; no later one does, since
 * dlsym() takes a lock, and autostart.c has one where it maps memory.
 */
#define NEXT(function) ({						\
	if (!next.function)						\
		next.function = (__typeof__(&(function)))dlsym(RTLD_NEXT, #function); \
	next.function;							\
})

static void __attribute__((constructor(101))) look_up(void)
{
	(void)NEXT(dlopen);
	(void)NEXT(dlmopen);
	(void)NEXT(dlclose);
	(void)NEXT(mmap);
	(void)NEXT(mmap64);
	(void)NEXT(mprotect);
	(void)NEXT(pkey_mprotect);
	(void)NEXT(execve);
	(void)NEXT(execv);
	(void)NEXT(execvp);
	(void)NEXT(execvpe);
	(void)NEXT(fexecve);
}

void *dlopen(const char *name, int mode)
{
	void *handle = profil_search_open(NEXT(dlopen), __builtin_return_address(0), name,
					  mode);

	if (handle)
		profil_autostart_loaded();
	return handle;
}

void *dlmopen(Lmid_t space, const char *name, int mode)
{
	void *handle = NEXT(dlmopen)(space, name, mode);

	if (handle)
		profil_autostart_loaded();
	return handle;
}

/* Where a library was, another may come to lie. */
int dlclose(void *handle)
{
	int error = NEXT(dlclose)(handle);

	if (!error)
		profil_autostart_loaded();
	return error;
}

static void *note_mapping(void *start, size_t bytes, int protection)
{
	if ((protection & PROT_EXEC) && start != MAP_FAILED)
		profil_autostart_made(start, bytes);
	return start;
}

void *mmap(void *start, size_t bytes, int protection, int flags, int file, off_t at)
{
	return note_mapping(NEXT(mmap)(start, bytes, protection, flags, file, at), bytes,
			    protection);
}

void *mmap64(void *start, size_t bytes, int protection, int flags, int file, off64_t at)
{
	/* musl has none, and had its programs call mmap() by that name */
	__typeof__(&mmap64) map = NEXT(mmap64) ? NEXT(mmap64) : (__typeof__(map))NEXT(mmap);

	return note_mapping(map(start, bytes, protection, flags, file, at), bytes,
			    protection);
}

static int note_protection(int error, void *start, size_t bytes, int protection)
{
	if (!error && (protection & PROT_EXEC))
		profil_autostart_made(start, bytes);
	return error;
}

int mprotect(void *start, size_t bytes, int protection)
{
	return note_protection(NEXT(mprotect)(start, bytes, protection), start, bytes,
			       protection);
}

int pkey_mprotect(void *start, size_t bytes, int protection, int key)
{
	/* musl has none: who finds ours there learns that */
	if (!NEXT(pkey_mprotect)) {
		errno = ENOSYS;
		return -1;
	}
	return note_protection(NEXT(pkey_mprotect)(start, bytes, protection, key), start,
			       bytes, protection);
}

/* As the C library does it; exit() and quick_exit() do not call this. */
void _exit(int status)
{
	profil_autostart_end();
	for (;;)
		syscall(SYS_exit_group, status);
}

void _Exit(int status)
{
	_exit(status);
}

/*
 * Executing another program takes this one's profile with it. Those of the family that
 * take their arguments one by one are not here: of a program that ends by one of them
 * the samples are counted, but not known to be its own.
 */
static int go_on(int error)
{
	profil_autostart_go_on();
	return error;
}

int execve(const char *path, char *const argv[], char *const env[])
{
	profil_autostart_end();
	return go_on(NEXT(execve)(path, argv, env));
}

int execv(const char *path, char *const argv[])
{
	profil_autostart_end();
	return go_on(NEXT(execv)(path, argv));
}

int execvp(const char *name, char *const argv[])
{
	profil_autostart_end();
	return go_on(NEXT(execvp)(name, argv));
}

int execvpe(const char *name, char *const argv[], char *const env[])
{
	profil_autostart_end();
	return go_on(NEXT(execvpe)(name, argv, env));
}

int fexecve(int file, char *const argv[], char *const env[])
{
	profil_autostart_end();
	return go_on(NEXT(fexecve)(file, argv, env));
}
