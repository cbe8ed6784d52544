// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose lines take long to read: named() has LINES rows of a line table. It waits
 * for a byte on standard input, uses CPU time for 0.1 s, waits for another byte, and exits with 37.
 */
#include <time.h>
#include <unistd.h>

#define TEXT(text)	#text
#define NUMBER(number)	TEXT(number)

/* The line table and its unit, of DWARF 2. A row of the special opcode 11 has the address before. */
__asm__(".section .debug_abbrev,\"\",@progbits\n"
	".byte 1, 0x11, 0,  0x10, 0x17,  0x11, 1,  0x12, 7,  0, 0,  0\n"
	".section .debug_info,\"\",@progbits\n"
	".long 2f - 1f\n"
	"1: .short 4\n"
	".long 0\n"
	".byte 8, 1\n"
	".long 0\n"
	".quad named\n"
	".quad 4096\n"
	"2:\n"
	".section .debug_line,\"\",@progbits\n"
	".long 4f - 3f\n"
	"3: .short 2\n"
	".long 6f - 5f\n"
	"5: .byte 1, 1, -1, 4, 10,  0, 1, 1, 1, 1, 0, 0, 0, 1,  0\n"
	".asciz \"named.c\"\n"
	".byte 0, 0, 0,  0\n"
	"6: .byte 0, 9, 2\n"
	".quad named\n"
	".fill " NUMBER(LINES) ", 1, 11\n"
	".byte 2, 0x80, 0x20, 0, 1, 1\n"
	"4:\n"
	".text\n");

void named(void);
void named(void)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 10;
	volatile int i;

	while (clock() < end)
		for (i = 0; i < 100000; i++)
			;
}

int main(void)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	named();
	return read(STDIN_FILENO, &byte, 1) == 1 ? 37 : 1;
}
