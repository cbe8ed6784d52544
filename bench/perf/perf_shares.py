#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the shares of functions in runs of a program under profil and under perf.

usage: perf_shares.py [--lose N | --row NAME] RESULT... -- RESULT...
       perf_shares.py --seconds RESULT... -- RESULT...

A RESULT is JSON from `profil export`. Those after -- are perf's (perf_samples.py), or other
results to compare with. Prints a table and the problems. Exit status: 1 if there are any.

Differences of shares are measured in standard errors. Two runs of a program may differ by more
than the sampling error, especially in an emulated machine, where other work of the host makes
parts of a program appear longer. So the runs of each tool are first compared with each other.
The spread is the variance of shares divided by the variance of random sampling, over all
functions in the table and both tools (the overdispersion of counts: Pearson's chi-square
divided by its degrees of freedom). Standard errors are multiplied by its square root.

--lose removes every Nth sample of the first function from profil's runs.
--row prints one row of a Markdown table instead.
--seconds compares profil's samples / rate with the CPU time of the processes, and with perf's
samples / rate.
"""
import argparse
import collections
import json
import math
import os
import sys

TOP = 10

# Limit for one function, in standard errors: exceeded by chance in one of 16,000 comparisons.
MOST = 4
# Limit for the mean square of all ten: exceeded by chance in one of 1,000 tables (chi-square
# with ten degrees of freedom).
MOST_SQUARE = 2.96
# Above this spread of one tool's runs, a comparison is meaningless.
MOST_SPREAD = 5

# Limit for the difference in CPU seconds
MOST_PERCENT = 2

NO_FILE = "", ""
NO_SYMBOLS = "(no symbols)"

Run = collections.namedtuple("Run", "samples functions")
Row = collections.namedtuple("Row", "name profil perf error errors")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run_of(result, names):
    """Return: samples by file and address of the function. Paths are resolved, because perf
    and the kernel may name the same file differently. Generated code and the vDSO have no
    file: they are one function here."""
    functions = collections.Counter({NO_FILE: result["samples"]})
    names[NO_FILE] = "code in no file"
    for thing in result["objects"]:
        if thing["path"][0] != "/":
            continue
        path = os.path.realpath(thing["path"])
        for function in thing["functions"]:
            # code without symbols is one row of a file, from the first sample on
            key = path, "" if function["name"] == NO_SYMBOLS else function["address"]
            functions[key] += function["samples"]
            functions[NO_FILE] -= function["samples"]
            name = function["name"].split("(")[0] or NO_SYMBOLS
            names[key] = f"{name} ({os.path.basename(path)})"
    return Run(result["samples"], +functions)


def pooled(runs, key):
    return sum(run.functions.get(key, 0) for run in runs) / sum(run.samples for run in runs)


def chi_square(runs, keys):
    """Return: chi-square of the runs of one tool, and its degrees of freedom."""
    chi = 0
    for key in keys:
        share = pooled(runs, key)
        for run in runs:
            expected = share * run.samples
            if expected:
                chi += ((run.functions.get(key, 0) - expected) ** 2 /
                        (expected * (1 - share)))
    return chi, len(keys) * (len(runs) - 1)


def lose(runs, key, every):
    for number, run in enumerate(runs):
        lost = run.functions[key] // every
        run.functions[key] -= lost
        runs[number] = run._replace(samples=run.samples - lost)


def first(tools):
    """Return: the functions with the largest shares in both tools' runs."""
    keys = {key for runs in tools for run in runs for key in run.functions}
    return sorted(keys, key=lambda key: (-sum(pooled(runs, key) for runs in tools),
                                         key))[:TOP]


