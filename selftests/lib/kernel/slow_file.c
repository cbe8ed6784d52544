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

static int slow_file_open(struct slow_file *slow)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/file", slow->directory);
	return open(name, O_RDWR | O_CLOEXEC);
}

void *slow_file_map(struct slow_file *slow, unsigned int number)
{
	int fd = slow_file_open(slow);
	void *at;

	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)(number * PAGE));
	close(fd);
	return at;
}

static void *write_again(void *page)
{
	*(volatile char *)page = 2;
	return NULL;
}

bool slow_file_hold_fault(struct slow_file *slow)
{
	int fd = slow_file_open(slow);
	volatile char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_t thread;

	if (fd < 0 || page == MAP_FAILED)
		return false;
	/* the page may be read */
	slow_file_answer(slow);
	page[0] = 1;
	/* the write makes the page read-only, and a page under writeback stays so */
	if (sync_file_range(fd, 0, (off_t)PAGE, SYNC_FILE_RANGE_WRITE) ||
	    !EVENTUALLY(__atomic_load_n(&slow->order->writes, __ATOMIC_ACQUIRE) > 0) ||
	    pthread_create(&thread, NULL, write_again, (void *)page))
		return false;
	usleep(200000);
	return true;
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
		slow->server = 0;
	}
	umount2(slow->directory, MNT_DETACH);
	rmdir(slow->directory);
}
