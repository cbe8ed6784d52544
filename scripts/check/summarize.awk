# SPDX-License-Identifier: GPL-2.0-only
#
# Summarize the log of a step for scripts/check/run and seeds: a line of counts, then each
# failure with up to six lines of output before it. Variables: step, status (its exit status),
# seconds, last (how long it took the last time); counts, failures (files for the three counts, and for a line "STEP: PROGRAM: CASE"
# for each failure).

# Quote lines FIRST to LAST of the log.
function quote(first, last, prefix) {
	for (; first <= last; first++)
		if (first > 0)
			details = details "    " prefix line[first] "\n"
}

# Write the name of a failure, and return whether it is a new one.
function is_new_failure(name) {
	name = step ": " (program ? program ": " : "") name
	if (name in names)
		return 0
	names[name]
	nr_names++
	print name >failures
	return 1
}

{ line[NR] = $0 }

/^ *K?TAP version/ { is_ktap = 1 }
/^# Subtest: / {
	program = $3
	cases = 0
}
# two machines compare the digests of a sealed guest: equal inputs give equal logs
/^vm: seed [0-9]+, inputs [0-9a-f]+, kernel log [0-9a-f]+/ {
	digests = sprintf("  inputs %.8s, log %.8s", $5, $8)
}
# what passed at another commit (scripts/check/passed.sh)
/^(vm|check): same inputs as at / {
	same = $6
	sub(/:$/, "", same)
}
/^vm: .*, inputs / { nr_guests++ }
/^vm: same inputs/ { nr_same++ }
/^check: no time left/ { no_time = $0 }
/^ *vm: .*(logged a warning|crashed or hung|time-out: |without a verdict)/ && !last_words {
	last_words = NR
}

# Only results of single tests count, KTAP's (indented), cmocka's and kunit.py's, not those of programs.
/^ *ok [0-9]+ |^\[ +OK \]|^\[[0-9:]+\] \[(PASSED|SKIPPED)\]/ {
	if (/^ok /)
		program_skipped += /# SKIP/
	else if (/# SKIP|\[SKIPPED\]/)
		skipped++
	else
		passed++
	result = NR
}

/^ *(# )?not ok [0-9]+ |^\[  FAILED  \] [a-z_]+$|^\[[0-9:]+\] \[FAILED\]/ {
	quote(result + 7 > NR ? result + 1 : NR - 6, NR)
	result = NR
	name = $0
	sub(/^(\[[0-9:]+\] )?[ #[]*(not ok [0-9]+|FAILED( *)\]) (- )?/, "", name)
	# cmocka prints a failure twice
	if (/^ +not ok|^\[[0-9:]+\]/) {
		is_new_failure(name)
		failed++
		cases++
	} else if (/^\[/)
		failed += is_new_failure(name)
	# A program that fails without a failed case has crashed, or the kernel has warned.
	else if (/^not ok/ && !cases)
		is_new_failure(substr(name, index(name, "#")))
}

# A step without single tests counts as one test.
END {
	if (!passed && !failed && !skipped) {
		if (no_time)
			skipped = 1
		else if (status)
			failed = 1
		else if (program_skipped)
			skipped = 1
		else if (is_ktap) {
			details = "    no test ran\n"
			failed = 1
		} else
			passed = 1
	}
	if (status && !failed)
		failed = 1
	# the guest's own message, not that of a guest that a test has run
	if (failed && line[last_words] ~ /^vm: /)
		is_new_failure(line[last_words])
	if (failed && !nr_names)
		is_new_failure(NR ? line[NR] : "no output")
	print passed + 0, failed + 0, skipped + 0 >counts
	what = no_time ? "  " substr(no_time, 8) : same && nr_same == nr_guests ? \
		"  same inputs as at " same : last ? sprintf(" (%d s last time)", last) : ""
	printf "%-24s %4d passed %3d failed %3d skipped  %4d s%s%s\n",
		step, passed, failed, skipped, seconds, what, digests
	if (!failed)
		exit
	if (!details)
		quote(NR - 11, NR)
	if (last_words)
		quote(last_words - 8, last_words, "last: ")
	printf "%s    log: build/check/%s.log\n", details, step
	printf "    again: CHECK_SEED=%s scripts/check/run %s\n", seed, step
}
