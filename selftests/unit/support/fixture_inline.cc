// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined functions of all kinds: nested, templates, lambdas, in blocks, in code that is seldom
 * executed and therefore elsewhere, with and without a name for the linker.
 */
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

template <typename T>
struct grid {
	std::vector<T> cells;
	size_t width;

	grid(size_t w, size_t h) : cells(w * h), width(w) {}
	T &at(size_t x, size_t y) { return cells[y * width + x]; }
	T sum() const
	{
		T all{};

		for (const T &cell : cells)
			all += cell;
		return all;
	}
};

namespace {
struct key {
	int n;

	bool operator<(const key &other) const { return n < other.n; }
};
}

static inline int twist(int n)
{
	return n * 7 ^ (n >> 3);
}

static __attribute__((noinline)) int blocks(int n)
{
	int all = 0;

	for (int i = 0; i < n; i++) {
		int once = twist(i);

		if (once & 1) {
			int twice = twist(once);

			all += twice;
		} else {
			all ^= once;
		}
	}
	return all;
}

static volatile int seen;

/* More levels than are shown, each with code of its own */
template <int level>
static inline __attribute__((always_inline)) int deep(int n)
{
	seen = n;
	return deep<level - 1>(n * 3 + level) ^ n;
}

template <>
inline __attribute__((always_inline)) int deep<0>(int n)
{
	seen = n;
	return n / 7;
}

int use(int n)
{
	std::map<key, std::string> map;
	std::vector<int> numbers(n);
	grid<double> diagonal(n, n);
	int last = 0;

	for (int i = 0; i < n; i++)
		map[key{ twist(i) }] += "x";
	std::generate(numbers.begin(), numbers.end(), [&] {
		last++;
		return twist(last) + blocks(last);
	});
	std::sort(numbers.begin(), numbers.end(), [](int a, int b) {
		return twist(a) < twist(b);
	});
	for (int i = 0; i < n; i++)
		diagonal.at(i, i) = numbers[i];
	if (n < 0)
		throw std::string("seldom");
	return deep<40>(n) + (int)diagonal.sum() + (int)map.size();
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", use(argc * 10));
	return 0;
}
