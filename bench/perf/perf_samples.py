#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Attributes perf's samples to functions in the same way as profil's.

usage: perf_samples.py SCRIPT JSON RATE

SCRIPT is the output of `perf script -F pid,ip,uregs --show-mmap-events --show-task-events` for
a recording with --user-regs=ip: the mapped files, and the user-mode pc of each sample.
selftests/unit/export_sample makes a profil result of the samples, and `profil export` makes JSON of the
result. This adds a member "in_user": the number of samples that were taken in user mode.
"""
import collections
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROFIL = os.environ.get("PROFIL", os.path.join(TOP, "tools/profil"))

KERNEL = 1 << 63

MMAP = re.compile(r"\s*-?\d+ PERF_RECORD_MMAP2 (\d+)/\d+: "
                  r"\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .*\]: ..x. (.+)$")
SAMPLE = re.compile(r"\s*(\d+)\s+([0-9a-f]+)\s+ABI:[12]\s+IP:0x([0-9a-f]+)\s*$")
FORK = re.compile(r"\s*\d+ PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)$")
EXEC = re.compile(r"\s*(\d+) PERF_RECORD_COMM exec: ")
OTHER = re.compile(r"\s*(-1|\d+) PERF_RECORD_(MMAP|COMM|EXIT)")

Mapping = collections.namedtuple("Mapping", "start end offset path")


def is_file(path):
    """Return: false for "[vdso]", "//anon", "anon_inode:..." and "/memfd:..." """
    return path[0] == "/" and not path.startswith(("//", "/memfd:"))


class Memory:
    """The mappings of all processes, from perf's events."""

    def __init__(self):
        self.mappings = collections.defaultdict(list)

    def add(self, line):
        """Return: whether the line is an event and not a sample."""
        mapped, fork, execed = MMAP.match(line), FORK.match(line), EXEC.match(line)
        if mapped:
            start, length, offset = (int(mapped[n], 16) for n in (2, 3, 4))
            self.mappings[mapped[1]].append(
                Mapping(start, start + length, offset, mapped[5]))
        elif fork and fork[1] != fork[2]:
            self.mappings[fork[1]] = list(self.mappings[fork[2]])
        elif execed:
            self.mappings[execed[1]] = []
        return bool(mapped or fork or execed or OTHER.match(line))

    def find(self, pid, pc):
        """Return: file and offset; None if the pc is in no file."""
        for mapping in reversed(self.mappings[pid]):
            if mapping.start <= pc < mapping.end:
                if not is_file(mapping.path):
                    return None
                return mapping.path, pc - mapping.start + mapping.offset
        return None


def read_script(path):
    """Return: samples by (path, offset), number of other samples, number in user mode."""
    memory = Memory()
    in_files = collections.Counter()
    elsewhere = in_user = 0
    with open(path, encoding="utf-8") as script:
        for line in script:
            if memory.add(line):
                continue
            sample = SAMPLE.match(line)
            if not sample:
                sys.exit(f"{path}: not a sample with a user-mode pc: {line}")
            in_user += int(sample[2], 16) < KERNEL
            place = memory.find(sample[1], int(sample[3], 16))
            if place:
                in_files[place] += 1
            else:
                elsewhere += 1
    return in_files, elsewhere, in_user


@functools.lru_cache(maxsize=None)
def segments(path):
    """Return: the executable segments as (file offset, address, length)."""
    headers = subprocess.run(["readelf", "-lW", path], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    return [(int(offset, 16), int(address, 16), int(length, 16))
            for offset, address, length in re.findall(
                r"^\s*LOAD\s+(\S+)\s+(\S+)\s+\S+\s+(\S+)\s+\S+\s+R.E", headers, re.M)]


def counts_of(in_files):
    """Return: for each path, samples by the address at which profil counts them."""
    counts = collections.defaultdict(collections.Counter)
    for (path, offset), samples in in_files.items():
        for start, address, length in segments(path):
            if start <= offset < start + length:
                distance = offset - start
                counts[path][address + distance] += samples
                break
        else:
            sys.exit(f"{path}: offset {offset:#x} is in no executable segment")
    return counts


def export(counts, out):
    paths = sorted(counts)
    lines = [f"{number} {address:x} {samples}\n"
             for number, path in enumerate(paths)
             for address, samples in sorted(counts[path].items())]
    with tempfile.TemporaryDirectory() as work:
        result = os.path.join(work, "result")
        subprocess.run([os.path.join(TOP, "selftests/unit/export_sample"), "result", result,
                        *paths], input="".join(lines), text=True, check=True)
        subprocess.run([PROFIL, "export", "--json", "-o", out, result], check=True)


def main():
    script, out, rate = sys.argv[1:]
    in_files, elsewhere, in_user = read_script(script)
    if not in_files:
        sys.exit(f"{script}: no samples")
    export(counts_of(in_files), out)
    with open(out, encoding="utf-8") as file:
        result = json.load(file)
    result["outside"] += elsewhere
    result["samples"] += elsewhere
    result["in_user"] = in_user
    result["rate"] = int(rate)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file)


main()
