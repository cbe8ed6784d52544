// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The native interface: the kernel's commands for C programs.
 */
#include <errno.h>
#include <stdint.h>

#include "call.h"
#include "profil.h"

/* As documented in profil.h. */
int profil_start(const struct profil_attr *attr)
{
	struct profil_start start = {
		.flags = attr->flags,
		.rate = attr->rate,
		.clock = attr->clock,
		.width = attr->width ? attr->width : 32,
		.overflow = attr->overflow,
		.nr_regions = (uint32_t)attr->nr_regions,
		.regions = (uintptr_t)attr->regions,
		.limit = attr->limit,
		.catch_all = (uintptr_t)attr->catch_all,
		.log = (uintptr_t)attr->log,
		.log_bytes = attr->log_bytes,
	};

	if (attr->nr_regions > UINT32_MAX)
		return profil_call_return(-E2BIG);
	return profil_call_return(profil_call_start(&start));
}

/* As documented in profil.h. */
int profil_stop(struct profil_status *status)
{
	struct profil_status unwanted;

	return profil_call_return(profil_call_stop(status ? status :
							    &unwanted));
}

/* As documented in profil.h. */
int profil_status(struct profil_status *status)
{
	return profil_call_return(profil_call_status(status));
}

/* As documented in profil.h. */
int profil_set_rate(unsigned int hz)
{
	return profil_call_return(profil_call_set_rate(hz));
}
