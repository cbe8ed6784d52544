/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel that call the module, by ftrace.
 */
#ifndef _PROFIL_FUNCTION_H
#define _PROFIL_FUNCTION_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include "compat.h"

/**
 * struct profil_function - a function of the kernel that calls the module first
 * @name:  its name, which ftrace may write to
 * @ops:   with the callback
 * @found: the filter of @ops contains it
 * @stuck: ftrace could not remove the callback, which is called until a reboot
 */
struct profil_function {
	unsigned char name[24];
	struct ftrace_ops ops;
	bool found;
	bool stuck;
};

/*
 * RECURSION_SAFE: no recursion guard is needed, on kernels that would add one.
 * PERMANENT: kernel.ftrace_enabled=0 must not stop the calls without notice. Setting it fails while
 * one is attached, and attaching fails while it is set.
 */
#define PROFIL_FUNCTION(name_, callback) {					\
	.name = (name_),							\
	.ops.func = (callback),							\
	.ops.flags = COMPAT_FTRACE_RECURSION_SAFE | FTRACE_OPS_FL_PERMANENT,	\
}

/* May sleep. */
void profil_function_init(struct profil_function *function);
int profil_function_attach(struct profil_function *function);
void profil_function_detach(struct profil_function *function);
void profil_function_exit(struct profil_function *function);

#endif /* _PROFIL_FUNCTION_H */
