/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_ADDRESSES_H
#define PROFIL_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/symbolize.h"
#include "symbol/symbols.h"

struct addresses;

/**
 * addresses_new - prepare to name addresses
 * @find:     finds the function of an address
 * @symbols:  first argument of @find; must outlive the addresses
 * @demangle: demangles names; NULL: they stay mangled
 *
 * Return: addresses to be given to addresses_free(); NULL: no memory.
 */
struct addresses *addresses_new(symbols_find_fn *find, void *symbols,
				symbolize_demangle_fn *demangle);

/**
 * addresses_find - name an address; a symbols_find_fn
 * @function:  filled in with the address as a function, named after the address and, if it is
 *             in a function with a name, that name: "0x1234 main"
 *
 * Return: 1; -ENOMEM; or an error of @find.
 */
int addresses_find(void *addresses, size_t object, uint64_t address,
		   struct function *function);

/* Free all names. */
void addresses_free(struct addresses *addresses);

#endif /* PROFIL_ADDRESSES_H */
