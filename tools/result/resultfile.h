/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Result files: their format, and reading and writing them. profil.proto describes the
 * format.
 */
#ifndef PROFIL_RESULTFILE_H
#define PROFIL_RESULTFILE_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "result/read_file.h"
#include "result/result.h"

#define RESULTFILE_DEFAULT	"profil.out"

/* Standard input, to resultfile_read() */
#define RESULTFILE_STDIN	READ_FILE_STDIN

/*
 * Check whether a result can be written. Called before the run, whose samples would be lost
 * otherwise. Writes nothing. Return: 0 or -errno; -EACCES: also for a symbolic link of another user
 * that the kernel does not follow; -EPERM: a file of another user in a sticky directory; -EBUSY: a
 * mount point.
 */
int resultfile_try(const char *path);

/**
 * resultfile_write - write a result
 * @result: folded if it is larger than resultfile_read() accepts (fold.h)
 * @path:   path of the file. An existing regular file is replaced atomically, and the new one
 *          gets its permissions. Symbolic links are followed as the kernel follows them.
 *          Special files such as /dev/null are written to
 * @left:   set to the path of the new file if it was written but could not be moved to
 *          @path, to be freed with free(); else to NULL
 * @unkept: NULL: delete the old file. Else it is renamed to its name and ".old"; set to 0, or
 *          to the -errno of renaming, which does not fail the write
 *
 * Return: 0 or -errno; -EMSGSIZE: larger than resultfile_read() accepts; -ESTALE: the file was
 * moved away during the write.
 */
int resultfile_write(const char *path, struct result *result, char **left, int *unkept);

/* Write a result to a descriptor, where that is in its file. Return: 0 or -errno. */
int resultfile_write_to(int fd, struct result *result);

/**
 * struct resultfile - the file that a run writes, and replaces by later results
 * @path:       its path; NULL: there is none
 * @is_written: it has a result of this run, which need not be kept when it is replaced
 * @seen:       what it was when this run looked at it, or wrote it; all zero: there was none
 */
struct resultfile {
	const char *path;
	bool is_written;
	struct resultfile_seen {
		dev_t device;
		ino_t inode;
		struct timespec mtime;
	} seen;
};

/* Look at the file before the run, or when another process has written it for this one. */
void resultfile_look(struct resultfile *file);

/**
 * resultfile_replace - write a result of a run
 * @is_last: false: it will be replaced soon: the file is larger, and takes a fraction of the time
 * @left:    as for resultfile_write()
 *
 * Says so if another run has written the file meanwhile, and keeps that, as what was there before.
 *
 * Return: as resultfile_write().
 */
int resultfile_replace(struct resultfile *file, struct result *result, bool is_last,
		       char **left);

/*
 * What to do after an error of resultfile_try() or resultfile_write(), in options of `profil run'.
 */
const char *resultfile_remedy(int error);

/**
 * resultfile_read - read a result
 * @path:   path of a regular file, or RESULTFILE_STDIN, which may also be a pipe
 * @result: filled in; must be released with result_release(), even on error
 * @why:    on -EBADMSG, set to what is wrong, with a remedy if there is one
 *
 * The file may contain anything. A manipulated file can at worst cause a wrong report. No more
 * memory is used than the largest result needs.
 *
 * Return: 0; -EBADMSG: not a valid result file; or another -errno.
 */
int resultfile_read(const char *path, struct result *result, const char **why);

/* Return: whether a file begins as a result does. */
bool resultfile_is_result(const char *path);

/* Print that a result cannot be written. @error: -errno; @what: "the result" */
void resultfile_explain_unwritten(const char *path, int error, const char *what);

/* Print that the previous result was not kept. @error: -errno */
void resultfile_explain_unkept(const char *path, int error);

#endif /* PROFIL_RESULTFILE_H */
