#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: cpu_time.py COMMAND [ARG...]

Runs the command, and prints the CPU time of it and of the processes that it waited for, in
microseconds. Fails if the command fails.
"""
import os
import resource
import sys

pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ,
                      file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)])
_, status = os.waitpid(pid, 0)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(round((used.ru_utime + used.ru_stime) * 1e6))
sys.exit(os.waitstatus_to_exitcode(status) != 0)
