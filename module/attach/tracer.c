// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose rights a target is sampled with: those of the process that attached it, at its ATTACH.
 * Children inherit them. An open file has no rights: a process that got it from another one may
 * attach with its own rights only.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "attach/tracer.h"
#include "compat.h"

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
	tracer->memcg = compat_get_mem_cgroup_of_current();
	/* noaudit: most callers lack it and do not need it */
	tracer->can_trace = ns_capable_noaudit(current_user_ns(), CAP_SYS_PTRACE);
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
	mem_cgroup_put(tracer->memcg);
	profil_rights_put(&tracer->rights);
	kfree(tracer);
}

/*
 * Whether it has CAP_SYS_PTRACE in a user namespace. The kernel's rule, cap_capable(): the
 * capabilities of a process are those in its namespace and all below it, and a process has all of
 * them in a namespace that its user created, and below.
 */
static bool tracer_is_capable(const struct profil_tracer *tracer, const struct user_namespace *ns)
{
	const struct cred *own = tracer->cred;

	for (; ns; ns = ns->parent) {
		if (ns == own->user_ns)
			return tracer->can_trace;
		if (ns->parent == own->user_ns && uid_eq(ns->owner, own->euid))
			return true;
	}
	return false;
}

/* Whether it may trace all programs of the machine. */
bool profil_tracer_may_trace_all(const struct profil_tracer *tracer)
{
	return tracer_is_capable(tracer, &init_user_ns);
}

static bool tracer_has_ids_of(const struct profil_tracer *tracer, const struct cred *cred)
{
	const struct cred *own = tracer->cred;

	return uid_eq(own->uid, cred->uid) && uid_eq(own->uid, cred->euid) &&
	       uid_eq(own->uid, cred->suid) &&
	       gid_eq(own->gid, cred->gid) && gid_eq(own->gid, cred->egid) &&
	       gid_eq(own->gid, cred->sgid);
}

/**
 * profil_tracer_may_trace_current - whether it may trace the program of the current process
 * @tracer:     tracer
 * @secureexec: the kernel has given the program more rights, or a security module says that its
 *              environment is not to be trusted (AT_SECURE in getauxval(3))
 *
 * The rules of ptrace(2) for credentials and undumpable programs. The credentials are the
 * objective ones, by which others judge the process. No kernel exports what would ask security
 * modules for another process than the current one. So @secureexec, by which SELinux, AppArmor and
 * Smack tell that a program has other rights, is a refusal too. ptrace(2) has no such rule.
 * Under rcu_read_lock().
 *
 * Return: whether it may.
 */
bool profil_tracer_may_trace_current(const struct profil_tracer *tracer, bool secureexec)
{
	const struct user_namespace *ns = compat_current_needs_ptrace_in();
	const struct cred *cred = current_real_cred();

	if (!tracer_is_capable(tracer, cred->user_ns) &&
	    (secureexec || !tracer_has_ids_of(tracer, cred) ||
	     tracer->cred->user_ns != cred->user_ns ||
	     !cap_issubset(cred->cap_permitted, tracer->cred->cap_permitted)))
		return false;
	return !ns || tracer_is_capable(tracer, ns);
}
