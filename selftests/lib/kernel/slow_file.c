// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mounts the file system of fuse.c and maps its file.
 */
#include "kernel/slow_file.h"

const char *slow_file_begin(struct slow_file *slow)
{
	int fd;

	strcpy(slow->directory, "/tmp/profil-slow-XXXXXX");
	slow->order = map_shared(PAGE);
	if (!mkdtemp(slow->directory) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return "needs root";
	if (access("/dev/fuse", F_OK) && system("modprobe -q fuse"))
		return "no fuse";
	fd = fuse_mount(slow->directory);
	if (fd < 0)
		return "no fuse";
	slow->server = fork();
	if (!slow->server)
		fuse_serve_by(fd, slow->order);
	close(fd);
	return NULL;
}

void *slow_file_map(struct slow_file *slow, unsigned int number)
{
	char name[64];
	void *at;
	int fd;

	snprintf(name, sizeof(name), "%s/file", slow->directory);
	fd = open(name, O_RDWR | O_CLOEXEC);
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
		  (off_t)(number * PAGE));
	close(fd);
	return at;
}

void slow_file_answer(struct slow_file *slow)
{
	__atomic_store_n(&slow->order->answer, 1, __ATOMIC_RELEASE);
}

void slow_file_end(struct slow_file *slow)
{
	if (slow->server > 0) {
		kill(slow->server, SIGKILL);
		wait_for(slow->server);
	}
	umount2(slow->directory, MNT_DETACH);
	rmdir(slow->directory);
}
