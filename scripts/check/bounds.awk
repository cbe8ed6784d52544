# SPDX-License-Identifier: GPL-2.0-only
#
# bounds.awk - find counts that come near their bounds, in logs of tests
#
# Reads the lines of EXPECT_COUNT() (selftests/lib/profile/expect_count.h). The error of a count is
# its distance from what is due, as a part of what is allowed: above 1 a test fails. Prints the
# counts of which an error was above 0.75, or the mean error above 0.5: such a bound has the wrong
# arithmetic, or luck. Bounds of two samples or less are left out: the phase of the ticks, which is
# one sample at most, is half of them or more.

FNR == 1 { test = "" }

$2 == "RUN" { test = $3; split("", nth) }

/: [0-9]+ counted, [-0-9.]+ to [-0-9.]+ due, [0-9.]+ allowed$/ {
	counted = $0
	sub(/ counted, .*/, "", counted)
	sub(/.* /, "", counted)
	counted += 0
	name = $0
	sub(/: [0-9]+ counted, .*/, "", name)
	sub(/^[ #]*/, "", name)
	allowed = $(NF - 1) + 0
	most = $(NF - 3) + 0
	least = $(NF - 5) + 0
	error = counted > most ? counted - most : counted < least ? counted - least : 0
	if (test == "" || allowed <= 2)
		next
	error /= allowed
	key = test ": " name
	key = key (nth[key]++ ? " (" nth[key] ")" : "")
	sum[key] += error
	nr[key]++
	if (error < 0)
		error = -error
	if (error > worst[key])
		worst[key] = error
}

END {
	for (key in nr) {
		mean = sum[key] / nr[key]
		if (worst[key] > 0.75 || (nr[key] >= 8 && (mean > 0.5 || mean < -0.5)))
			printf "%s: error up to %.2f of the bound, %.2f in the mean of %d\n",
				key, worst[key], mean, nr[key] | "sort"
	}
}
