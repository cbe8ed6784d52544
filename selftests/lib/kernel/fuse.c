// SPDX-License-Identifier: GPL-2.0-only
/*
 * Serves a file system whose pages do not arrive.
 */
#include <fcntl.h>

#include "kernel/fuse.h"

static void fuse_reply(int fd, const struct fuse_in_header *to, int error, const void *data,
		       size_t bytes)
{
	char reply[8192];
	struct fuse_out_header head = {
		.len = sizeof(head) + (error ? 0 : bytes),
		.error = -error,
		.unique = to->unique,
	};

	memcpy(reply, &head, sizeof(head));
	if (bytes)
		memcpy(reply + sizeof(head), data, bytes);
	/* ENOENT: the reader was killed */
	if (write(fd, reply, head.len) < 0 && errno != ENOENT)
		perror("fuse");
}

static struct fuse_attr fuse_attributes(uint64_t node)
{
	bool is_file = node == FUSE_FILE;

	return (struct fuse_attr){
		.ino = node,
		.size = is_file ? FUSE_FILE_BYTES : 0,
		.mode = is_file ? S_IFREG | 0666 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void fuse_answer(int fd, const struct fuse_in_header *request)
{
	const struct fuse_init_in *init = (const void *)(request + 1);
	/*
	 * FUSE_ASYNC_READ, as in all servers: readers wait for the page lock, not for the request
	 */
	struct fuse_init_out ready = { .major = FUSE_KERNEL_VERSION, .max_write = 4096,
				       .flags = FUSE_ASYNC_READ, .max_readahead = 4096 };
	struct fuse_attr_out attr = { .attr = fuse_attributes(request->nodeid) };
	struct fuse_entry_out entry = { .nodeid = FUSE_FILE,
					.attr = fuse_attributes(FUSE_FILE) };
	struct fuse_open_out opened = { .fh = 1 };

	switch (request->opcode) {
	case FUSE_INIT:
		ready.minor = init->minor < FUSE_KERNEL_MINOR_VERSION ?
			      init->minor : FUSE_KERNEL_MINOR_VERSION;
		fuse_reply(fd, request, 0, &ready, sizeof(ready));
		break;
	case FUSE_GETATTR:
		fuse_reply(fd, request, 0, &attr, sizeof(attr));
		break;
	case FUSE_LOOKUP:
		fuse_reply(fd, request, 0, &entry, sizeof(entry));
		break;
	case FUSE_OPEN:
		fuse_reply(fd, request, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
	case FUSE_WRITE:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	default:
		fuse_reply(fd, request, ENOSYS, NULL, 0);
	}
}

void fuse_serve_by(int fd, struct fuse_order *order)
{
	static union {
		struct fuse_in_header head;
		char bytes[FUSE_MIN_READ_BUFFER + 4096];
	} request;
	static struct fuse_in_header waiting[FUSE_MOST_READS];
	static const char page[4096];
	struct pollfd came = { .fd = fd, .events = POLLIN };
	int nr = 0;

	for (;;) {
		while (order && nr && __atomic_load_n(&order->answer, __ATOMIC_ACQUIRE))
			fuse_reply(fd, &waiting[--nr], 0, page, sizeof(page));
		if (order && poll(&came, 1, 10) != 1)
			continue;
		if (read(fd, &request, sizeof(request)) < (ssize_t)sizeof(request.head))
			continue;
		fuse_answer(fd, &request.head);
		if (order && request.head.opcode == FUSE_READ && nr < FUSE_MOST_READS) {
			waiting[nr++] = request.head;
			__atomic_add_fetch(&order->reads, 1, __ATOMIC_RELEASE);
		}
		if (order && request.head.opcode == FUSE_WRITE)
			__atomic_add_fetch(&order->writes, 1, __ATOMIC_RELEASE);
	}
}

void fuse_serve(int fd)
{
	fuse_serve_by(fd, NULL);
}

int fuse_mount(const char *directory)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];

	if (fd < 0)
		return -1;
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
	if (!mount("profil", directory, "fuse", MS_NOSUID | MS_NODEV, options))
		return fd;
	close(fd);
	return -1;
}
