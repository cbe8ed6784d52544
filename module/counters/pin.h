/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinning user pages without waiting for them.
 */
#ifndef _PROFIL_PIN_H
#define _PROFIL_PIN_H

#include <linux/types.h>

struct address_space;
struct mm_struct;
struct page;

/* Do not wait for pages. */
int profil_pin_check_kind(struct mm_struct *mm, unsigned long start, unsigned long end);
int profil_pin_check(struct mm_struct *mm, unsigned long start, unsigned long end);
long profil_pin_pages(struct mm_struct *mm, unsigned long addr,
		      unsigned long nr, struct page **pages);

/* May sleep for as long as a page takes to arrive, without locks. */
int profil_pin_fault_in(struct mm_struct *mm, unsigned long addr);

/* May sleep, for memory and for the swap device. */
struct page *profil_pin_create_page(struct address_space *mapping, pgoff_t index);

#endif /* _PROFIL_PIN_H */
