/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file system of a test's own, of one file, whose pages do not come: who reads one
 * waits until the file system is closed, or the test has it answer.
 */
#ifndef SELFTESTS_FUSE_H
#define SELFTESTS_FUSE_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fuse.h>

#define FUSE_FILE	2	/* its node; that of the directory is FUSE_ROOT_ID */
#define FUSE_FILE_BYTES	(1 << 20)
#define FUSE_MOST_READS	64	/* that are answered later */

/* What the server and the test share: reads that came, and whether to answer them. */
struct fuse_order {
	int reads;
	int answer;
};

/* What serves it, until it is killed. Without an order, no read is answered. */
void fuse_serve_by(int fd, struct fuse_order *order);

void fuse_serve(int fd);

/* Mount it, for all users. Return: a descriptor, to serve it by; or -1 with errno. */
int fuse_mount(const char *directory);

#endif /* SELFTESTS_FUSE_H */
