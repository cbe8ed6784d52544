# SPDX-License-Identifier: GPL-2.0-only
"""The work of python3 in optimize.sh: dicts, strings, classes, generators, json, regular expressions, loops"""
import json
import re
from collections import defaultdict


class Node:
    def __init__(self, key, value):
        self.key, self.value, self.left, self.right = key, value, None, None


class Tree:
    def __init__(self):
        self.root, self.size = None, 0

    def add(self, key, value):
        at = self.root
        if at is None:
            self.root = Node(key, value)
        while at is not None:
            if key == at.key:
                at.value += value
                return
            side = "left" if key < at.key else "right"
            below = getattr(at, side)
            if below is None:
                setattr(at, side, Node(key, value))
            at = below
        self.size += 1

    def walk(self, at):
        if at is not None:
            yield from self.walk(at.left)
            yield at.key, at.value
            yield from self.walk(at.right)


def numbers(count, seed=1):
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2147483648
        yield seed >> 8


def text(lines):
    names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    return "\n".join(f"{n % 28 + 1:02}/{n % 12 + 1:02} {names[n % 6]}[{n % 4096}]: "
                     f"GET /{names[n % 5]}/{n % 997}?q={n:x} {n % 5}00 {n % 10007}"
                     for n in numbers(lines))


def log(lines):
    line = re.compile(r"(\d+)/(\d+) (\w+)\[(\d+)\]: GET (/[^ ?]*)(?:\?q=([0-9a-f]+))? (\d+) (\d+)")
    found = []
    for match in line.finditer(text(lines)):
        day, month, name, pid, path, query, status, size = match.groups()
        found.append({"when": [int(month), int(day)], "who": name, "pid": int(pid), "path": path,
                      "query": query, "good": status < "400", "size": int(size) / 8})
    return found


def summary(entries):
    sizes, paths = defaultdict(float), defaultdict(set)
    for entry in entries:
        sizes[entry["who"]] += entry["size"]
        paths[entry["path"]].add(entry["query"][-2:])
    longest = sorted(paths, key=lambda path: (-len(paths[path]), path))[:20]
    return {"sizes": sizes, "longest": [path.strip("/").upper().replace("/", ".") for path in longest]}


def words(entries):
    tree = Tree()
    for entry in entries:
        for part in re.split(r"[/0-9]+", entry["path"]) + [entry["query"][:3]]:
            try:
                tree.add(part, int(part))
            except ValueError:
                tree.add(part, 1)
    return sum(len(key) * value for key, value in tree.walk(tree.root))


def sieve(limit):
    prime = [True] * limit
    for i in range(2, int(limit ** 0.5) + 1):
        if prime[i]:
            for j in range(i * i, limit, i):
                prime[j] = False
    return sum(prime)


def matrix(size):
    a = [[(i * j) % 7 + 0.5 for j in range(size)] for i in range(size)]
    b = list(zip(*a))
    return sum(sum(x * y for x, y in zip(row, column)) for row in a for column in b)


for turn in range(6):
    entries = json.loads(json.dumps(log(6000)))
    print(json.dumps(summary(entries), indent=1, sort_keys=True))
    print(words(entries), sieve(100000), matrix(60))
