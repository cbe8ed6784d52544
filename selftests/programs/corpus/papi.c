/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of scales of PAPI_profil(3), which is designed to mimic profil(2) of System V Release
 * 4: how many addresses of instructions share a bucket. One of them is for more than profil()
 * could do there: a bucket for each address.
 */
void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset,
	     unsigned int scale);

#include "../pages/page.h"

static const struct {
	unsigned int scale;
	unsigned int addresses;	/* for each bucket */
} table[] = {
	{ 0x20000, 1 },
	{ 0x10000, 2 },
	{ 0xffff, 2 },
	{ 0x8000, 4 },
	{ 0x4000, 8 },
	{ 0x1000, 32 },
	{ 0x0002, 65536 },
};

/* The instruction is counted in the bucket of this distance from the offset. */
static void distance_has_bucket(unsigned int distance, unsigned int scale, unsigned int bucket)
{
	choose(distance, scale);
	profil((unsigned short *)(void *)buffer, SIZE, OFFSET, SCALE);
	must_count((int)(2 * bucket));
}

int main(int argc, char **argv)
{
	unsigned int i, addresses;

	begin(argc, argv);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		addresses = table[i].addresses;
		doing = "first address of the third bucket";
		/*
		 * "approximately two" for 0xffff: the product is rounded down to the bucket before
		 */
		distance_has_bucket(2 * addresses + (table[i].scale == 0xffff), table[i].scale, 2);
		doing = "last address of the third bucket";
		distance_has_bucket(3 * addresses - 1, table[i].scale, 2);
	}
	return 0;
}
