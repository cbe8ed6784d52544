/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profiling library of Solaris' runtime linker (LD_PROFILE), written anew from ld.so.1(1): the
 * text of a shared object is profiled into a file, which all processes that use the object map and
 * share; each adds to it. The object's address has the size of a pointer.
 *
 * usage: ldprof FILE	the file is created if it does not exist
 *
 * The object is the program itself, which is position-independent.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include <unistd.h>	/* of the dialect: profil() takes addresses of full width */

#include "corpus.h"

#define HALF		0x8000	/* a counter of 2 bytes for 4 of text */

struct header {
	unsigned int magic;
	unsigned int processes;
};

static char *start_of_text;
static size_t bytes_of_text;

static int find_text(struct dl_phdr_info *object, size_t size, void *unused)
{
	int i;

	(void)size;
	(void)unused;
	for (i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
			start_of_text = (char *)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
			bytes_of_text = object->dlpi_phdr[i].p_memsz;
		}
	return 1;	/* the program is the first object */
}

static long total(const unsigned short *counters, size_t bytes)
{
	long sum = 0;
	size_t i;

	for (i = 0; i < bytes / sizeof(*counters); i++)
		sum += counters[i];
	return sum;
}

#define MS	200

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
	unsigned short *counters;
	struct header *header;
	long before, after;
	size_t bytes;

	dl_iterate_phdr(find_text, NULL);
	bytes = bytes_of_text / 2;
	if (fd < 0 || ftruncate(fd, (off_t)(sizeof(*header) + bytes))) {
		perror("# ldprof: file");
		return 1;
	}
	header = (struct header *)mmap(NULL, sizeof(*header) + bytes, PROT_READ | PROT_WRITE,
				       MAP_SHARED, fd, 0);
	if (header == MAP_FAILED) {
		perror("# ldprof: mmap");
		return 1;
	}
	header->processes++;
	counters = (unsigned short *)(header + 1);
	before = total(counters, bytes);
	profil(counters, bytes, (size_t)start_of_text, HALF);
	STAY(MS);
	after = total(counters, bytes);
	printf("# process %u: %ld samples in the file, then %ld\n", header->processes, before, after);
	check(after - before > rate() * MS / 1000 / 2, "the process has added", after - before);
	check(header->processes == 1 ? !before : before > 0, "of earlier processes, the file has",
	      before);
	return errors;
}
