# SPDX-License-Identifier: GPL-2.0-only
#
# Summarize the log of a step for scripts/check/run: a line of counts, then each failure
# with up to six lines of output before it. Variables: step, status (its exit status),
# seconds; counts, failures (files for the three counts, and for the failed tests' names).

# Quote lines FIRST to LAST of the log.
function quote(first, last, prefix) {
	for (; first <= last; first++)
		if (first > 0)
			details = details "    " prefix line[first] "\n"
}

{ line[NR] = $0 }

/^ *K?TAP version/ { is_ktap = 1 }
/^ *vm: .*(crashed or hung|time-out: |without a verdict)/ && !last_words {
	last_words = NR
}

# Only results of single tests count, KTAP's (indented) and cmocka's, not those of programs.
/^ *ok [0-9]+ |^\[ +OK \]/ {
	if (/^ok /)
		program_skipped += /# SKIP/
	else if (/# SKIP/)
		skipped++
	else
		passed++
	result = NR
}

/^ *(# )?not ok [0-9]+ |^\[  FAILED  \] [a-z_]+$/ {
	quote(result + 7 > NR ? result + 1 : NR - 6, NR)
	result = NR
	# cmocka prints a failure twice
	failed += /^ +not ok/ || /^\[/ && !($0 in names)
	if (!($0 in names)) {
		sub(/^[ #]*/, "")
		print step ": " $0 >failures
	}
	names[line[NR]]
}

# A step without single tests counts as one test.
END {
	if (!passed && !failed && !skipped) {
		if (status)
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
	print passed + 0, failed + 0, skipped + 0 >counts
	printf "%-24s %4d passed %3d failed %3d skipped  %4d s\n",
		step, passed, failed, skipped, seconds
	if (!failed)
		exit
	if (!details)
		quote(NR - 11, NR)
	if (last_words)
		quote(last_words - 8, last_words, "last: ")
	printf "%s    log: build/check/%s.log\n", details, step
	printf "    again: CHECK_SEED=%s scripts/check/run %s\n", seed, step
}
