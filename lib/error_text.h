/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_ERROR_TEXT_H
#define PROFIL_ERROR_TEXT_H

/*
 * The text and the name of an errno, for messages. Signal handlers may call them. Inline, because
 * the dialect libraries cannot call hidden functions of libprofil. Needs _GNU_SOURCE.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifdef __GLIBC__
static inline const char *profil_error_text(int error)
{
	return strerrordesc_np(error);
}

static inline const char *profil_error_name(int error)
{
	return strerrorname_np(error);
}
#else
/* As in musl: strerror() returns a constant */
static inline const char *profil_error_text(int error)
{
	return strerror(error);
}

/* Those that the kernel returns for a file, and the module for an ioctl */
static inline const char *profil_error_name(int error)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {
#define PROFIL_NAME(error) { error, #error }
		PROFIL_NAME(E2BIG), PROFIL_NAME(EACCES), PROFIL_NAME(EAGAIN), PROFIL_NAME(EBADF),
		PROFIL_NAME(EBUSY), PROFIL_NAME(ECHILD), PROFIL_NAME(EDQUOT), PROFIL_NAME(EEXIST),
		PROFIL_NAME(EFAULT), PROFIL_NAME(EFBIG), PROFIL_NAME(EINTR), PROFIL_NAME(EINVAL),
		PROFIL_NAME(EIO), PROFIL_NAME(EISDIR), PROFIL_NAME(ELOOP), PROFIL_NAME(EMFILE),
		PROFIL_NAME(EMLINK), PROFIL_NAME(ENAMETOOLONG), PROFIL_NAME(ENFILE),
		PROFIL_NAME(ENODEV), PROFIL_NAME(ENOENT), PROFIL_NAME(ENOEXEC), PROFIL_NAME(ENOMEM),
		PROFIL_NAME(ENOSPC), PROFIL_NAME(ENOSYS), PROFIL_NAME(ENOTDIR), PROFIL_NAME(ENOTTY),
		PROFIL_NAME(ENXIO), PROFIL_NAME(EOPNOTSUPP), PROFIL_NAME(EOVERFLOW),
		PROFIL_NAME(EPERM), PROFIL_NAME(EPIPE), PROFIL_NAME(ERANGE), PROFIL_NAME(EROFS),
		PROFIL_NAME(ESRCH), PROFIL_NAME(ESTALE), PROFIL_NAME(ETXTBSY), PROFIL_NAME(EUSERS),
		PROFIL_NAME(EXDEV),
#undef PROFIL_NAME
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].error == error)
			return names[i].name;
	return "unknown error";
}
#endif

#endif /* PROFIL_ERROR_TEXT_H */
