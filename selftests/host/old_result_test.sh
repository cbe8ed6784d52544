#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A result of profil at commit a81032e, which preloaded a library into the profiled programs, is
# still read, and its reports are the same. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools || exit 1
PROFIL=${PROFIL:-../tools/profil}

# The command is in the report. Its programs are spin, forks, spin-static, which could not be
# profiled, and follow in programs/. The directory of the checkout was renamed in the file.
base64 -d >"$work/result" <<'END'
H4sIEAAAAAAAA3Byb2ZpbCByZXN1bHQgMQDjYirO4GLSTeaqLijKTy9KzC3WLy7IzFMw0DOxVoAL
peUXZRcrGAFFDZFEQQp1i0sSSzKTgTLGKOpzcvLLgYJGCrm5iQVoekDGKGRn5uRYK6RWZJYoGAtx
AuXTMnN0y3KlpM30DI30DA3NtVNSkwyNdBNzU8xMFCoszOKB1KSDy09ufn7zq4TGt96ebywGDWwW
yxk9fjEG/GKMYEm4cek5W8aJV71TWGcxhnHJ6+dkJulDNOrmZOaVVuim55WCBJP1ivP1zIREJq9J
fBPVt9Eyf/5eUz7DzKURQV0OEg0HOBX+PIzTaHjwad////JGHDuOa8/h2zCP24qZkZFxFqMXlzTI
DDMT/ZwUqLFAO3TNTECGGgmJ1O1JfaqvvW/JjC0s/Cv1iyzMq1avlGhQUJh4iFOj4cCn/SAzmRes
4rACGWbKxatfWlykn5SZp5+SWJwhJLIvefrd/4cftxxlvX5vtfVbSZ4O358SDQ2MCjuvs2o0NFxd
dXWV6CxGTy4l/bLEIv2S3AL9ktTiErBXgRgajEWleUDXCIm4eSv+bdFbNVPmyz/eRJZZm+0XzNOR
aHBQeLuBEWjWO5BbZjH6cqmjmlWcmpMGYhTro8WnkMgJg859q8vK509bKFr2RPA3P6vEiX0gz53V
Rrgti0uNCPOA6UlIJFAstOP2ixVnFz57u6T5SdLlyoV2YOMuasGMM+J7wMHCwsLBsoIRTFnxsDKx
MbKzsrFzcPNyzmLM4FIlaBkoyQmJHHmwVy1nktbOaw3z+pXn7DXeOLnhH8iujRpwu3gb2MGWZECt
EhEU5OUWZOHiYmZinsUoz8UanZVZEivx5+BFUMgpNDQ0HADHZss+KStG41mMmlxs0WUpxfmxQiK8
z0xT7Pj3vxXhPvfl2Zd1GvefBccq9OsBrQKngEWM6hzLGQWWMUqhxr8GowGjxYzPv1gcLlyu82BK
+MW4iNGRYwWjwHJGKeI8CjZhwdF2Zoc5+6cdYPRIhZqxEmwGkTEDNmTNwyZmhxOfDhl4SIHNsONY
xSiwkmgzFBhBpjj0/Ggw9ZCBGrCGUWAVqQZ8WHPP2EMabIATx3qwL4hNr2BvfLnxhNXhzoXtiR7G
YENMOTaQEJwWD1b+AUXDLmBW1SFKB7RAFGCUuHK5MQgAy1I4Rl8FAAA=
END

