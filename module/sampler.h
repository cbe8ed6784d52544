/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_SAMPLER_H
#define _PROFIL_SAMPLER_H

#include <linux/types.h>

struct profil_session;

void profil_sample(struct profil_session *session, u64 ticks);

#endif /* _PROFIL_SAMPLER_H */
