// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes files that can be executed.
 */
#include "executable.h"

int make_directory(char *dir, size_t bytes)
{
	static const char *const places[] = { "/tmp", "/dev/shm", "/run" };
	struct statvfs fs;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (statvfs(places[i], &fs) || fs.f_flag & (ST_NOSUID | ST_NOEXEC | ST_RDONLY))
			continue;
		snprintf(dir, bytes, "%s/profil-XXXXXX", places[i]);
		if (mkdtemp(dir))
			return chmod(dir, 0755);
	}
	return -1;
}

int make_file(const char *path, const char *text, size_t bytes, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	size_t done = 0;

	while (fd >= 0 && done < bytes) {
		ssize_t nr = write(fd, text + done, bytes - done);

		if (nr <= 0)
			break;
		done += (size_t)nr;
	}
	return fd < 0 || done < bytes || fchmod(fd, mode) || close(fd) ? -1 : 0;
}

int copy_program(const char *path)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	off_t bytes = lseek(fd, 0, SEEK_END);
	void *text = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	int error = text == MAP_FAILED ||
		    make_file(path, text, (size_t)bytes, 0755);

	munmap(text, (size_t)bytes);
	close(fd);
	return error;
}
