# SPDX-License-Identifier: GPL-2.0-only
#
# Makes completions and synopses of the options of the subcommands. Usage:
#
#   awk -v for_=bash|zsh|fish|mdoc -f options.awk OPTIONS
#
# A line of OPTIONS is a subcommand, and a line of its --list-options: letter, name, argument, a ? if
# that may be omitted, and what it does. An argument with | has these values; of others, its name
# tells what is completed.

BEGIN { FS = "\t" }

# The values of an argument, separated by spaces; empty: not known
function values(arg) {
	if (arg !~ /\|/ && arg != "fdata")
		return ""
	gsub(/\|/, " ", arg)
	return arg
}

# What it does, as short as a completion shows it
function short(doc) {
	sub(/[.;(:].*/, "", doc)
	sub(/ +$/, "", doc)
	gsub(/'/, "", doc)
	return doc
}

{
	sub_of[$1] = sub_of[$1] == "" ? NR : sub_of[$1] " " NR
	if (!($1 in seen)) {
		seen[$1] = 1
		subs[++nr_subs] = $1
	}
	letter[NR] = $2; name[NR] = $3; arg[NR] = $4; optional[NR] = $5 == "?"; doc[NR] = $6
}

function bash(    s, i, n, of, words, cases, takes) {
	print "_profil_options() {\n\tcase $1 in"
	for (s = 1; s <= nr_subs; s++) {
		n = split(sub_of[subs[s]], of, " ")
		words = ""
		for (i = 1; i <= n; i++) {
			if (name[of[i]] != "")
				words = words " --" name[of[i]] (arg[of[i]] != "" && !optional[of[i]] ? "=" : "")
			if (arg[of[i]] != "" && !optional[of[i]])
				takes = takes (letter[of[i]] != "" ? " -" letter[of[i]] : "") \
					(name[of[i]] != "" ? " --" name[of[i]] : "")
			if (values(arg[of[i]]) == "")
				continue
			# the value of an optional one is not a word of its own
			cases = cases "\t" subs[s] ":--" name[of[i]] "=" (optional[of[i]] ? "" : \
				" | " subs[s] ":--" name[of[i]] (letter[of[i]] != "" ? " | " subs[s] ":-" letter[of[i]] : "")) \
				") echo " values(arg[of[i]]) " ;;\n"
		}
		print "\t" subs[s] ") echo" words " ;;"
	}
	print "\tesac\n\techo --help --usage --version\n}"
	print "\n_profil_values() {\n\tcase $1:$2 in\n" cases \
		"\t" "run:-p | run:--pid | run:--pid= | top:-p | top:--pid | top:--pid=) (cd /proc && echo [0-9]*) ;;"
	print "\t*) return 1 ;;\n\tesac\n}"
	print "\n_profil_takes_argument() {\n\t[[ \"" takes " \" == *\" $1 \"* ]]\n}"
}

function zsh_action(a) {
	if (values(a) != "")
		return "(" values(a) ")"
	if (a ~ /^(FILE|OUT|COPY|OBJECT|PROGRAM)$/)
		return "_files"
	if (a == "DIR")
		return "_files -/"
	if (a == "FUNCTION")
		return "_profil_functions"
	if (a == "PATH")
		return "_path_files -/ -W /sys/fs/cgroup"
	return a ~ /^PID\[/ ? "_pids" : ""
}

function zsh(    s, i, n, of, o, spec) {
	for (s = 1; s <= nr_subs; s++) {
		n = split(sub_of[subs[s]], of, " ")
		print "typeset -ga _profil_options_" subs[s] "=("
		for (i = 1; i <= n; i++) {
			o = of[i]
			spec = "[" short(doc[o]) "]"
			if (arg[o] != "")
				spec = spec (optional[o] ? "::" : ":") "value:" zsh_action(arg[o])
			if (letter[o] != "")
				print "\t'*-" letter[o] (arg[o] != "" ? "+" : "") spec "'"
			if (name[o] != "")
				print "\t'*--" name[o] (arg[o] == "" ? "" : optional[o] ? "=-" : "=") spec "'"
		}
		print ")"
	}
}

function fish(    s, i, n, of, o, in_, how) {
	printf "set -g __profil_with_argument"
	for (o = 1; o <= NR; o++)
		if (arg[o] != "" && !optional[o])
			printf "%s%s", letter[o] != "" ? " -" letter[o] : "", name[o] != "" ? " --" name[o] : ""
	print ""
	for (s = 1; s <= nr_subs; s++) {
		n = split(sub_of[subs[s]], of, " ")
		in_ = subs[s] ~ /^(run|top)$/ ? "__profil_in_" subs[s] : "'__profil_in " subs[s] "'"
		for (i = 1; i <= n; i++) {
			o = of[i]
			how = ""
			if (arg[o] ~ /^(FILE|OUT|COPY|OBJECT|PROGRAM)$/)
				how = " -r -F"
			else if (arg[o] != "" && !optional[o])
				how = " -x"
			if (values(arg[o]) != "" && !optional[o])
				how = how " -a '" values(arg[o]) "'"
			else if (arg[o] == "DIR")
				how = how " -a '(__fish_complete_directories)'"
			else if (arg[o] == "FUNCTION")
				how = how " -a '(__profil_functions)'"
			else if (arg[o] == "PATH")
				how = how " -a '(__profil_cgroups)'"
			else if (arg[o] ~ /^PID\[/)
				how = how " -a '(__fish_complete_pids)'"
			print "complete -c profil -n " in_ (letter[o] != "" ? " -s " letter[o] : "") \
				(name[o] != "" ? " -l " name[o] : "") how " -d '" short(doc[o]) "'"
		}
	}
}

# For SYNOPSIS, a line for each option without its aliases
function mdoc(    s, i, n, of, o, value) {
	for (s = 1; s <= nr_subs; s++) {
		n = split(sub_of[subs[s]], of, " ")
		for (i = 1; i <= n; i++) {
			o = of[i]
			if (i > 1 && doc[o] == doc[of[i - 1]])
				continue
			value = values(arg[o]) != "" ? "Cm " arg[o] : "Ar " tolower(arg[o])
			gsub(/\|/, " | ", value)
			print subs[s] "\t" name[o] "\t.Op " (arg[o] == "" ? "Fl " (letter[o] != "" ? letter[o] : "-" name[o]) : \
				optional[o] ? "Fl -" name[o] " Ns Op = Ns " value : \
				letter[o] != "" ? "Fl " letter[o] " " value : "Fl -" name[o] " Ns = Ns " value)
		}
	}
}

END {
	if (for_ == "bash")
		bash()
	else if (for_ == "zsh")
		zsh()
	else if (for_ == "fish")
		fish()
	else
		mdoc()
}
