#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the source lines that the command finds with those of addr2line (binutils), at random
# code addresses of the given programs, or of programs that this script builds with the compilers of
# this machine (scripts/deps/install lines).
#
# usage: lines_comparison.py [--seed N] [--addresses N] [PROGRAM...]
#
# addr2line of binutils 2.40 has bugs: it prints the file of the unit for an inlined function, and
# finds no line in some units with split DWARF. So a line that llvm-symbolizer finds too is right.
# Prints all differences. Exit status: 0 if each line agrees with one of the two, otherwise 1.

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SELFTESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

CXX = r'''
#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <string>
#include <vector>
int main(int argc, char **argv)
{
	std::map<std::string, int> words;
	std::regex word("[a-z]+");
	for (int i = 0; i < argc; i++) {
		std::string text(argv[i]);
		for (std::sregex_iterator w(text.begin(), text.end(), word), end; w != end; ++w)
			words[w->str()]++;
	}
	std::vector<std::pair<int, std::string>> order;
	for (auto &w : words)
		order.push_back({ w.second, w.first });
	std::sort(order.begin(), order.end());
	for (auto &o : order)
		printf("%d %s\n", o.first, o.second.c_str());
}
'''
GO = r'''
package main
// int answer(int n) { int s = 0; while (n--) s += n ^ s << 1; return s; }
import "C"
import (
	"fmt"
	"os"
	"regexp"
	"sort"
)
func main() {
	words := map[string]int{}
	for _, text := range os.Args {
		for _, word := range regexp.MustCompile("[a-z]+").FindAllString(text, -1) {
			words[word]++
		}
	}
	keys := []string{}
	for key := range words {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	fmt.Println(keys, C.answer(3))
}
'''
RUST = r'''
use std::collections::BTreeMap;
fn main() {
    let mut words: BTreeMap<String, u32> = BTreeMap::new();
    for text in std::env::args() {
        for word in text.split(' ') {
            *words.entry(word.to_lowercase()).or_insert(0) += 1;
        }
    }
    println!("{:?}", words);
}
'''
# The sources of a C program: the part of the command that finds lines
SOURCES = ['tools/%s.c' % name for name in
           ('symbol/symbols', 'symbol/debugfile', 'symbol/debuginfod', 'symbol/functions',
            'symbol/units', 'symbol/ranges', 'symbol/ehframe', 'util/objectfile',
            'result/result', 'util/escape', 'util/failure', 'util/terminal')]


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def build(directory):
    """Return: paths of programs, by the name of what they are an example of."""
    root = os.path.dirname(SELFTESTS)
    own = [os.path.join(root, source) for source in SOURCES]
    own.append(os.path.join(SELFTESTS, 'unit/support/print_lines.c'))
    flags = ['-std=gnu11', *('-I' + os.path.join(root, place) for place in ('tools', 'uapi'))]
    libraries = ['-ldw', '-lelf', '-lm', '-lz']
    cxx = write(directory, 'words.cc', CXX)
    go = write(directory, 'words.go', GO)
    rust = write(directory, 'words.rs', RUST)
    commands = {
        'gcc-c++': ['g++', '-O2', '-g', cxx],
        'gcc-c++-sections': ['g++', '-Os', '-g', '-ffunction-sections', '-Wl,--gc-sections',
                             '-static', cxx],
        'gcc-split': ['gcc', '-O2', '-g', '-gsplit-dwarf', *flags, *own, *libraries],
        'gcc-lto': ['gcc', '-O2', '-g', '-flto', *flags, *own, *libraries],
        'gcc-dwarf4': ['gcc', '-O2', '-gdwarf-4', *flags, *own, *libraries],
        'clang': ['clang', '-O2', '-g', *flags, *own, *libraries],
        'clang-split-lld': ['clang', '-O2', '-g', '-gsplit-dwarf', '-fuse-ld=lld',
                            '-ffunction-sections', '-Wl,--gc-sections', *flags, *own,
                            *libraries],
        'go-cgo-pie': ['go', 'build', '-buildmode=pie', go],
        'rust': ['rustc', '-O', '-g', rust],
    }
    programs = {}
    for name, command in commands.items():
        if not shutil.which(command[0]):
            print('%-16s skipped: %s is not installed' % (name, command[0]))
            continue
        program = os.path.join(directory, name)
        command[2:2] = ['-o', program]
        subprocess.run(command, cwd=directory, check=True,
                       env={**os.environ, 'GOCACHE': os.path.join(directory, 'cache'),
                            'GO111MODULE': 'off'})
        programs[name] = program
    return programs


def code_of(program):
    """Return: (address, bytes) of the sections with code."""
    text = subprocess.run(['readelf', '-SW', program], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    sections = re.findall(r' PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \d+ +\w*X', text)
    return [(int(address, 16), int(size, 16)) for address, size in sections]


def run_on_addresses(command, addresses):
    """Return: the output lines of a command that reads addresses."""
    output = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                            input=''.join('0x%x\n' % address for address in addresses))
    return output.stdout.splitlines()


def innermost(lines):
    """Return: the first line of each address in the output of addr2line -a -i."""
    return [line for before, line in zip(lines, lines[1:]) if before.startswith('0x')]


def normal(line):
    line = re.sub(r' \(discriminator \d+\)$', '', line)
    # no line number: unknown
    if re.search(r':(0|\?)$', line):
        return '??:0'
    file, _, number = line.rpartition(':')
    return os.path.normpath(file) + ':' + number


def compare(name, program, arguments):
    """Return: how many lines agree with neither addr2line nor llvm-symbolizer."""
    chance = random.Random(arguments.seed)
    code = code_of(program)
    addresses = []
    for _ in range(arguments.addresses):
        address, size = chance.choices(code, [size for _, size in code])[0]
        addresses.append(address + chance.randrange(size))
    ours = run_on_addresses([os.path.join(SELFTESTS, 'unit', 'print_lines'), program], addresses)
    theirs = innermost(run_on_addresses(['addr2line', '-a', '-i', '-e', program], addresses))
    llvm = theirs
    if shutil.which('llvm-symbolizer'):
        llvm = innermost(run_on_addresses(['llvm-symbolizer', '-a', '--output-style=GNU', '-i',
                                           '-f=none', '-e', program], addresses))
    assert len(ours) == len(theirs) == len(llvm) == len(addresses)
    different = [lines for lines in zip(addresses, ours, theirs, llvm)
                 if normal(lines[1]) != normal(lines[2])]
    wrong = [lines for lines in different if normal(lines[1]) != normal(lines[3])]
    print('%-16s %d addresses, %d with a line, %d differ from addr2line, %d from both' %
          (name, len(addresses), sum(normal(line) != '??:0' for line in ours),
           len(different), len(wrong)))
    for lines in different:
        print('  0x%x: %s, addr2line: %s, llvm-symbolizer: %s' % lines)
    return len(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--addresses', type=int, default=1000)
    parser.add_argument('programs', nargs='*')
    arguments = parser.parse_args()
    subprocess.run(['make', '-s', '-C', os.path.join(SELFTESTS, 'unit'), 'print_lines'], check=True)
    with tempfile.TemporaryDirectory() as directory:
        programs = {os.path.basename(program): program for program in arguments.programs}
        wrong = 0
        for name, program in (programs or build(directory)).items():
            wrong += compare(name, program, arguments)
    return 1 if wrong else 0


sys.exit(main())
