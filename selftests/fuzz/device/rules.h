/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results that uapi/linux/profil.h allows, derived from its text alone.
 */
#ifndef FUZZ_RULES_H
#define FUZZ_RULES_H

#include <stdint.h>

#include <linux/profil.h>

/* Sets of results: success and the documented errors */
#define MAY_SUCCEED	(1U << 0)
#define MAY_ENOTTY	(1U << 1)
#define MAY_EFAULT	(1U << 2)
#define MAY_E2BIG	(1U << 3)
#define MAY_EINVAL	(1U << 4)
#define MAY_EOPNOTSUPP	(1U << 5)
#define MAY_EPERM	(1U << 6)
#define MAY_ENOMEM	(1U << 7)
#define MAY_ENOSPC	(1U << 8)
#define MAY_EBUSY	(1U << 9)
#define MAY_EBADF	(1U << 10)
#define MAY_ESRCH	(1U << 11)
#define MAY_EAGAIN	(1U << 12)
#define NR_RESULTS	13

/* End of user memory; the kernel's half begins here or above */
#define USER_TOP	0x7ffffffff000ULL

#define MAY_FAIL_FOR_MEMORY (MAY_EFAULT | MAY_EOPNOTSUPP | MAY_ENOMEM | MAY_ENOSPC)

/* The bit of a result; 0: undocumented error */
unsigned int result_bit(int error);

const char *result_name(unsigned int nr);

/* Results by the size of the structure; @tail: whether unknown fields are not 0 */
unsigned int rules_for_size(unsigned long command, uint64_t size, int tail);

/* Results of START. @regions: NULL if the pointer is invalid. @info: for the caller, now */
unsigned int rules_for_start(const struct profil_start *start,
			     const struct profil_region *regions,
			     const struct profil_info *info);

/*
 * Errors that the fields of an ATTACH require, except those of the process. @first: the first
 * call on the same open file; NULL: none. @info: for the caller, now
 */
unsigned int rules_for_attach(const struct profil_attach *attach,
			      const struct profil_attach *first,
			      const struct profil_info *info);

#endif /* FUZZ_RULES_H */
