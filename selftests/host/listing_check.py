#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# listing_check.py PROFIL SAMPLE OBJDUMP DIRECTORY FILE PATTERN: compares `profil report --annotate
# ADDRESS --asm --all' with `objdump -d', for each function of FILE whose symbol matches PATTERN:
# the addresses and names of all instructions, and the samples of a result that SAMPLE
# (export_sample) writes to DIRECTORY. Prints the number of functions and instructions.

import re
import subprocess
import sys

profil, sample, objdump, directory, path, pattern = sys.argv[1:]
EVERY = 3  # samples are at so many instructions, so that most are found from the one before

# What binutils and capstone call by different names. Prefixes without an effect are no names.
PREFIXES = {'data16', 'cs', 'ds', 'es', 'ss', 'rex.W', 'bnd', 'notrack', 'addr32'}
SAME = {'movabs': 'mov', 'xchg': 'nop', 'movz': 'mov', 'movn': 'mov'}


def name_of(words):
    words = [word for word in words.split() if word not in PREFIXES]
    return SAME.get(words[0], words[0]) if words else ''


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sizes():
    """Return the end of each function by its start."""
    ends = {}
    for line in output('nm', '-S', path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in 'tTwWi':
            start, size = int(words[0], 16), int(words[1], 16)
            ends[start] = max(start + size, ends.get(start, 0))
    return ends


def functions():
    """Yield the symbol, and the addresses and names of its instructions, up to its size."""
    intel = ['-M', 'intel'] if objdump == 'objdump' else []
    ends = sizes()
    symbol, found, end = None, [], 0
    for line in output(objdump, '-d', '-w', '--no-show-raw-insn', *intel, path).splitlines():
        start = re.match(r'([0-9a-f]+) <(.*)>:$', line)
        row = re.match(r' *([0-9a-f]+):\t(.*)', line)
        if start:
            if found:
                yield symbol, found
            symbol, found, end = start[2], [], ends.get(int(start[1], 16), 0)
        elif row and int(row[1], 16) < end:
            found.append((int(row[1], 16), name_of(row[2])))
    if found:
        yield symbol, found


def printed(start, result):
    """Return the same of a listing, and its samples by address."""
    rows, samples = [], {}
    listing = output(profil, 'report', '--annotate', hex(start), '--asm', '--all', result)
    for line in listing.splitlines():
        address = line[20:31].strip()
        if line.startswith('#') or not address:
            continue
        rows.append((int(address, 16), name_of(line[33:])))
        if line[10:19].strip():
            samples[int(address, 16)] = int(line[10:19])
    return rows, samples


def main():
    all_functions = all_instructions = 0
    result = directory + '/listing.out'
    for symbol, instructions in functions():
        if not re.search(pattern, symbol) or '@' in symbol:
            continue
        counts = {address: 1 + i % 7
                  for i, (address, _) in enumerate(instructions) if i % EVERY == 0}
        lines = ''.join(f'0 {address:x} {n}\n' for address, n in counts.items())
        subprocess.run([sample, 'result', result, path], input=lines, text=True, check=True)
        rows, samples = printed(instructions[0][0], result)
        if samples != counts:
            sys.exit(f'{symbol}: other samples: {samples} for {counts}')
        for row, wanted in zip(rows, instructions):
            if row != wanted:
                sys.exit(f'{symbol}: {row[0]:x} {row[1]}, objdump {wanted[0]:x} {wanted[1]}')
        if len(rows) < len(instructions):
            sys.exit(f'{symbol}: {len(rows)} of {len(instructions)} instructions')
        all_functions += 1
        all_instructions += len(instructions)
    print(all_functions, all_instructions)


main()
