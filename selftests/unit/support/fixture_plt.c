// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library that calls functions of others by each kind of stub. No test runs it.
 */
int alpha(int number), beta(int number), pointed_to(int number), second(int number);
int (*address_of(int number))(int number), work(int number);

static int chosen_one(int number)
{
	return number + 1;
}

static int (*choose(void))(int number)
{
	return chosen_one;
}

/* A stub whose address this file computes */
__attribute__((visibility("hidden"))) int chosen(int number) __attribute__((ifunc("choose")));

/* With their addresses in slots of data, GNU ld calls them by stubs in .plt.got */
int (*address_of(int number))(int number)
{
	return number ? pointed_to : second;
}

int work(int number)
{
	return alpha(number) + beta(number) + pointed_to(number) + second(number) + chosen(number);
}
