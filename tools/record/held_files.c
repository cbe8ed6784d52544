// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps files open that processes have mapped.
 *
 * A profile must not change what the profiled processes can do. An open file prevents that its
 * file system is unmounted, so only files on mounts are kept that this process uses all the time,
 * or that nobody can unmount. The blocks of a removed file are free only when it is closed, so the
 * number of files is limited.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "record/held_files.h"

/* One in this many of this process's descriptors may be a kept file. symbols.c uses half. */
#define SHARE_OF_DESCRIPTORS	4

/* Return: whether @mount is set. */
static bool find_mount(int fd, const char *path, int flags, uint64_t *mount)
{
	struct statx state;

	if (statx(fd, path, flags | AT_STATX_DONT_SYNC, STATX_MNT_ID, &state) ||
	    !(state.stx_mask & STATX_MNT_ID))
		return false;
	*mount = state.stx_mnt_id;
	return true;
}

void held_files_init(struct held_files *kept)
{
	struct rlimit limit;

	memset(kept, 0, sizeof(*kept));
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	kept->max = limit.rlim_cur / SHARE_OF_DESCRIPTORS;
	if (kept->max > KEPT_MAX)
		kept->max = KEPT_MAX;
	kept->nr_mounts += find_mount(AT_FDCWD, "/", 0, &kept->mounts[kept->nr_mounts]);
	kept->nr_mounts += find_mount(AT_FDCWD, ".", 0, &kept->mounts[kept->nr_mounts]);
}

void held_files_release(struct held_files *kept)
{
	size_t i;

	for (i = 0; i < kept->nr; i++)
		close(kept->files[i].fd);
	memset(kept, 0, sizeof(*kept));
}

static bool is_on_busy_mount(const struct held_files *kept, int fd)
{
	uint64_t mount;
	size_t i;

	if (!find_mount(fd, "", AT_EMPTY_PATH, &mount))
		return false;
	for (i = 0; i < kept->nr_mounts; i++)
		if (kept->mounts[i] == mount)
			return true;
	return false;
}

/* NFS and FUSE give a removed file another name while it is open: its directory is not empty. */
static bool removes_open_files(int fd)
{
	struct statfs state;

	if (fstatfs(fd, &state))
		return false;
	switch ((unsigned long)state.f_type) {
	case BTRFS_SUPER_MAGIC:
	case EXT4_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case XFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

void held_files_add(struct held_files *kept, const struct file *file, int fd, bool is_internal)
{
	struct held_file *place = &kept->files[kept->next];

	if (!kept->max ||
	    (!is_internal && (!is_on_busy_mount(kept, fd) || !removes_open_files(fd)))) {
		close(fd);
		return;
	}
	if (kept->nr == kept->max)
		close(place->fd);
	else
		kept->nr++;
	*place = (struct held_file){ file, fd };
	kept->next = (kept->next + 1) % kept->max;
}