# The reports at that commit, with time zone UTC, 100 columns, and no file of the run
cat >"$work/functions" <<'END'
# command: sh -c 'programs/spin 0.4; programs/forks 2 0.1; programs/spin-static 0.3;
#   programs/follow 0.2 mmap; programs/spin 0.1 kill; exit 3'
# started 2026-11-25 21:33:00 UTC, ran for 1.3 s on profil-vm, Linux 6.12.117+deb12-amd64 x86_64
# 262 samples at 250 Hz = 1.048 s of CPU time; the process used 0.014 s (0.010 s before profiling
#   started, 0.002 s after it ended)
# plus 2 forked children and 4 executed programs, 5 of them using 0.929 s
# 1 of them did not call exit() (killed by a signal, called execl(), or still running): their CPU
#   time and lost samples are unknown
# all processes used 1.399 s of CPU time:
#   0.931 s while they were profiled
#   0.172 s in programs that were not profiled: spin-static 0.172 s
#   0.296 s while programs started or exited, and in programs too short-lived to be seen, and in
#   processes that did not call exit()
# /lib/x86_64-linux-gnu/libc.so.6: No such file or directory below the root: no function names (use
#   --root if the file that ran is elsewhere)
# /lib64/ld-linux-x86-64.so.2: No such file or directory below the root: no function names (use
#   --root if the file that ran is elsewhere)
# /var/tmp/test/selftests/programs/forks: No such file or directory below the root: no function
#   names (use --root if the file that ran is elsewhere)
# /var/tmp/test/selftests/programs/spin: No such file or directory below the root: no function
#   names (use --root if the file that ran is elsewhere)
#
# percent seconds samples  function  object                95%-interval
    19.47   0.204      51  [jit]     [jit]                 15.13..24.69
     7.63   0.080      20  0x1380    spin                  5.00..11.50
     6.49   0.068      17  0x1384    spin                  4.09..10.14
     6.49   0.068      17  0x1388    spin                  4.09..10.14
     6.49   0.068      17  0x1398    spin                  4.09..10.14
     4.96   0.052      13  0x138c    spin                  2.92..8.30
     4.96   0.052      13  0x1534    forks                 2.92..8.30
     4.20   0.044      11  0x1394    spin                  2.36..7.36
     4.20   0.044      11  0x152c    forks                 2.36..7.36
     3.82   0.040      10  0x1404    spin                  2.09..6.88
     3.82   0.040      10  0x1408    spin                  2.09..6.88
     3.44   0.036       9  0x1538    forks                 1.82..6.40
     3.05   0.032       8  0x1528    forks                 1.56..5.91
     2.67   0.028       7  0x1474    forks                 1.30..5.41
     2.67   0.028       7  0x1524    forks                 1.30..5.41
     2.29   0.024       6  0x1468    forks                 1.05..4.91
     2.29   0.024       6  0x1520    forks                 1.05..4.91
     1.91   0.020       5  0x1460    forks                 0.82..4.39
     1.91   0.020       5  0x1478    forks                 0.82..4.39
     1.53   0.016       4  0x1400    spin                  0.60..3.86
     1.15   0.012       3  0x140c    spin                  0.39..3.31
     1.14   0.012       3  0x1418    spin                  0.39..3.31
     0.76   0.008       2  0x1414    spin                  0.21..2.74
     0.76   0.008       2  0x1464    forks                 0.21..2.74
     0.38   0.004       1  0x101a04  libc.so.6             0.07..2.13
     0.38   0.004       1  0x146c    forks                 0.07..2.13
     0.38   0.004       1  0x22520   ld-linux-x86-64.so.2  0.07..2.13
     0.38   0.004       1  0xd43b8   libc.so.6             0.07..2.13
     0.38   0.004       1  0xd4ad4   libc.so.6             0.07..2.13
END
cat >"$work/processes" <<'END'
# percent samples lost CPU seconds pid parent  program                                  95%-interval
    38.55     101    0       0.403 168    167  /var/tmp/test/selftests/programs/spin    32.86..44.57
    19.47      51    0       0.204 175    167  /var/tmp/test/selftests/programs/follow  15.13..24.69
    10.69      28    0       0.111 170    169  ...test/selftests/programs/forks (fork)  7.50..15.01
    10.31      27    0       0.109 172    170  ...test/selftests/programs/forks (fork)  7.18..14.58
     9.92      26    0       0.102 169    167  /var/tmp/test/selftests/programs/forks   6.86..14.14
     0.76       2    0       0.002 167    166  /usr/bin/dash                            0.21..2.74
        -       -    -           - 176    167  /var/tmp/test/selftests/programs/spin
END

# report OPTION...
report() {
	TZ=UTC COLUMNS=100 "$PROFIL" report --root "$work/empty" "$@" "$work/result" 2>"$work/err"
}

by_function() {
	report | diff "$work/functions" - >"$work/profile" && [ ! -s "$work/err" ]
}

# The lines above the table are those of by_function().
by_process() {
	report --by process | sed -n '/^# percent/,$p' |
		diff "$work/processes" - >"$work/profile" && [ ! -s "$work/err" ]
}

export_is_complete() {
	"$PROFIL" export --folded --root "$work/empty" "$work/result" >"$work/profile" 2>"$work/err" &&
	[ "$(awk '{ n += $NF } END { print n }' "$work/profile")" = 262 ]
}

mkdir "$work/empty"
ktap_print_header
ktap_set_plan 3
check "the functions, and the account of the CPU time" by_function
check "the processes" by_process
check "an export has all samples" export_is_complete
ktap_finished
