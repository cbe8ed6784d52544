/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_NODE_H
#define PROFIL_NODE_H

#include <stdbool.h>

/*
 * Why /dev/profil cannot be opened. In a container the module may be loaded, and the device node
 * missing; so the remedy follows from what the process can see.
 */

/** enum profil_module - whether the kernel has the module */
enum profil_module {
	PROFIL_MODULE_UNKNOWN,	/* no sysfs is mounted here */
	PROFIL_MODULE_ABSENT,
	PROFIL_MODULE_LOADED,
};

/**
 * struct profil_node - what a process can see of the module and of the device node
 * @module:     as sysfs shows it
 * @contained:  the process has a PID or cgroup namespace of its own, as in a container
 * @for_all:    the node's mode lets everyone read and write; false without a node
 * @accessible: access(2) permits this process to read and write; false without a node
 */
struct profil_node {
	enum profil_module module;
	bool contained;
	bool for_all;
	bool accessible;
};

/**
 * profil_node_look - find out what can be seen
 * @node: the result
 *
 * Preserves errno. Not a cancellation point. Needs no privileges.
 */
void profil_node_look(struct profil_node *node);

/**
 * profil_node_remedy - the remedy for a device that cannot be opened
 * @node:  from profil_node_look()
 * @error: errno of open(2)
 *
 * Return: a clause for a message, never NULL.
 */
const char *profil_node_remedy(const struct profil_node *node, int error);

#endif /* PROFIL_NODE_H */
