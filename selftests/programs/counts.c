// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for comparisons: it adds up as many numbers as ROUNDS says, in millions. Its exit
 * status is STATUS if standard input has as many bytes as its argument says, else 1.
 */
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) unsigned int add_up(unsigned int n);
unsigned int add_up(unsigned int n)
{
	volatile unsigned int sum = 0;

	while (n--)
		sum += n;
	return sum;
}

int main(int argc, char **argv)
{
	ssize_t bytes = 0, more;
	char buffer[512];

	while ((more = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		bytes += more;
	add_up(ROUNDS * 1000000u);
	return argc < 2 || bytes == atoi(argv[1]) ? STATUS : 1;
}
