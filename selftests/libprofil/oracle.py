#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Predict which counter each dialect's profil() increments.

usage: oracle.py [SEED [NUMBER]]   print random cases and their results, in the
                                   format of dialects.vectors
       oracle.py --check FILE...   compare tables with the predictions

Written from the formulas of the manual pages alone, in unbounded integers, and
independently of the library and the module, so that it does not share their
mistakes.
"""

import random
import sys

SEED = 1993
NUMBER = 2000

OFF, EINVAL, NONE = "off", "EINVAL", "none"


def counter_at(byte, size):
    """Return the byte if a whole counter begins there within the buffer, else NONE."""
    return byte if byte + 2 <= size & ~1 else NONE


def solaris(d, scale, size):
    if scale in (0, 1):
        return OFF
    return counter_at((d * scale >> 16) & ~1, size) if d >= 0 else NONE


def bsd(d, scale, size):
    if scale == 0:
        return OFF
    if scale > 65536:
        return EINVAL
    return counter_at(2 * ((d // 2) * scale // 65536), size) if d >= 0 else NONE


def linux099(d, scale, size):
    as_int = scale - 2**32 if scale >= 2**31 else scale
    if size == 0 or as_int < 2:
        return OFF
    return counter_at((d * scale >> 16) & ~1, size) if d >= 0 else NONE


def osf1(d, scale, size):
    if scale in (0, 1):
        return OFF
    return counter_at((d * scale >> 16) & ~1, size) if d >= 0 else NONE


def aix(d, scale, size):
    scale %= 65536
    if scale in (0, 1):
        return OFF
    if d < 0:
        return NONE
    number = 0 if scale == 2 else ((d * scale >> 16) + 1) >> 1
    return 2 * number if number < size // 2 else NONE


def glibc(d, scale, size):
    if scale == 0:
        return OFF
    if d < 0:
        return NONE
    number = (d // 2) * scale // 65536
    return 2 * number if number < size // 2 else NONE


RULES = {
    "solaris": solaris,
    "bsd": bsd,
    "linux099": linux099,
    "osf1": osf1,
    "aix": aix,
    "glibc": glibc,
}

# Where a rule changes or differs from its ancestor's, and the limits of types
SCALES = [2, 3, 4, 5, 0x3000, 0x3fff, 0x4000, 0x6000, 0x7fff, 0x8000, 0x8001,
          0xaaaa, 0xfffe, 0xffff, 0x10000]
LARGE_SCALES = [0x10001, 0x10002, 0x10003, 0x18000, 0x1ffff, 0x20000, 0x20001,
                0x12345678, 2**31 - 1, 2**31, 2**31 + 1, 2**31 + 0x8000,
                2**32 - 2, 2**32 - 1]
SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 0x3ff, 0x400, 0x401, 0x402, 0xfff, 0x1000,
         0x1001]
LARGE_SIZES = [0xffff, 0x10000, 0x10001, 0xfffff, 0x100000]
HIGHEST = 2**46


def make_scale(dice, dialect):
    kind = dice.random()
    # few of these: nearly all of them turn profiling off or are refused
    if kind < 0.03:
        return dice.choice([0, 1])
    large = 0.05 if dialect == "bsd" else 0.2
    if kind < large:
        return dice.choice(LARGE_SCALES + [dice.randrange(2**16, 2**32)])
    if kind < 0.6:
        return dice.choice(SCALES + [2 if dialect == "aix" else 1 << 16])
    return dice.randrange(2, 0x10001)


def make_size(dice):
    kind = dice.random()
    if kind < 0.4:
        return dice.choice(SIZES)
    if kind < 0.5:
        return dice.choice(LARGE_SIZES)
    return dice.randrange(2, 0x4000)


def make_distance(dice, scale, size):
    kind = dice.random()
    if kind < 0.03:
        return -dice.choice([1, 2, 3, 0x10000, 2**31, 2**32, 2**40, 2**46])
    if kind < 0.05:
        return dice.choice([2**31, 2**32, 2**45, HIGHEST]) - dice.randrange(5)
    if kind < 0.08:
        return dice.randrange(2**dice.randrange(47))
    # most cases: near the first pc of the first, the last or a random counter
    counters = size // 2
    inside = dice.randrange(counters + 1)
    number = dice.choice([0, 1, inside, inside, counters - 1, counters - 1,
                          counters, counters, counters + 1])
    byte = 2 * max(number, 0)
    # or where a product of 32 or 64 bits, or an int, would wrap
    if kind < 0.12:
        byte = 2 * inside + 2**dice.choice([16, 31, 32, 33, 48])
    first = byte * 65536 // (scale if scale >= 2 else 0x10000)
    return max(0, min(HIGHEST, first + dice.randrange(-4, 5)))


def make_cases(seed, number):
    dice = random.Random(seed)
    names = list(RULES)
    for i in range(number):
        dialect = names[i % len(names)]
        scale = make_scale(dice, dialect)
        size = make_size(dice)
        # AIX uses the low 16 bits of the scale
        mapped = scale % 65536 if dialect == "aix" else scale
        yield dialect, make_distance(dice, mapped, size), scale, size


def predict(dialect, d, scale, size):
    return str(RULES[dialect](d, scale, size))


def check(path):
    """Return the number of rows whose result differs from the prediction."""
    wrong = rows = 0
    with open(path, encoding="ascii") as table:
        for number, line in enumerate(table, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            dialect, d, scale, size, result = words
            got = predict(dialect, int(d, 0), int(scale, 0), int(size, 0))
            rows += 1
            if got != result:
                print(f"{path}:{number}: {line.strip()}: predicted {got}",
                      file=sys.stderr)
                wrong += 1
    return wrong or not rows


def main(arguments):
    if arguments[:1] == ["--check"]:
        return 1 if sum(map(check, arguments[1:])) else 0
    seed = int(arguments[0]) if arguments else SEED
    number = int(arguments[1]) if len(arguments) > 1 else NUMBER
    print(f"# {number} random cases: oracle.py {seed} {number}")
    for dialect, d, scale, size in make_cases(seed, number):
        print(dialect, d, hex(scale), size, predict(dialect, d, scale, size))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
