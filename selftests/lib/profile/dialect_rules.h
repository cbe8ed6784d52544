/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counter that each dialect's manual page specifies, and random cases of it. Written from the
 * formulas of the pages alone, without code of the library or the module, so that it does not share
 * their mistakes.
 */
#ifndef SELFTESTS_DIALECT_RULES_H
#define SELFTESTS_DIALECT_RULES_H

#include "profile/vectors.h"

/* Holds the product of a distance and a scale. In a 32-bit program, distances have 32 bits. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide;
#define DISTANCE_BITS	63
#else
typedef uint64_t wide;
#define DISTANCE_BITS	32
#endif

/*
 * @d: distance of the pc from the offset. @bytes: the size of the buffer. Return: the byte of the
 * buffer at which the pc's counter begins, or VECTOR_*.
 */
typedef int64_t dialect_rule(wide d, uint32_t scale, uint64_t bytes);

dialect_rule rule_solaris, rule_bsd, rule_linux099, rule_osf1, rule_aix, rule_svid,
	rule_glibc;

/* The rule of the dialect @name, or NULL. */
dialect_rule *dialect_rule_of(const char *name);

/* The result of the rule for row->d, which may be negative, row->scale and row->bufsiz. */
int64_t dialect_rule_result(dialect_rule *rule, const struct vector *row);

/* Random numbers; each @seed gives other ones, and the same in each run. */
void random_seed_vectors(uint64_t seed);

/* Of any number of bits up to @bits; often a power of two, or close to one. */
uint64_t random_any(unsigned int bits);

/*
 * A random row for a rule, with its result. Its buffer has at most @bytes bytes, and the distance
 * at most @bits bits. Most distances are near the first pc of a counter.
 */
void random_vector(dialect_rule *rule, uint64_t bytes, unsigned int bits, struct vector *row);

#endif /* SELFTESTS_DIALECT_RULES_H */
