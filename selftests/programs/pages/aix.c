/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil subroutine, AIX Technical Reference, written from its page alone. The page declares two
 * forms of one function, without prototypes: in C, a declaration without parameter types.
 */
#ifdef PROFIL_PAGE_TYPES
#include <mon.h>
#else
typedef unsigned short HISTCOUNTER;

struct prof {
	char *p_low;		/* caddr_t */
	char *p_high;
	HISTCOUNTER *p_buff;
	int p_bufsize;
	unsigned int p_scale;	/* uint */
};
#endif

#ifdef __cplusplus
void profil(unsigned short *ShortBuffer, unsigned int BufferSize, unsigned long Offset,
	    unsigned int Scale);
void profil(struct prof *ProfBuffer, unsigned int BufferSize, unsigned long Offset,
	    unsigned int Scale);
#else
void profil();
#endif

#include "steps.h"

#define LONG_OFFSET	((unsigned long)OFFSET)

static struct prof ranges[3];

static void call(unsigned int size, unsigned int scale)
{
	errno = 0;
	profil((unsigned short *)buffer, size, LONG_OFFSET, scale);
	if (errno)
		fail("errno", errno);
}

static void on(void)
{
	call(SIZE, SCALE);
}

/* Offset and Scale are ignored. */
static void call_ranges(struct prof *array)
{
	errno = 0;
	profil(array, -1, LONG_OFFSET, SCALE);
	if (errno)
		fail("errno", errno);
}

/* Two ranges; the second contains the instruction in its last bytes. */
static void set_ranges(unsigned int scale)
{
	memset(ranges, 0, sizeof(ranges));
	ranges[0].p_low = at(-0x300);
	ranges[0].p_high = at(-0x200);
	ranges[0].p_buff = (HISTCOUNTER *)buffer;
	ranges[0].p_bufsize = 0x100;
	ranges[0].p_scale = -1;
	ranges[1].p_low = at(-0x1ff);
	ranges[1].p_high = at(1);
	ranges[1].p_buff = (HISTCOUNTER *)(buffer + 0x100);
	ranges[1].p_bufsize = 0x100;
	ranges[1].p_scale = scale;
	ranges[2].p_low = (char *)1;
	ranges[2].p_bufsize = -1;
}

static void forms(void)
{
	static struct prof none;

	doing = "p_scale -1, and the last pc of the range";
	set_ranges(-1);
	call_ranges(ranges);
	must_count(0x1fe);
	doing = "off by the other form";
	call(SIZE, 0);
	must_count(0x1fe);
	doing = "BufferSize 0, of the other form";
	call(0, SCALE);
	must_count(0x1fe);
	doing = "on while on";
	call(SIZE, SCALE);
	must_count(0x1fe);
	doing = "fork, second form";
	must_count_in_child(0x1fe);
	doing = "p_high 0";
	none.p_low = (char *)1;
	call_ranges(&none);
	must_be_off();
	doing = "off while off";
	call_ranges(&none);
	must_be_off();
	doing = "p_buff with a hole between two";
	set_ranges(-1);
	ranges[1].p_buff = (HISTCOUNTER *)(buffer + 0x200);
	call_ranges(ranges);
	must_count(0x2fe);
	call_ranges(&none);
	must_be_off();
	doing = "p_scale 2";
	set_ranges(2);
	call_ranges(ranges);
	must_count(0x100);
	call_ranges(&none);
	must_be_off();
	doing = "a p_buff that is not valid";
	set_ranges(-1);
	ranges[0].p_buff = (HISTCOUNTER *)64;
	errno = 0;
	profil(ranges, -1, 0, 0);
	if (errno != EFAULT)
		fail("EFAULT expected, errno is", errno);
	must_be_off();
	doing = "p_high not in ascending order";
	ranges[0].p_high = at(2);
	errno = 0;
	profil(ranges, -1, 0, 0);
	if (errno != EINVAL)
		fail("EINVAL expected, errno is", errno);
	must_be_off();
}

int main(int argc, char **argv)
{
	begin(argc, argv);

	must_count_at("0xFFFF maps each pair of bytes to a short", 3, 0xffff, 2);
	call(SIZE, 0);
	must_count_at("0x7FFF maps about four bytes, and rounds up", 7, 0x7fff, 4);
	call(SIZE, 0);
	must_count_at("0x0002 maps all to one location", 0x12345, 2, 0);
	call(SIZE, 0);
	doing = "asleep";
	choose(0x12345, 2);
	on();
	must_not_count_asleep();
	call(SIZE, 0);
	must_count_at("the last short of the buffer", BYTES - 1, 0xffff, BYTES - 2);
	call(SIZE, 0);
	must_count_at("beyond the buffer", BYTES, 0xffff, NOWHERE);
	call(SIZE, 0);
	must_count_at("below Offset", -2u, 0xffff, NOWHERE);
	call(SIZE, 0);
	doing = "an Offset of 0: text begins at 0";
	profil(large, sizeof(large), 0UL, 3);
	must_count_in_large(0x6000);	/* 0x20000404 * 3 / 65536 */
	call(SIZE, 0);
	must_count_at("the high 16 bits of Scale", 0x35, 0x56000, 20);

	doing = "a Scale of 0";
	call(SIZE, 0);
	must_restart(20);
	doing = "a Scale of 1";
	call(SIZE, 1);
	must_restart(20);
	doing = "a BufferSize of 0";
	call(0, SCALE);
	must_restart(20);
	doing = "on while on";
	profil((unsigned short *)(buffer + 2), SIZE - 2, LONG_OFFSET, SCALE);
	must_count(20);
	must_count_after_fork_and_exec(20);
	must_count_after_fault(20);
	doing = "USHRT_MAX";
	*counter(20) = 65530;
	spin(LONG_TIME);
	if (*counter(20) != 65535)
		fail("counter is", *counter(20));
	*counter(20) = 0;
	call(SIZE, 0);
	must_be_off();

	doing = "an address that is not valid";
	errno = 0;
	profil((unsigned short *)64, SIZE, LONG_OFFSET, SCALE);
	if (errno != EFAULT)
		fail("EFAULT expected, errno is", errno);
	must_be_off();
	doing = "a ProfBuffer that is not valid";
	errno = 0;
	profil((struct prof *)64, -1, 0, 0);
	if (errno != EFAULT)
		fail("EFAULT expected, errno is", errno);
	must_be_off();
	forms();
	return 0;
}
