// SPDX-License-Identifier: GPL-2.0-only
/*
 * The remedy for a device that cannot be opened names no cause that what can be seen excludes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <node.h>

#include "support/test.h"

static const int errors[] = { ENOENT, ENXIO, ENODEV, EPERM, EACCES, EMFILE, ENFILE, EISDIR };

/* Call @check for each state and errno. */
static void for_each(void (*check)(const struct profil_node *node, int error, const char *remedy))
{
	unsigned int bits;
	size_t i;

	for (bits = 0; bits < 3 << 3; bits++) {
		struct profil_node node = {
			.contained = bits & 1,
			.for_all = bits & 2,
			.accessible = bits & 4,
			.module = (enum profil_module)(bits >> 3),
		};

		for (i = 0; i < ARRAY_SIZE(errors); i++) {
			const char *remedy = profil_node_remedy(&node, errors[i]);

			assert_non_null(remedy);
			check(&node, errors[i], remedy);
		}
	}
}

static void assert_same(bool expected, const char *remedy, const char *words)
{
	if (!!strstr(remedy, words) != expected)
		fail_msg("'%s' %s '%s'", remedy, expected ? "lacks" : "has", words);
}

static bool is_missing(int error)
{
	return error == ENOENT || error == ENXIO || error == ENODEV;
}

static void check_loading(const struct profil_node *node, int error, const char *remedy)
{
	bool load = is_missing(error) && node->module != PROFIL_MODULE_LOADED;

	assert_same(load, remedy, "modprobe profil");
	if (is_missing(error))
		assert_same(load && node->contained, remedy, "host");
}

/* A loaded module is not loaded again, and a container cannot load one itself. */
TEST(loading)
{
	for_each(check_loading);
}

static void check_container(const struct profil_node *node, int error, const char *remedy)
{
	bool option = node->contained && (is_missing(error) || error == EPERM);

	assert_same(option, remedy, "--device /dev/profil");
	if (!node->contained)
		assert_same(false, remedy, "container");
}

/* Only in a container are there remedies for one, and there the option is named. */
TEST(containers)
{
	for_each(check_container);
}

static void check_loaded(const struct profil_node *node, int error, const char *remedy)
{
	bool loaded = is_missing(error) && node->module == PROFIL_MODULE_LOADED;

	assert_same(loaded && (!node->contained || error == ENOENT), remedy, "is loaded");
	assert_same(loaded && node->contained && error != ENOENT, remedy, "anew: restart");
	assert_same(loaded && !node->contained && error != ENOENT, remedy, "remove it");
}

/* The node is missing, or has the number of an earlier load of the module. */
TEST(loaded)
{
	for_each(check_loaded);
}

static void check_permission(const struct profil_node *node, int error, const char *remedy)
{
	bool denied = error == EACCES;

	assert_same(denied && node->accessible, remedy, "nodev");
	assert_same(denied && !node->accessible && node->for_all, remedy, "SELinux");
	assert_same(denied && !node->accessible && !node->for_all, remedy, "udev rule");
	assert_same(error == EPERM, remedy, "device policy");
	assert_same(error == EPERM && !node->contained, remedy, "DeviceAllow");
}

/* EPERM is from the device cgroup; for EACCES, what access(2) and the mode say decides. */
TEST(permission)
{
	for_each(check_permission);
}

static void check_limits(const struct profil_node *node, int error, const char *remedy)
{
	assert_same(error == EMFILE, remedy, "ulimit -n");
	assert_same(error == ENFILE, remedy, "fs.file-max");
	assert_same(error == EISDIR, remedy, "see open(2)");
}

TEST(limits)
{
	for_each(check_limits);
}

/* To look changes nothing that a caller of profil() can see. */
TEST(looking_keeps_errno)
{
	struct profil_node node;

	errno = E2BIG;
	profil_node_look(&node);
	assert_int_equal(errno, E2BIG);
	assert_true(node.module <= PROFIL_MODULE_LOADED);
}
