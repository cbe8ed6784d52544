/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running a function in a child process, where a crash does no harm: a damaged file, or one
 * that changes while it is mapped, may crash its reader.
 */
#ifndef PROFIL_ISOLATED_H
#define PROFIL_ISOLATED_H

/**
 * isolated_run - run a function in a child process
 * @work:   returns 0 or errno, at most 255. stdio's buffers are flushed after it returns
 * @data:   argument of @work
 * @killer: set to the signal that killed the child; 0: none
 *
 * If fork(2) fails, this process runs @work itself.
 *
 * Return: the return value of @work; 0 if a signal killed the child; EIO if waitpid(2) failed.
 */
int isolated_run(int (*work)(void *data), void *data, int *killer);

#endif /* PROFIL_ISOLATED_H */
