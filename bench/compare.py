#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: compare.py [--client=COMMAND] RUNS PREFIX INPUT NAME=BASE=PROGRAM... -- ARGUMENT...

Runs programs in turn, each RUNS times after a first one, forwards and backwards, and compares the CPU time
in user mode of each with that of the program BASE. INPUT is the file of standard input. Prints a line of
CSV for each that is not its own BASE: PREFIX, NAME, BASE, seconds of BASE and of NAME (medians), the
change of CPU time in percent (median over pairs of runs), the ends of its 95 % interval, RUNS.

COMMAND runs beside each program, with the same INPUT: a client, which gives a server its work and then ends
it. Its own time does not count.

The interval is that of confidence_median() (tools/profile/confidence.h).
"""
import os
import signal
import statistics
import subprocess
import sys
from math import comb


def run(program, arguments, given, client):
    """CPU time in user mode, in seconds"""
    actions = [(os.POSIX_SPAWN_OPEN, 0, given, os.O_RDONLY, 0),
               (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
               (os.POSIX_SPAWN_DUP2, 1, 2)]
    pid = os.posix_spawn(program, [program, *arguments], os.environ, file_actions=actions)
    if client:
        with open(given, "rb") as file:
            failed = subprocess.run(client, shell=True, stdin=file, check=False).returncode
        if failed:
            os.kill(pid, signal.SIGTERM)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{program}: status {os.waitstatus_to_exitcode(status)}")
    if client and failed:
        sys.exit(f"{client}: status {failed}")
    return usage.ru_utime


def interval(values):
    values, n = sorted(values), len(values)
    k, below = 0, 2 / 2 ** n
    while below + 2 * comb(n, k + 1) / 2 ** n <= 0.05:
        k += 1
        below += 2 * comb(n, k) / 2 ** n
    return values[k], values[n - 1 - k]


def main():
    words = sys.argv[1:]
    client = words.pop(0).split("=", 1)[1] if words[0].startswith("--client=") else None
    end = words.index("--")
    runs, prefix, given = int(words[0]), words[1], words[2]
    programs = [text.split("=", 2) for text in words[3:end]]
    seconds = {name: [] for name, _, _ in programs}
    for i in range(-1, runs):
        for name, _, program in programs if i % 2 else reversed(programs):
            used = run(program, words[end + 1:], given, client)
            if i >= 0:
                seconds[name].append(used)
    for name, base, _ in programs:
        if name == base:
            continue
        change = [100 * (b / a - 1) for a, b in zip(seconds[base], seconds[name])]
        low, high = interval(change)
        print(f"{prefix},{name},{base},{statistics.median(seconds[base]):.4f},"
              f"{statistics.median(seconds[name]):.4f},{statistics.median(change):.2f},"
              f"{low:.2f},{high:.2f},{runs}", flush=True)


main()
