/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_NOTIFIER_H
#define _PROFIL_NOTIFIER_H

#include <linux/mmu_notifier.h>

extern const struct mmu_interval_notifier_ops profil_notifier_ops;

#endif /* _PROFIL_NOTIFIER_H */
