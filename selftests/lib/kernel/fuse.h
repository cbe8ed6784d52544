/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file system with one file whose pages do not arrive: a reader waits until the file system is
 * closed, or until the test lets it answer. What is written does not arrive either: a page stays
 * under writeback until the file system is closed.
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

#define FUSE_FILE	2	/* node of the file; that of the directory is FUSE_ROOT_ID */
#define FUSE_FILE_BYTES	(1024 * 1024)
#define FUSE_MOST_READS	64	/* unanswered ones */

/*
 * Shared by the server and the test: the numbers of reads and writes, and whether to answer reads
 */
struct fuse_order {
	int reads;
	int writes;
	int answer;
};

/* Serves the file system until the process is killed. Without @order, no read is answered. */
void fuse_serve_by(int fd, struct fuse_order *order);

void fuse_serve(int fd);

/* Mounts it for all users. Returns the descriptor for the server; or -1 with errno. */
int fuse_mount(const char *directory);

#endif /* SELFTESTS_FUSE_H */