def compare(paths, every):
    """Return: rows of the table, a summary line, and problems."""
    names = {}
    tools = [[run_of(read(path), names) for path in some] for some in paths]
    keys = first(tools)
    if every:
        lose(tools[0], keys[0], every)
    samples = [sum(run.samples for run in runs) for runs in tools]
    chis = [chi_square(runs, keys) for runs in tools]
    spread = sum(chi for chi, _ in chis) / max(1, sum(degrees for _, degrees in chis))
    rows = []
    for key in keys:
        shares = [pooled(runs, key) for runs in tools]
        both = (shares[0] * samples[0] + shares[1] * samples[1]) / sum(samples)
        error = math.sqrt(both * (1 - both) * (1 / samples[0] + 1 / samples[1]) *
                          max(1, spread))
        rows.append(Row(names[key], *shares, error, (shares[0] - shares[1]) / error))
    square = sum(row.errors ** 2 for row in rows) / len(rows)
    about = (f"mean square of errors {square:.2f}; spread of runs: "
             + ", ".join(f"{tool} {chi / max(1, degrees):.2f}" for tool, (chi, degrees)
                         in zip(("profil", "perf"), chis))
             + f"; samples: {samples[0]}, {samples[1]}")
    problems = [f"{row.name}: DIFFERENT by more than {MOST} standard errors"
                for row in rows if abs(row.errors) > MOST]
    if square > MOST_SQUARE:
        problems.append("all functions together are DIFFERENT by more than chance")
    if spread > MOST_SPREAD:
        problems.append("runs of one tool differ too much: use --icount if the host is busy")
    return rows, about, problems


def print_table(rows, about):
    print(f"{'profil %':>8} {'perf %':>8} {'error':>6} {'errors':>7}  function")
    for row in rows:
        print(f"{100 * row.profil:8.2f} {100 * row.perf:8.2f} {100 * row.error:6.2f} "
              f"{row.errors:7.1f}  {row.name}")
    print(about)


def in_user(paths):
    """Return: text with the percentage of perf's samples that were taken in user mode."""
    results = [read(path) for path in paths]
    if not all("in_user" in result for result in results):
        return ""
    percent = (100 * sum(result["in_user"] for result in results) /
               sum(result["samples"] for result in results))
    return f"; in user mode {percent:.1f} %"


def used_seconds(result):
    """Return: CPU time by rusage of all processes, without the time before the profiles of
    executed programs started."""
    starts = sum(process["start_cpu_ns"] for process in result["processes"][1:])
    return (result["program_cpu_ns"] + result["children_cpu_ns"] - starts) / 1e9


def sampled_seconds(result):
    return (result["samples"] + result["lost"]) / result["rate"]


def print_row(name, rows, paths):
    results = [[read(path) for path in some] for some in paths]
    profil, perf = (sum(map(sampled_seconds, some)) for some in results)
    used = sum(map(used_seconds, results[0]))
    worst = max(rows, key=lambda row: abs(row.errors))
    top = rows[0]
    print(f"| `{name}` | {top.name}: {100 * top.profil:.1f} %, {100 * top.perf:.1f} % "
          f"± {100 * top.error:.1f} | {abs(worst.errors):.1f} | "
          f"{profil:.2f}, {used:.2f}, {perf:.2f} |")


def percent_more(value, than):
    return 100 * (value / than - 1)


def seconds(paths):
    """Print CPU seconds. Return: problems."""
    problems = []
    print(f"{'samples':>8} {'by them':>8} {'rusage':>8} {'percent':>8} "
          f"{'by perf':>8} {'percent':>8}")
    for path, perf_path in zip(*paths):
        result = read(path)
        profil, used, perf = (sampled_seconds(result), used_seconds(result),
                              sampled_seconds(read(perf_path)))
        percents = percent_more(profil, used), percent_more(profil, perf)
        print(f"{result['samples']:8} {profil:8.3f} {used:8.3f} {percents[0]:8.2f} "
              f"{perf:8.3f} {percents[1]:8.2f}")
        problems += [f"{path}: differs from {other} by more than {MOST_PERCENT} %"
                     for percent, other in zip(percents, ("rusage", "perf"))
                     if abs(percent) > MOST_PERCENT]
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lose", type=int)
    parser.add_argument("--row")
    parser.add_argument("--seconds", action="store_true")
    parser.add_argument("result", nargs="+")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    paths = options.result, sys.argv[split + 1:]
    if not paths[1]:
        parser.error("no RESULT after -- to compare with")
    if options.seconds:
        problems = seconds(paths)
    else:
        rows, about, problems = compare(paths, options.lose)
        if options.row:
            print_row(options.row, rows, paths)
            return
        print_table(rows, about + in_user(paths[1]))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
