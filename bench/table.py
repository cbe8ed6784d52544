#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: table.py [--update] KERNEL.csv...

Prints the figures of bench/run as tables: one for each kernel and group, a row for each case, and a
column for each sampler. Then compares them with figures/KERNEL.csv: more instructions than the
known ones are worse, beyond SLACK. Adds the column "goal" to the files.

--update writes the figures to figures/KERNEL.csv instead. Those that were not measured stay.

Exit status: 0 no figure is worse, 1 some are.
"""
import csv
import os
import sys

COLUMNS = ["kernel", "group", "case", "sampler", "unit", "mode", "mean", "n", "goal"]
FOLDER = os.path.dirname(os.path.realpath(__file__))
TITLES = {
    "sample": "A sample: instructions more than the same interrupt without it. Mode (mean)",
    "stack": "A sample with the stack of a thread, below frames of 48 bytes. Instructions as above, "
             "and bytes of its record",
    "ops": "An operation of a process that nobody samples, while another process is sampled. "
           "Instructions, median",
    "fork": "A fork of a process: instructions more if it profiles itself. Median",
    "cost": "What each sample costs in all: instructions more of a program",
    "error": "A function's share of a profile: its error, and the standard error of that number of "
             "samples, in points",
    "delivered": "Samples taken, of those that are due",
    "end to end": "Whole profiles",
    "hardware": "A sample on this machine, in ns",
    "scale": "Thousands of processes, and CPUs that could be added",
    "session": "A profile of a program by itself, by the size of its counters. Instructions",
}
# The tables that show the mean, too: elsewhere it includes the interrupts that came by chance.
WITH_MEAN = {"sample", "error"}
# By how much a figure may differ from the known one: a number, and a part of it. The larger counts.
# Where it is not 5 and 2 %, figures of two boots differ so.
SLACK = (5, 0.02)
SLACKS = {
    ("sample", "mode"): (10, 0),
    ("sample", "mean"): (15, 0),
    # what earlier calls left on the stack
    ("stack", ""): (64, 0),
    ("ops", "mmap and munmap"): (20, 0),
    ("ops", "the same of code"): (20, 0),
    ("ops", "switch twice"): (20, 0),
    ("ops", "thread"): (0, 0.04),
    # the state of the kernel's allocator, if many pages are pinned
    ("fork", ""): (8000, 0.02),
    ("cost", ""): (50, 0.05),
}
UNITS_COMPARED = {"instructions"}
# They do not become worse by a change of this project.
PEERS = {"glibc", "gperftools", "perf", "perf-count", "perf-fp", "perf-dwarf", "bpf", "sigprof", "kernel", "none",
         "not loaded"}


def read(path):
    """The rows of a CSV file, without comments."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return [dict(zip(COLUMNS, row)) for row in csv.reader(lines) if row != COLUMNS]


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: GPL-2.0-only\n")
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def goals():
    with open(os.path.join(FOLDER, "goals.csv"), encoding="utf-8") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        return {tuple(row[:3]): row[3] for row in rows}


def key(row):
    return row["group"], row["case"], row["sampler"], row["unit"]


def number(text):
    value = float(text)
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"


def cell(row):
    text = number(row["mode"])
    if row["group"] in WITH_MEAN and row["mean"] and number(row["mean"]) != text:
        text += f" ({number(row['mean'])})"
    return text


def print_table(kernel, group, rows):
    """Cases and samplers in the order in which they were measured"""
    samplers = list(dict.fromkeys(row["sampler"] for row in rows))
    cases = list(dict.fromkeys((row["case"], row["unit"]) for row in rows))
    cells = {(row["case"], row["unit"], row["sampler"]): cell(row) for row in rows}
    aims = {(row["case"], row["unit"]): row["goal"] for row in rows if row["goal"]}
    units = {unit for _, unit in cases}
    lines = [["", *samplers, "goal"]]
    for case, unit in cases:
        name = f"{case}, {unit}" if len(units) > 1 else case
        lines.append([name, *(cells.get((case, unit, one), "") for one in samplers),
                      aims.get((case, unit), "")])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print(f"Linux {kernel}. {TITLES.get(group, group)}\n")
    for line in lines:
        numbers = (text.rjust(width) for text, width in zip(line[1:], widths[1:]))
        print("  ".join([line[0].ljust(widths[0]), *numbers]).rstrip())
    print()


def slack_of(row, name):
    for place in ((row["group"], row["case"]), (row["group"], name), (row["group"], "")):
        if place in SLACKS:
            return SLACKS[place]
    return SLACK


def compare(rows, known):
    """Prints the figures that are worse; returns their number."""
    worse = 0
    for row in rows:
        old = known.get(key(row))
        if row["unit"] not in UNITS_COMPARED or row["sampler"] in PEERS or not old:
            continue
        for name in ("mode", "mean") if row["group"] in WITH_MEAN else ("mode",):
            if not row[name] or not old[name]:
                continue
            least, part = slack_of(row, name)
            before, now = float(old[name]), float(row[name])
            if now - before > max(least, part * abs(before)):
                worse += 1
                print(f"WORSE: Linux {row['kernel']}, {row['group']}, {row['case']}, "
                      f"{row['sampler']}: {name} {number(now)}, known {number(before)}")
    return worse


def main():
    paths = [path for path in sys.argv[1:] if path != "--update"]
    aims, worse = goals(), 0
    for path in paths:
        rows = read(path)
        for row in rows:
            row["goal"] = aims.get(key(row)[:3], "")
        write(path, rows)
        for group in dict.fromkeys(row["group"] for row in rows):
            print_table(rows[0]["kernel"], group, [row for row in rows if row["group"] == group])
        figures = os.path.join(FOLDER, "figures", os.path.basename(path))
        known = read(figures) if os.path.exists(figures) else []
        if "--update" in sys.argv:
            merged = {key(row): row for row in known}
            merged.update((key(row), row) for row in rows)
            write(figures, merged.values())
        else:
            worse += compare(rows, {key(row): row for row in known})
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
