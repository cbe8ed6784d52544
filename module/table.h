/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_TABLE_H
#define _PROFIL_TABLE_H

struct mm_struct;
struct profil_session;

bool profil_table_may_have(const struct mm_struct *mm);
struct profil_session *profil_table_find(const struct mm_struct *mm);
struct profil_session *profil_table_publish(struct profil_session *session);
struct profil_session *
profil_table_withdraw(const struct mm_struct *mm,
		      const struct profil_session *only);

#endif /* _PROFIL_TABLE_H */
