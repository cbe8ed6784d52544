# SPDX-License-Identifier: GPL-2.0-only
#
# Stops a program at random, and writes its registers, its stack and the frames that gdb finds,
# without those that debug information invents (inlined functions, tail calls). For unwind_points.
#
#   gdb -q -batch -x unwind_points.py --args PROGRAM ARGUMENT...
#
# Environment: OUT: file; POINTS: how many stops; GAP: mean distance in seconds.
import gdb
import os
import random
import struct
import subprocess

MAGIC = 0x50465451
# in the order of DWARF
REGISTERS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
FRAMES = 3000

points = int(os.environ.get("POINTS", "200"))
gap = float(os.environ.get("GAP", "0.03"))
out = open(os.environ["OUT"], "wb")
random.seed(1)
for setting in ("pagination off", "confirm off", "style enabled off", "debuginfod enabled off",
                "print thread-events off", "backtrace limit %d" % FRAMES, "backtrace past-main on",
                "backtrace past-entry on"):
    gdb.execute("set " + setting)
gdb.execute("handle SIGUSR1 stop print nopass", to_string=True)
gdb.execute("handle SIGUSR2 SIGSEGV SIGPWR SIGXCPU nostop noprint pass", to_string=True)
gdb.execute("handle SIGURG nostop noprint pass", to_string=True)


def frames():
    pcs = []
    frame = gdb.newest_frame()
    try:
        while frame is not None and len(pcs) < FRAMES:
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                pcs.append(frame.pc())
            frame = frame.older()
    except gdb.error:
        pass
    return pcs


def stop(pid):
    delay = gap * (0.5 + random.random())
    killer = subprocess.Popen(["sh", "-c", "sleep %f; kill -USR1 %d" % (delay, pid)],
                              stderr=subprocess.DEVNULL)
    try:
        gdb.execute("continue", to_string=True)
    except gdb.error:
        return False
    killer.wait()
    return gdb.selected_inferior().pid != 0


gdb.execute("starti", to_string=True)
last = None
for point in range(points):
    pid = gdb.selected_inferior().pid
    if not pid or not stop(pid):
        break
    frame = gdb.newest_frame()
    registers = [int(frame.read_register(name)) & (2**64 - 1) for name in REGISTERS]
    maps = open("/proc/%d/maps" % pid).read()
    sp = registers[7]
    end = sp
    for line in maps.splitlines():
        low, high = (int(address, 16) for address in line.split()[0].split("-"))
        if low <= sp < high:
            end = high
    words = min((end - sp) // 8, 16384)
    data = bytes(gdb.selected_inferior().read_memory(sp, words * 8)) if words else b""
    pcs = frames()
    text = maps.encode() if maps != last else b""
    last = maps
    out.write(struct.pack("<IIII", MAGIC, len(text), words, len(pcs)) + text +
              struct.pack("<17Q", *registers) + data + struct.pack("<%dQ" % len(pcs), *pcs))
out.close()
if gdb.selected_inferior().pid:
    gdb.execute("kill", to_string=True)
