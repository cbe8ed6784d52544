#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: document.py [--update]

Checks that the tables of figures in the documents are those of figures/*.csv, or writes them. A table lies between the lines "<!-- figures: NAME -->" and
"<!-- end of figures -->".

Exit status: 0 they are, 1 some are not.
"""
import csv
import os
import re
import sys

from table import COLUMNS, FOLDER, read

DOCUMENTS = ["README.md", "doc/measurements.md", "bench/optimize.md"]
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->\n)", re.S)
KERNELS = ["6.1", "6.12"]


def load():
    """The figures: (kernel, group, case, sampler, unit) -> row"""
    found = {}
    for kernel in KERNELS:
        for row in read(os.path.join(FOLDER, "figures", f"{kernel}.csv")):
            found[tuple(row[name] for name in COLUMNS[:5])] = row
    return found


FIGURES = load()


def value(group, case, sampler, unit="instructions", kernel="6.12"):
    return float(FIGURES[kernel, group, case, sampler, unit]["mode"])


def count(*args, **kwargs):
    return f"{value(*args, **kwargs):,.0f}"


def millions(*args):
    text = value("end to end", *args, "M instructions")
    return f"{text:,.0f} million" if text >= 10 else f"{text:.1f} million"


def percent_more(case, of, sampler):
    """Of the program alone"""
    plain = value("end to end", f"{case}, program", "none", "M instructions")
    more = value("end to end", f"{case}, {of}", sampler, "M instructions") / plain - 1
    return f"{100 * more:+.0f} %" if abs(more) >= 0.1 else f"{100 * more:+.1f} %"


def more(case, state):
    """An operation of an unprofiled process, compared with a machine without the module"""
    return f"{value('ops', case, state) - value('ops', case, 'not loaded'):+,.0f}"


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line).strip() + " |\n" for line in lines)


def table_summary():
    def report(sampler):
        memory = value("end to end", "make, memory of the report", sampler, "MB")
        return f"{millions('make, report', sampler)}, {memory:.0f} MB"

    loop = "200 times fork and exec"
    lockstep = "lockstep, 1000 Hz"
    return markdown(["instructions, on Linux 6.12", "profil", "others"], [
        ["a sample of a program's own profile, at a tick", count("sample", "tick", "profil"),
         f"glibc's profil() {count('sample', 'tick', 'glibc')}, "
         f"gperftools {count('sample', 'tick', 'gperftools')}"],
        ["a sample of another process, besides the timer's interrupt",
         count("sample", "random", "profil attached"),
         f"perf {count('sample', 'timer', 'perf')}, bpftrace {count('sample', 'timer', 'bpf')}"],
        ["mmap and munmap of a process, while another one is sampled",
         more("mmap and munmap", "random"), f"perf {more('mmap and munmap', 'perf')}"],
        ["the same, while nobody is", more("mmap and munmap", "idle"), ""],
        [f"{loop}: the program", percent_more(loop, "program", "profil"),
         f"perf {percent_more(loop, 'program', 'perf')}"],
        ["the same with the profiler, its start and its table",
         f"{millions(f'{loop}, in all', 'profil')}, alone "
         f"{millions(f'{loop}, program', 'none')}",
         f"perf, without a table {millions(f'{loop}, in all', 'perf')}"],
        ["a profile of a program that does nothing",
         millions("a program that does nothing, in all", "profil"),
         f"perf {millions('a program that does nothing, in all', 'perf')}"],
        ["a report of a build, and its memory", report("profil"), f"perf {report('perf')}"],
        ["error of a profile of a program in step with the tick, 1000 Hz",
         f"{value('error', lockstep, 'random', 'points'):.1f} points",
         f"perf {value('error', lockstep, 'perf', 'points'):.0f} points, SIGPROF at 250 Hz "
         f"{value('error', 'lockstep, 250 Hz', 'sigprof', 'points'):.0f}"],
    ])


def table_costs():
    """The rows of the summary that say most"""
    lines = table_summary().splitlines(keepends=True)
    return "".join(lines[:2] + [lines[2 + row] for row in (1, 2, 8)])


def both(group, case, sampler):
    return [count(group, case, sampler, kernel=kernel) for kernel in KERNELS]


def table_samples():
    rows = [
        ("a program's own profile, `tick`", "tick", "profil"),
        ("the same, a tick that takes no sample", "tick without a sample", "profil"),
        ("the same, code outside the regions", "tick outside the regions", "profil"),
        ("the same, two pages of counters in turn", "tick with two pages of counters", "profil"),
        ("the same, `timer`", "timer", "profil"),
        ("the same, `random`", "random", "profil"),
        ("the same, each fourth time, to compute the next points", "random with new points",
         "profil"),
        ("a process that another one profiles, `tick`", "tick", "profil attached"),
        ("the same, `timer`", "timer", "profil attached"),
        ("the same, `random`", "random", "profil attached"),
        ("profil() of the C library", "tick", "glibc"),
        ("gperftools", "tick", "gperftools"),
        ("perf: an event that writes to a buffer", "timer", "perf"),
        ("perf: an event that only counts", "timer", "perf-count"),
        ("bpftrace, which counts in a map", "timer", "bpf"),
    ]
    return markdown(["", "Linux 6.1", "Linux 6.12"],
                    [[name, *both("sample", case, sampler)] for name, case, sampler in rows])


def table_errors():
    def cell(workload, sampler, rate):
        row = FIGURES["6.12", "error", f"{workload}, {rate} Hz", sampler, "points"]
        return f"{float(row['mode']):.1f} ± {float(row['mean']):.1f}"

    rows = []
    for sampler, rates in (("tick", (100, 250)), ("timer", (250, 1000, 4000)),
                           ("random", (100, 250, 1000, 4000)), ("sigprof", (100, 250)),
                           ("perf", (250, 1000, 4000))):
        for rate in rates:
            name = {"sigprof": "the C library's SIGPROF", "perf": "perf"}.get(sampler,
                                                                            f"`{sampler}`")
            rows.append([name, f"{rate:,}", cell("lockstep", sampler, rate),
                         cell("bursts", sampler, rate)])
    return markdown(["clock", "Hz", "error, program in step with the tick",
                     "error, bursts of 0.1 ms"], rows)


def table_ops():
    states = ["not loaded", "idle", "tick", "random", "own-tick", "own-timer", "perf"]
    cases = list(dict.fromkeys(key[2] for key in FIGURES if key[:2] == ("6.12", "ops")))
    return markdown(["", *states],
                    [[case, count("ops", case, "not loaded"),
                      *(more(case, state) for state in states[1:])] for case in cases])


def table_whole():
    rows = []
    for case in ("200 times fork and exec", "make", "perl", "a program that does nothing"):
        rows.append([case, millions(f"{case}, program", "none"),
                     *(percent_more(case, "program", one) for one in ("profil", "perf")),
                     *(millions(f"{case}, in all", one) for one in ("profil", "perf"))])
    return markdown(["", "alone", "program under `profil`", "under `perf record`",
                     "in all, `profil`", "in all, `perf record`"], rows)


def table_fork():
    cases = list(dict.fromkeys(key[2] for key in FIGURES if key[:2] == ("6.12", "fork")))
    return markdown(["counters of 4 KiB", "module, Linux 6.1", "Linux 6.12",
                     "kernel, Linux 6.1", "Linux 6.12"],
                    [[case, *both("fork", case, "module"), *both("fork", case, "kernel")]
                     for case in cases])


def table_sessions():
    small, large = "64 KiB", "1048576 KiB"
    return markdown(["", "Linux 6.1", "Linux 6.12"], [
        [name, *both("session", case, size)] for name, case, size in (
            ("the first start, 64 KiB of counters, pages pinned when they are hit",
             "first start, pinned on hit", small),
            ("a later start", "start, pinned on hit", small),
            ("the same, 1 GiB of counters", "start, pinned on hit", large),
            ("a later start, 64 KiB of counters, pages pinned now", "start, pinned at the start", small),
            ("status", "status, pinned on hit", small),
            ("stop", "stop, pinned on hit", small),
        )])


def table_optimize():
    names = {
        "same": "the same program, as a control",
        "order": "order of functions, lld", "lld": "lld without an order",
        "bolt-16": "BOLT 16", "bolt-19": "BOLT 19", "gcc-11-autofdo": "AutoFDO, gcc 11",
        "clang-autofdo": "AutoFDO, clang 14", "gcc-pgo": "instrumented profile, gcc 12",
    }
    others = {"lld": "lld", "gcc": "gcc 12", "gcc-11": "gcc 11", "clang": "clang 14"}
    rows = []
    with open(os.path.join(FOLDER, "figures", "optimize.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            low, high = float(row["low"]), float(row["high"])
            verdict = "faster" if high < 0 else "slower" if low > 0 else "no difference seen"
            rows.append([row["program"], names[row["variant"]], others[row["base"]],
                         f"{float(row['change']):+.1f} %", f"{low:+.1f} to {high:+.1f} %",
                         row["runs"], verdict])
    return markdown(["program", "variant", "compared with", "CPU time", "95 % interval", "runs", ""],
                    rows)


def main():
    wrong = 0
    for name in DOCUMENTS:
        path = os.path.join(FOLDER, "..", name)
        with open(path, encoding="utf-8") as file:
            old = file.read()
        new = BLOCK.sub(lambda match: match[1] + globals()[f"table_{match[2]}"]() + match[3], old)
        if new == old:
            continue
        if "--update" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
        else:
            wrong = 1
            print(f"{name} does not have the figures of bench/figures: "
                  "run bench/document.py --update")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
