// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counter that each dialect's manual page specifies.
 */
#include "profile/dialect_rules.h"

static int64_t byte_if_below(wide byte, uint64_t bytes)
{
	return byte + 2 <= (bytes & ~1ULL) ? (int64_t)byte : VECTOR_NONE;
}

static int64_t counter_if_below(wide number, uint64_t bytes)
{
	return number < bytes / 2 ? (int64_t)(2 * number) : VECTOR_NONE;
}

int64_t rule_solaris(wide d, uint32_t scale, uint64_t bytes)
{
	if (scale == 0 || scale == 1)
		return VECTOR_OFF;
	return byte_if_below((d * scale / 65536) & ~(wide)1, bytes);
}

int64_t rule_bsd(wide d, uint32_t scale, uint64_t bytes)
{
	if (scale > 65536)
		return VECTOR_EINVAL;
	if (scale == 0)
		return VECTOR_OFF;
	return byte_if_below(2 * ((d / 2) * scale / 65536), bytes);
}

int64_t rule_linux099(wide d, uint32_t scale, uint64_t bytes)
{
	if (bytes == 0 || scale < 2 || scale > INT32_MAX)
		return VECTOR_OFF;
	return byte_if_below((d * scale / 65536) & ~(wide)1, bytes);
}

int64_t rule_osf1(wide d, uint32_t scale, uint64_t bytes)
{
	return rule_solaris(d, scale, bytes);
}

int64_t rule_aix(wide d, uint32_t scale, uint64_t bytes)
{
	wide halfwords;

	scale %= 65536;
	if (scale == 0 || scale == 1)
		return VECTOR_OFF;
	/* shifted right by 16, rounded up to a halfword */
	halfwords = (d * scale / 65536 + 1) / 2;
	return counter_if_below(scale == 2 ? 0 : halfwords, bytes);
}

int64_t rule_svid(wide d, uint32_t scale, uint64_t bytes)
{
	if (scale == 0 || scale == 1)
		return VECTOR_OFF;
	/* all instructions onto the beginning; else the word that holds the product's byte */
	return byte_if_below(scale == 2 ? 0 : d * scale / 65536 / 2 * 2, bytes);
}

int64_t rule_glibc(wide d, uint32_t scale, uint64_t bytes)
{
	if (scale == 0)
		return VECTOR_OFF;
	return counter_if_below((d / 2) * scale / 65536, bytes);
}

dialect_rule *dialect_rule_of(const char *name)
{
	static const struct {
		const char *name;
		dialect_rule *rule;
	} rules[] = {
		{ "solaris", rule_solaris },	{ "bsd", rule_bsd },
		{ "linux099", rule_linux099 },	{ "osf1", rule_osf1 },
		{ "aix", rule_aix },		{ "svid", rule_svid },
		{ "glibc", rule_glibc },
	};
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!strcmp(name, rules[i].name))
			return rules[i].rule;
	return NULL;
}

/* A pc below the offset has no counter, but the scale can still turn profiling off. */
int64_t dialect_rule_result(dialect_rule *rule, const struct vector *row)
{
	int64_t result = rule(row->d < 0 ? 0 : (wide)row->d, row->scale, row->bufsiz);

	return row->d < 0 && result >= 0 ? VECTOR_NONE : result;
}

static uint64_t random_state;

void random_seed_vectors(uint64_t seed)
{
	random_state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t random_below(uint64_t bound)
{
	return random_u64() % bound;
}

uint64_t random_any(unsigned int bits)
{
	uint64_t power = 1ULL << random_below(bits);

	if (random_below(2))
		return random_u64() % (2 * power - 1);
	return power + random_below(5) - 2;
}

/* Near the first pc of a counter: the last one, any other one, or one after the buffer's end. */
static uint64_t random_distance(uint32_t scale, uint64_t bytes)
{
	static const unsigned int lengths[] = { 16, 31, 32, 33, 48 };
	uint64_t byte = random_below(2) ? bytes : random_below(bytes + 1), d;

	/* where a product of 32 bits, or an int, would wrap to a counter of the buffer */
	if (!random_below(16))
		byte += 1ULL << lengths[random_below(sizeof(lengths) / sizeof(*lengths))];
	/* byte * 65536 / scale, whose product has more than 64 bits */
	scale += !scale;
	d = (byte / scale << 16) + (byte % scale << 16) / scale + random_below(9);
	return d < 4 ? 0 : d - 4;
}

void random_vector(dialect_rule *rule, uint64_t bytes, unsigned int bits, struct vector *row)
{
	const uint64_t mask = (1ULL << bits) - 1;
	unsigned int size = 64 - (unsigned int)__builtin_clzll(bytes);

	row->scale = (uint32_t)random_any(random_below(4) ? 17 : 32);
	row->bufsiz = random_any(size);
	if (row->bufsiz > bytes)
		row->bufsiz = bytes;
	if (!random_below(16))
		row->d = -1 - (int64_t)(random_any(bits) & mask);
	else if (!random_below(4))
		row->d = (int64_t)(random_any(bits) & mask);
	else	/* AIX uses only 16 bits of the scale */
		row->d = (int64_t)(random_distance(rule == rule_aix ? row->scale % 65536 :
						   row->scale, row->bufsiz) & mask);
	row->result = dialect_rule_result(rule, row);
}
