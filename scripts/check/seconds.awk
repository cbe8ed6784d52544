# SPDX-License-Identifier: GPL-2.0-only
#
# Print the ten slowest programs of the steps of scripts/check/run, and the steps that have become
# dearer. Input: names of steps, a line each. Variables: logs, a folder with STEP.log, in which a
# line "# PROGRAM took N s, CPU time (user + system) N s + N s" is a program's; past, a file with the
# seconds of the programs' last runs, which is written anew; known, one with the CPU seconds that a
# step is known to take; note, true to write it anew.
#
# Seconds of a sealed guest are numbers of instructions, the same on each machine. For the others, a
# machine may be faster or slower than the one on which `known' was written: what counts is how a
# step compares with the median step.

function read_table(file, values,  line, fields) {
	while ((getline line <file) > 0)
		if (line !~ /^#/ && split(line, fields, " ") == 3)
			values[fields[1] " " fields[2]] = fields[3]
	close(file)
}

BEGIN {
	read_table(past, before)
	read_table(known, limit)
}

{
	step = $1
	sealed = 0
	whole = ""
	delete cpu
	delete took
	file = logs "/" step ".log"
	while ((getline line <file) > 0) {
		if (line ~ /^vm: seed /)
			sealed = 1
		if (line !~ /^ *# [^ ]+ .*took [0-9]+ s, CPU time/)
			continue
		n = split(line, word, " ")
		# the step as a whole is counted if it has no programs
		if (word[2] == step) {
			whole = word[n - 4] + word[n - 1]
			continue
		}
		key = step " " word[2]
		cpu[key] += word[n - 4] + word[n - 1]
		took[key] += word[n - 11]
	}
	close(file)
	# time in which a sealed guest is idle takes no time
	for (key in cpu)
		wall[key] = sealed ? cpu[key] : took[key]
	if (!length(cpu) && whole != "") {
		cpu[step " " step] = whole
		wall[step " " step] = whole
	}
	for (key in cpu) {
		seconds[key] = cpu[key]
		sum[step] += cpu[key]
	}
	is_sealed[step] = sealed
}

function median(values, n,  i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && values[j] < values[j - 1]; j--) {
			t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
		}
	return n ? values[int((n + 1) / 2)] : 1
}

END {
	sort = "sort -k1,1nr | head -n 10"
	print "slowest programs:"
	for (key in wall) {
		split(key, part, " ")
		if (wall[key] > 0)
			printf "%6d s%s  %s, %s\n", wall[key],
				key in before ? sprintf(" (%d s last time)", before[key]) : "",
				part[2], part[1] | sort
		before[key] = wall[key]
	}
	close(sort)
	printf "" >past
	for (key in before)
		print key, before[key] >past

	for (key in limit) {
		split(key, part, " ")
		known_sum[part[1]] += limit[key]
	}
	for (step in known_sum)
		if (sum[step] > 2 && !is_sealed[step])
			ratios[++nr] = sum[step] / known_sum[step]
	speed = median(ratios, nr)
	for (step in known_sum) {
		expected = known_sum[step] * (is_sealed[step] ? 1 : speed)
		if (sum[step] > 1.25 * expected && sum[step] > expected + 2)
			printf "dearer: %s takes %.0f CPU seconds, %.0f are known\n",
				step, sum[step], expected
	}
	if (note != "true")
		exit
	print "# SPDX-License-Identifier: GPL-2.0-only" >known
	print "# CPU seconds of each step and program of scripts/check/run (--note-seconds)" >known
	close(known)
	for (key in seconds)
		limit[key] = seconds[key]
	for (key in limit)
		printf "%s %.1f\n", key, limit[key] | "sort >>" known
}
