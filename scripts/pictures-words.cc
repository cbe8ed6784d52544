// SPDX-License-Identifier: GPL-2.0-only
// The program in the pictures (scripts/pictures): counts the words of a text, and sorts them, N times.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using Counts = std::unordered_map<std::string, unsigned>;

__attribute__((noinline)) static Counts count_words(std::istream &in)
{
	Counts counts;
	std::string line, word;

	while (std::getline(in, line)) {
		for (unsigned char c : line + ' ') {
			if (std::isalpha(c)) {
				word += static_cast<char>(std::tolower(c));
			} else if (!word.empty()) {
				++counts[word];
				word.clear();
			}
		}
	}
	return counts;
}

__attribute__((noinline)) static std::vector<std::string> by_number(const Counts &counts)
{
	std::vector<std::string> words;

	for (const auto &count : counts)
		words.push_back(count.first);
	std::sort(words.begin(), words.end(), [&](const auto &a, const auto &b) {
		return counts.at(a) > counts.at(b);
	});
	return words;
}

int main(int, char **argv)
{
	for (int n = std::stoi(argv[2]); n; n--) {
		std::ifstream in(argv[1]);
		const Counts counts = count_words(in);

		for (const auto &word : by_number(counts))
			std::cout << counts.at(word) << ' ' << word << '\n';
	}
}
