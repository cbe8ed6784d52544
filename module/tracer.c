// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose rights a target is sampled with: those of the process that attached it, at its ATTACH.
 * Children inherit them. An open file has no rights: a process that got it from another one may
 * attach with its own rights only.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "tracer.h"

/**
 * profil_tracer_create - record the rights of the calling process
 *
 * Return: them, with one reference; or NULL without memory.
 */
struct profil_tracer *profil_tracer_create(void)
{
	struct profil_tracer *tracer = kzalloc(sizeof(*tracer), GFP_KERNEL_ACCOUNT);

	if (!tracer)
		return NULL;
	if (profil_rights_get(&tracer->rights)) {
		kfree(tracer);
		return NULL;
	}
	refcount_set(&tracer->ref, 1);
	tracer->cred = get_current_cred();
	/* noaudit: most callers lack it and do not need it */
	tracer->trace_all = ns_capable_noaudit(&init_user_ns, CAP_SYS_PTRACE);
	return tracer;
}

/* The caller has a reference, or a target that has one. */
struct profil_tracer *profil_tracer_get(struct profil_tracer *tracer)
{
	refcount_inc(&tracer->ref);
	return tracer;
}

void profil_tracer_put(struct profil_tracer *tracer)
{
	if (!refcount_dec_and_test(&tracer->ref))
		return;
	put_cred(tracer->cred);
	profil_rights_put(&tracer->rights);
	kfree(tracer);
}

/* Whether it owns a user namespace that was created in its own, or below it. */
static bool tracer_owns_namespace(const struct cred *tracer, struct user_namespace *ns)
{
	for (; ns != &init_user_ns; ns = ns->parent)
		if (ns->parent == tracer->user_ns && uid_eq(ns->owner, tracer->euid))
			return true;
	return false;
}

/**
 * profil_tracer_may_trace_current - whether it may trace the program of the current process
 * @tracer: tracer
 *
 * The rules of ptrace(2) for credentials and undumpable programs. The credentials are the
 * objective ones, by which others judge the process. Security modules are not asked, nor Yama.
 *
 * Return: whether it may.
 */
bool profil_tracer_may_trace_current(const struct profil_tracer *tracer)
{
	const struct cred *own = tracer->cred, *cred = current_real_cred();

	if (tracer->trace_all)
		return true;
	return compat_current_is_dumpable() &&
	       uid_eq(own->uid, cred->uid) && uid_eq(own->uid, cred->euid) &&
	       uid_eq(own->uid, cred->suid) &&
	       gid_eq(own->gid, cred->gid) && gid_eq(own->gid, cred->egid) &&
	       gid_eq(own->gid, cred->sgid) &&
	       ((own->user_ns == cred->user_ns &&
		 cap_issubset(cred->cap_permitted, own->cap_permitted)) ||
		tracer_owns_namespace(own, cred->user_ns));
}
