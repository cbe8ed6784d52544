/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_REPAIR_H
#define _PROFIL_REPAIR_H

struct profil_session;

/* May sleep; under the session's service_mutex. */
void profil_repair(struct profil_session *session);

#endif /* _PROFIL_REPAIR_H */
