// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that begin at odd addresses, as with gcc -Os: twice as much CPU time is in odd() as in
 * even(), and none in next_to(), which is in the same four bytes as the start of odd().
 */
#define TIMES	25000000ul	/* two instructions each */

void odd(unsigned long times);
void even(unsigned long times);

#define LOOP(name)				\
	".type " name ", @function\n"		\
	name ":\n"				\
	"1:	dec %rdi\n"			\
	"	jnz 1b\n"			\
	"	ret\n"				\
	".size " name ", . - " name "\n"

__asm__(".text\n"
	".balign 16\n"
	".type next_to, @function\n"
	"next_to:\n"
	"	ret\n"
	".size next_to, . - next_to\n"
	LOOP("odd")
	".balign 16\n"
	LOOP("even"));

int main(void)
{
	odd(2 * TIMES);
	even(TIMES);
	return 0;
}
