/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of the vdso: code that the kernel maps into each process, from no file.
 */
#ifndef PROFIL_VDSO_H
#define PROFIL_VDSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel has an image for each kind of programs; the names are those of perf. */
enum vdso_kind {
	VDSO_OWN,	/* "[vdso]": that of this process, too */
	VDSO_32,	/* "[vdso32]": of 32-bit programs */
	VDSO_X32,	/* "[vdsox32]": of those with 32-bit pointers and 64-bit registers */
	VDSO_NR_KINDS,
};

/* A function; @start and @end are addresses in the image */
struct vdso_function {
	uint64_t start;
	uint64_t end;
	char *name;
	bool is_weak;	/* another name of it is preferred: __vdso_time to time */
};

/* The functions of an image, in no order */
struct vdso {
	bool is_read;
	struct vdso_function *functions;
	size_t nr;
};

/*
 * Find which image a process has mapped at @start. It is read if it is the first one of its kind.
 * Return: the kind.
 */
enum vdso_kind vdso_find_kind(struct vdso vdsos[VDSO_NR_KINDS], pid_t pid, uint64_t start,
			      uint64_t bytes);

/* Find the function at an address in an image. Return: NULL: none is known. */
const struct vdso_function *vdso_find_function(const struct vdso *vdso, uint64_t address);

/* Free the functions. */
void vdso_release(struct vdso vdsos[VDSO_NR_KINDS]);

#endif /* PROFIL_VDSO_H */
