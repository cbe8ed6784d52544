// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Why /dev/profil cannot be opened: what can be seen, and the remedy that follows from it. A remedy
 * is given only if what can be seen permits its cause.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef STATX_INO
#include <linux/stat.h>	/* musl before 1.2.4 declares none of it */
#endif

#include "device.h"
#include "node.h"

/* Inodes of the first namespaces, PROC_PID_INIT_INO and PROC_CGROUP_INIT_INO of the kernel */
#define FIRST_PID_NAMESPACE	0xeffffffcU
#define FIRST_CGROUP_NAMESPACE	0xeffffffbU

/* System calls: see device.c */
static bool exists(const char *path)
{
	return !syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
}

/* By the effective IDs, as open(2) does */
static bool may_use(const char *path)
{
	return !syscall(SYS_faccessat2, AT_FDCWD, path, R_OK | W_OK, AT_EACCESS);
}

static bool look_at(const char *path, unsigned int mask, struct statx *found)
{
	return !syscall(SYS_statx, AT_FDCWD, path, 0, mask, found);
}

/* Whether the process is in another namespace than the kernel's first one */
static bool left(const char *namespace, unsigned int first)
{
	struct statx found;

	return look_at(namespace, STATX_INO, &found) && found.stx_ino != first;
}

/*
 * Not by files such as /.dockerenv: a virtual machine may be made of the files of an image. With
 * the host's PIDs (--pid=host), a container has its own cgroups.
 */
static bool in_container(void)
{
	return left("/proc/self/ns/pid", FIRST_PID_NAMESPACE) ||
	       left("/proc/self/ns/cgroup", FIRST_CGROUP_NAMESPACE);
}

void profil_node_look(struct profil_node *node)
{
	const int saved = errno;
	struct statx device;

	memset(node, 0, sizeof(*node));
	if (exists("/sys/module/profil"))
		node->module = PROFIL_MODULE_LOADED;
	else if (exists("/sys/module"))
		node->module = PROFIL_MODULE_ABSENT;
	node->contained = in_container();
	node->for_all = look_at(PROFIL_DEVICE, STATX_MODE, &device) &&
			(device.stx_mode & 0666) == 0666;
	node->accessible = may_use(PROFIL_DEVICE);
	errno = saved;
}

static const char *load_remedy(const struct profil_node *node)
{
	if (!node->contained)
		return "load the module: sudo modprobe profil";
	if (node->module == PROFIL_MODULE_ABSENT)
		return "load the module on the host of this container: sudo modprobe profil; then start the container with --device " PROFIL_DEVICE;
	return "this container has no such device: start it with --device " PROFIL_DEVICE ", after sudo modprobe profil on its host";
}

/* The module is loaded, and this file system has no node, or another's. */
static const char *node_remedy(const struct profil_node *node, int error)
{
	if (node->contained)
		return error == ENOENT ?
			"the module is loaded: start this container with --device " PROFIL_DEVICE :
			"the module has been loaded anew: restart this container, with --device " PROFIL_DEVICE;
	return error == ENOENT ?
		"the module is loaded, but this /dev is not the system's: bind-mount the system's " PROFIL_DEVICE " here" :
		"the module is loaded, but this node has another device number: remove it, and bind-mount the system's " PROFIL_DEVICE " here";
}

/* The device cgroup refuses with EPERM; modes, mounts and security modules with EACCES. */
static const char *cgroup_remedy(const struct profil_node *node)
{
	if (node->contained)
		return "the device policy of this container forbids it: start it with --device " PROFIL_DEVICE "; a volume does not suffice";
	return "a device policy (cgroup) forbids it: in a systemd unit, set DeviceAllow=" PROFIL_DEVICE " rw";
}

static const char *permission_remedy(const struct profil_node *node)
{
	if (node->accessible)
		return "its file system is mounted with nodev, or by a user: bind-mount the system's " PROFIL_DEVICE " here";
	if (node->for_all)
		return "its mode permits it, a security module (SELinux, AppArmor, Landlock) does not: change that policy";
	if (node->contained)
		return "grant read and write permission on it to the user of this container: by a udev rule on the host, or, if the device is for a group of the user that starts it, by podman run --group-add keep-groups";
	return "grant read and write permission on it (udev rule), or join its group";
}

const char *profil_node_remedy(const struct profil_node *node, int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return node->module == PROFIL_MODULE_LOADED ? node_remedy(node, error) :
							      load_remedy(node);
	case EPERM:
		return cgroup_remedy(node);
	case EACCES:
		return permission_remedy(node);
	case EMFILE:
		return "raise the limit of open files: ulimit -n";
	case ENFILE:
		return "raise the system's limit of open files: sysctl fs.file-max";
	default:
		return "see open(2)";
	}
}
