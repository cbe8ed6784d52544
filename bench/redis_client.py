#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: redis_client.py make >FILE
       redis_client.py send SOCKET <FILE

The work of redis-server in optimize.sh: "make" writes the same commands each time. "send" sends them five
times through a Unix socket, by 8 connections, 16 commands at a time, reads the replies, and ends the
server. It fails if a reply is an error.
"""
import itertools
import random
import socket
import sys
import time

CONNECTIONS = 8
PIPELINE = 16
BATCHES = 8000
ROUNDS = 5
# a reply that no other command has
MARK = b"$9\r\nend-batch\r\n"
SCRIPT = ("local n = tonumber(redis.call('get', KEYS[1]) or '0') "
          "if n % 3 == 0 then redis.call('hincrby', KEYS[2], ARGV[1], n % 7) end "
          "return redis.call('incrby', KEYS[1], ARGV[2])")
PATHS = ["name", "mail", "city", "since", "visits", "plan", "note", "last"]


def one(rng):
    """A command: as in a program that keeps sessions, counters, queues, indexes and rankings"""
    # few keys are used often
    i = min(int(rng.paretovariate(0.6)), 20000)
    word = f"{rng.randrange(1 << 30):x}"
    return rng.choices([
        ("GET", f"page:{i}"),
        ("SET", f"page:{i}", word * rng.randrange(1, 40)),
        ("SETEX", f"session:{i}", "3600", word * 4),
        ("EXISTS", f"session:{i}"),
        ("MGET", *(f"page:{(i + k) % 20000}" for k in range(8))),
        ("INCRBY", f"count:{i % 500}", "3"),
        ("HSET", f"user:{i}", rng.choice(PATHS), word, rng.choice(PATHS), word),
        ("HGET", f"user:{i}", rng.choice(PATHS)),
        ("HGETALL", f"user:{i}"),
        ("HINCRBY", f"visits:{i % 100}", f"{i}", "1"),
        ("LPUSH", f"queue:{i % 20}", word, word),
        ("RPOP", f"queue:{i % 20}"),
        ("LRANGE", f"queue:{i % 20}", "0", "9"),
        ("SADD", f"tag:{i % 200}", f"{i}", word),
        ("SISMEMBER", f"tag:{i % 200}", f"{i}"),
        ("SINTERCARD", "2", f"tag:{i % 200}", f"tag:{rng.randrange(200)}", "LIMIT", "20"),
        ("ZADD", f"rank:{i % 10}", f"{rng.randrange(100000)}", f"user:{i}"),
        ("ZRANGEBYSCORE", f"rank:{i % 10}", f"{rng.randrange(100000)}", "+inf", "LIMIT", "0", "5"),
        ("ZREVRANK", f"rank:{i % 10}", f"user:{i}"),
        ("EXPIRE", f"page:{i}", "100000"),
        ("TTL", f"page:{i}"),
        ("DEL", f"page:{i}"),
        ("SETBIT", f"seen:{i % 30}", f"{rng.randrange(8000)}", "1"),
        ("BITCOUNT", f"seen:{i % 30}"),
        ("PFADD", f"visitors:{i % 30}", word),
        ("XADD", f"events:{i % 10}", "MAXLEN", "~", "500", "*", "user", f"{i}", "what", word),
        ("XREVRANGE", f"events:{i % 10}", "+", "-", "COUNT", "3"),
        ("EVAL", SCRIPT, "2", f"count:{i % 500}", f"visits:{i % 100}", f"{i}", "1"),
    ], [14, 8, 4, 4, 2, 5, 4, 6, 3, 3, 4, 4, 2, 3, 4, 1, 4, 2, 3, 2, 2, 1, 2, 1, 1, 2, 1, 2])[0]


def encode(*words):
    return b"".join([b"*%d\r\n" % len(words),
                     *(b"$%d\r\n%s\r\n" % (len(word), word) for word in map(str.encode, words))])


def make(out):
    """A batch ends with a line of its own"""
    rng = random.Random(1)
    for _ in range(BATCHES):
        out.write(b"".join(encode(*one(rng)) for _ in range(PIPELINE)) + encode("ECHO", "end-batch") + b"\n")


def connect(path):
    """As soon as the server listens"""
    for _ in range(1000):
        one_socket = socket.socket(socket.AF_UNIX)
        try:
            one_socket.connect(path)
            return one_socket
        except OSError:
            one_socket.close()
            time.sleep(0.01)
    sys.exit(f"redis_client.py: no server at {path} after 10 s")


def replies(one_socket):
    got = b""
    while not got.endswith(MARK):
        more = one_socket.recv(1 << 20)
        if not more:
            sys.exit("redis_client.py: the server has closed a connection")
        got += more
    if got.startswith(b"-") or b"\r\n-" in got:
        sys.exit(f"redis_client.py: an error in {got!r}")


def send(path, batches):
    sockets = [connect(path) for _ in range(CONNECTIONS)]
    for some in itertools.zip_longest(*[iter(batches * ROUNDS)] * CONNECTIONS):
        busy = [(s, batch) for s, batch in zip(sockets, some) if batch]
        for one_socket, batch in busy:
            one_socket.sendall(batch)
        for one_socket, _ in busy:
            replies(one_socket)
    sockets[0].sendall(encode("SHUTDOWN", "NOSAVE"))
    if sockets[0].recv(1 << 20):
        sys.exit("redis_client.py: the server does not end")


if sys.argv[1:] == ["make"]:
    make(sys.stdout.buffer)
elif len(sys.argv) == 3 and sys.argv[1] == "send":
    send(sys.argv[2], [batch + b"\r\n" for batch in sys.stdin.buffer.read().split(b"\r\n\n")[:-1]])
else:
    sys.exit(__doc__)
