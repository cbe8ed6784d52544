#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# README, doc/ and the manual pages are correct: example programs compile without a warning,
# example commands run, and options, links and paths exist. The audits of the five systems' manual
# pages (programs/pages/audit), faults.md and bugs/ name tests and deviations that exist. Runs
# natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s programs/spin &&
	make -s -C unit export_sample || exit 1
spin=$(readlink -f programs/spin)
sample=$(readlink -f unit/export_sample)
PATH=$(readlink -f ../tools):$PATH

# Puts each code block (indented by four spaces) of README and doc/ in a file, $work/block/N.
mkdir "$work/block"
awk -v to="$work/block/" '
	FNR == 1 { fenced = within = 0; blank = "" }
	/^```/ { fenced = !fenced }
	fenced { next }
	/^    / {
		if (!within)
			nr++
		within = 1
		printf "%s%s\n", blank, substr($0, 5) >(to nr)
		blank = ""
		next
	}
	/^$/ { if (within) blank = blank "\n"; next }
	{ within = 0; blank = "" }' ../README.md ../doc/*.md

# block TEXT: prints the file of the only block that contains TEXT
block() {
	local found

	mapfile -t found < <(grep -lF -- "$1" "$work"/block/*)
	[ ${#found[@]} = 1 ] && echo "${found[0]}"
}

# examples PAGE: puts the programs of its section EXAMPLES, as rendered, in $work/examples/N.c
examples() {
	rm -rf "$work/examples" && mkdir "$work/examples" &&
	mandoc -T ascii -O width=200 "$1" | col -bx | awk -v to="$work/examples/" '
		/^[A-Z]/ { here = /^EXAMPLES/ }
		!here { next }
		/^ *#include/ && !within { within = 1; nr++; indent = index($0, "#") }
		within { print substr($0, indent) >(to nr ".c") }
		within && substr($0, indent) == "}" && seen { within = seen = 0 }
		within && /main\(/ { seen = 1 }'
}

# compiles FILE FLAG...
compiles() {
	cc -Wall -Wextra -Werror -I../lib/include -I../uapi -x c "$1" -x none "${@:2}" \
		-o "$work/program" ../lib/libprofil.so 2>"$work/err"
}

all_compile() {
	local file

	for file in "$@"; do
		compiles "$file" -O0 && compiles "$file" -O2 || return
	done
}

readme_programs() {
	local programs

	mapfile -t programs < <(grep -l '^#include' "$work"/block/*)
	[ ${#programs[@]} -gt 0 ] && all_compile "${programs[@]}"
}

manual_programs() {
	examples "$1" && all_compile "$work"/examples/*.c
}

# dialect_program PAGE DIALECT: its program compiles with the types of the system's manual page
dialect_program() {
	examples "$1" &&
	compiles "$work/examples/1.c" -no-pie -DPROFIL_PAGE_TYPES "-I../lib/include/profil/$2" \
		"../lib/libprofil-$2.so"
}

# run_installed DIRECTORY: runs the shell commands on standard input there, with the files that
# `make install` installs
run_installed() (
	# the default PREFIX: another one would rebuild the command while other tests use it
	make -s -C .. install DESTDIR="$work/installed" >/dev/null &&
	cd "$1" &&
	PKG_CONFIG_SYSROOT_DIR=$work/installed PKG_CONFIG_PATH=$work/installed/usr/local/lib/pkgconfig \
		LIBRARY_PATH=$work/installed/usr/local/lib \
		LD_LIBRARY_PATH=$work/installed/usr/local/lib bash -e >"$work/out" 2>"$work/err"
)

# Without the device, the program uses a timer.
readme_library() {
	mkdir "$work/c" && cp "$(block '#include <profil.h>')" "$work/c/prog.c" &&
	{ grep -o '`cc prog\.c [^`]*`' ../README.md | tr -d '`' && echo ./a.out; } |
		run_installed "$work/c"
}

# A result of ./prog, with one sample at the start of a function
readme_viewers() {
	local address

	command -v go >/dev/null && mkdir "$work/view" "$work/bin" &&
	ln -s "$(command -v callgrind_annotate)" "$work/bin/kcachegrind" &&
	cp "$spin" "$work/view/prog" &&
	address=$(nm "$spin" | awk '$3 == "spin_much" { print $1 }') &&
	echo "0 $address 1000" |
		"$sample" result "$work/view/profil.out" "$work/view/prog" &&
	cp "$work/view/profil.out"{,.old} &&
	PATH=$work/bin:$PATH run_installed "$work/view" <"$(block 'go tool pprof -top')" &&
	[ "$(grep -c spin_much "$work/out")" -ge 3 ] &&
	[ -s "$work/view/prog.html" ] && [ -s "$work/view/changes.html" ]
}

# The guides' programs (blocks "```c FILE") compile with the guides' commands, without a warning.
guide_programs() {
	mkdir "$work/guides" &&
	awk -v to="$work/guides/" '
		/^```/ { file = $1 == "```c" ? $2 : ""; next }
		file { print >(to file) }' ../doc/coming-from-*.md &&
	grep -h '^\$ cc ' ../doc/coming-from-*.md | cut -c3- | sort -u >"$work/commands" &&
	[ "$(wc -l <"$work/commands")" -ge "$(ls "$work/guides" | wc -l)" ] &&
	run_installed "$work/guides" <"$work/commands" && [ ! -s "$work/err" ]
}

# The program with -pg runs, without the module: libprofil says so, and has the C library count.
guide_pg() {
	grep -hE '^\$ (PROFIL_RATE=.* |gprof -b )\./prog-pg' ../doc/coming-from-gprof.md | cut -c3- |
		run_installed "$work/guides" && grep -q 'Flat profile' "$work/out"
}

# Each name after pkg-config in a document or manual page is that of an installed file.
pkg_config_names() {
	local name failed=0

	make -s -C .. install DESTDIR="$work/installed" >/dev/null || return
	while read -r name; do
		[ -e "$work/installed/usr/local/lib/pkgconfig/$name.pc" ] ||
			{ echo "# no $name.pc"; failed=1; }
	done < <(sed 's/\\-/-/g; s/[fI\\]*dialect\\fP/bsd/' ../README.md ../doc/*.md ../lib/man/* |
		grep -oE 'pkg-config( --[a-z]+)+ [a-z0-9-]+' | awk '{ print $NF }' | sort -u)
	return $failed
}

# Links to files, and paths of this tree in backquotes, exist.
document_paths() {
	local document directory path failed=0

	while read -r document; do
		directory=$(dirname "$document")
		while read -r path; do
			[ -e "$directory/${path%%#*}" ] ||
				{ echo "# $document: no file $path"; failed=1; }
		done < <(grep -oE '\]\([^)#:]+[^):]*\)' "$document" | sed 's/^](//; s/)$//')
		while read -r path; do
			compgen -G "../$path" >/dev/null ||
				{ echo "# $document: no file $path"; failed=1; }
		done < <(grep -oE '`[^`]+`' "$document" | tr -d '`' |
			grep -oE '(^| )(module|uapi|lib|tools|selftests|scripts|doc)/[A-Za-z0-9_./*-]*' |
			tr -d ' ')
	done < <(git ls-files '../*.md')
	return $failed
}

# The links of the site lead somewhere, and its index lists all pages: documents with their first
# sentence
site_links() {
	local manuals=(../lib/man/*.[1-9] ../tools/man/*.[1-9])

	../scripts/site && host/site_check.py ../build/doc &&
	[ "$(grep -c 'href="man/' ../build/doc/index.html)" = ${#manuals[@]} ] &&
	[ "$(grep -c '</a>: [^ ].*\.</li>' ../build/doc/index.html)" = "$(ls ../doc/*.md | wc -l)" ]
}

# test_source PROGRAM: the source of a test of this tree, of a unit test or of a KUnit suite
test_source() {
	case $1 in
	*/*) compgen -G "$1.c" || compgen -G "${1%.sh}.sh" ;;
	profil_*) compgen -G "../module/tests/${1#profil_}_kunit.c" ||
		grep -l "\.name = \"$1\"" ../module/tests/*.c ;;
	*) compgen -G "unit/*/$1.c" ;;
	esac
}

# faults.md: the tests in the last column of its tables exist. They are PROGRAM or PROGRAM: CASE,
# CASE (remark), separated by semicolons.
faults_tests() {
	local entry program cases name source failed=0

	while IFS= read -r entry; do
		program=${entry%%: *}
		cases=${entry#"$program"}
		cases=${cases#: }
		source=$(test_source "$program") ||
			{ echo "# no test $program"; failed=1; continue; }
		while IFS= read -r name; do
			grep -qF -- "$name" "$source" ||
				{ echo "# $source: no case $name"; failed=1; }
		done < <(tr ',' '\n' <<<"$cases" | sed 's/^ *//' | grep .)
	done < <(awk -F ' [|] ' '/^[|]/ && NF >= 3 { print $3 }' faults.md |
		sed 's/ *|$//; s/([^)]*)//g' | tr ';' '\n' | sed 's/^ *//; s/ *$//; s/^unit: //' |
		grep -oE '^(([a-z]+/)?[a-z_]+_test|profil_[a-z_]+)(\.sh)?(: .*)?$')
	return $failed
}

# SECURITY.md lists each program of attacks/, and no other.
security_attacks() {
	sed -n 's/^| `\([a-z_]*_test\)` | .*/\1/p' ../SECURITY.md | LC_ALL=C sort |
		diff - <(basename -s .c -a attacks/*_test.c | LC_ALL=C sort) >"$work/err"
}

# The test that has to find a bug, in the "Test:" line of its patch: PROGRAM [-t CASE]
bug_tests() {
	local patch line program case source failed=0

	while IFS=: read -r patch line; do
		program=$(grep -oE '[a-z]+/[a-z_]+_test(\.sh)?' <<<"$line" | tail -n 1)
		case=$(grep -oE -- '-[tr] .*' <<<"$line" | grep -oE '[a-z_0-9]+$')
		{ source=$(test_source "$program") && grep -qF -- "$case" "$source"; } ||
			{ echo "# $patch: no $line"; failed=1; }
	done < <(grep -H '^Test: ' bugs/*.patch | sed 's/:Test: /:/')
	return $failed
}

options_of() {
	{ awk -F '\t' -v of="$2" '$1 == of && $3 != "" { print "--" $3 }' ../tools/generated/options
		printf '%s\n' --help --usage --version; } | sort -u
}

# commands: prints the commands of README and doc/ that call profil: in blocks, after a prompt in
# fenced blocks, in comments of these, and in backquotes
commands() {
	grep -ohE '(^|^ +(- )?|then: )profil .*' "$work"/block/* | sed -E 's/^[^p]*//; s/^then: //'
	grep -h '^\$ profil ' ../README.md ../doc/*.md | cut -c3-
	grep -ohE '`profil [^`]+`' ../README.md ../doc/*.md | tr -d '`'
}

# with_names: the commands on standard input, with names of files, functions and processes that are
# here
with_names() {
	sed -E '
		s/ +#.*//; s/\\?[|;<>].*//
		s/\$\([^)]*\)|\b(PID|47[0-9]{2})\b/'$$'/g
		s/\b(NAME|FUNCTION|malloc|main|harmonic)\b/spin_much/g
		s/--(program|thread) [A-Za-z0-9]+/--by object/; s/--root DIR/--root=\//
		s/\b(COMMAND|PROGRAM)\b/.\/prog/g
		s/OLD\.\.\. -- NEW\.\.\./old.1 old.2 -- new.1 new.2/; s/old\.\?/old.1 old.2/; s/new\.\?/new.1 new.2/
		s/\b(OLD|NEW|FILE)\b/\L\1.out/g; s/\$i/1/'
}

# understands WORD...: runs the command; one for results succeeds, another one may lack the module. In
# prose, it may lack its operands.
understands() {
	local status=0 error

	"$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	error=$(<"$work/err")
	[[ $error == Usage:* || $error == *' are '@(required|needed)* || $error == *': choose a format:'* ]] ||
	case ${2-} in
	report | diff | merge | export | compare) [[ $status == [034] ]] ;;
	*) [[ $error != *'Try `profil'* && $error != *': not found'* ]] ;;
	esac
}

# The commands of README and doc/ run, in a folder with programs and results of these names.
document_commands() {
	local words file failed=0

	mkdir -p "$work/run/base" "$work/run/here" &&
	cc -g -O2 -I../uapi -I../lib/include -pthread -Wl,--emit-relocs programs/spin.c -o "$work/run/spin" &&
	echo "0 $(nm "$work/run/spin" | awk '$3 == "spin_much" { print $1 }') 1000" |
		STACKS=1 "$sample" result "$work/run/here/profil.out" "$work/run/spin" &&
	commands | with_names | sort -u >"$work/commands" &&
	cd "$work/run/here" || return
	for file in {old,new}.{1..5} {old,new,file,monday,tuesday}.out profil.out.old; do
		cp profil.out "$file"
	done
	for file in prog old new sqlite3 ../base/prog; do
		cp "$(type -P true)" "$file"
	done
	while read -ra words; do
		understands "${words[@]//\'/}" ||
			{ echo "# ${words[*]}"; sed 's/^/#   /' "$work/err" | head -n 3; failed=1; }
	done <"$work/commands"
	cd "$OLDPWD" && return $failed
}

# documented_options SUBCOMMAND: every option is in its manual page, and in its SYNOPSIS as the command has
# it; every option of the page exists; and the completions have them
documented_options() {
	local option page=profil-$1.1 shell described=("../tools/man/profil-$1.1")

	# its page refers to the other one for the options of both
	[ "$1" != top ] || described+=(../tools/man/profil-run.1)
	options_of profil "$1" >"$work/options"
	../tools/completion/synopsis ../tools/generated/options "../tools/man/$page" |
		diff "../tools/man/$page" - >"$work/diff" ||
		{ echo "# make -C tools synopses:"; sed 's/^/#   /' "$work/diff"; return 1; }
	for option in $(options_of profil "$1"); do
		case $option in
		--help | --usage | --version) continue ;;
		esac
		for shell in bash zsh fish; do
			grep -qE -- "(--| -l )${option#--}\b" "../tools/generated/profil.$shell" ||
				{ echo "# completion for $shell: no $option"; return 1; }
		done
		grep -qE -- "^\.It .*Fl -${option#--}( |\$)" "${described[@]}" ||
			{ echo "# $page: no $option"; return 1; }
	done
	for option in $(grep '^\.It ' "../tools/man/$page" | grep -oP 'Fl -\K[a-z-]+'); do
		options_of profil "$1" | grep -qxFe "--$option" ||
			{ echo "# $page: --$option does not exist"; return 1; }
	done
}

# The page lists all texts of a result: nobody who gives one to others is surprised.
texts_of_a_result() {
	awk '/^message / { message = $2 }
		/^  (repeated )?bytes / { sub(/repeated /, ""); print message "." $2 }' \
		../tools/result/profil.proto | sort >"$work/texts"
	sed -n '/^\.Sh CONTENTS OF A RESULT/,/^\.Sh EXIT/s/^\.\\" \([A-Z][a-z]*\..*\)/\1/p' ../tools/man/profil.1 |
		tr ' ' '\n' | sort | diff "$work/texts" - >"$work/diff" || { sed 's/^/# /' "$work/diff"; false; }
}

# audit_cells FILE: prints each row of its tables on a line, with $cell between the cells. A row of
# a sentence has four cells; a row of a deviation without a sentence has two.
cell=$'\x1f'
audit_cells() {
	sed -n '/^|/{/^| sentence |/d; /^| deviation |/d; /^|-/d; s/^| *//; s/ *|$//; s/ *| */'"$cell"'/g; p}' \
		"$1"
}

# quoted TEXT: prints each string in backquotes on a line
quoted() {
	grep -o '`[^`]*`' <<<"$1" | tr -d '`'
}

# audit_tests FILE: each row names tests that exist, or the reason why there is none
audit_tests() {
	local first result shown rest reference file name failed=0

	while IFS=$cell read -r first result shown rest; do
		[[ $first = '`'* ]] && shown=$result
		[[ $shown = '`'* || $shown = "not shown: "?* ]] ||
			{ echo "# no test: $first"; failed=1; }
		while IFS= read -r reference; do
			file=${reference%%: *}
			name=${reference#"$file"}
			grep -qswF -- "${name#: }" "$file" "../lib/$file" ||
				{ echo "# no test $reference"; failed=1; }
		done < <(quoted "$shown")
	done < <(audit_cells "$1")
	return $failed
}

# deviations PAGE: prints each item of its list DEVIATIONS on a line
deviations() {
	mandoc -T ascii -O width=1000 "../lib/man/$1" | col -bx | awk '
		/^[A-Z]/ { here = /^DEVIATIONS/ }
		!here || /^$/ { next }
		/^     -  / { if (item) print item; item = "" }
		/^     -  |^        / { $1 = $1; item = item (item ? " " : "") $0 }
		END { if (item) print item }' | sed 's/^- //'
}

# audit_deviations FILE PAGE: each sentence with the result "deviates" or "missing" quotes the first
# words of one item in the list of PAGE or of profil-dialects(7), and each item of PAGE has a row
audit_deviations() {
	local first result shown named text item failed=0

	deviations "$2" >"$work/own"
	deviations profil-dialects.7 >"$work/shared"
	: >"$work/named"
	while IFS=$cell read -r first result shown named; do
		[[ $first = '`'* ]] && named=$first result=deviates
		case $result,$named in
		holds, | holds,'`'* | deviates,'`'* | missing,'`'*) ;;
		*) echo "# result and deviation do not match: $first"; failed=1 ;;
		esac
		while IFS= read -r text; do
			echo "$text" >>"$work/named"
			[ "$(sort -u "$work/own" "$work/shared" |
				awk -v text="$text" 'index($0, text) == 1' | wc -l)" = 1 ] ||
				{ echo "# not exactly once in $2: $text"; failed=1; }
		done < <(quoted "$named")
	done < <(audit_cells "$1")
	[ -s "$work/own" ] || { echo "# no DEVIATIONS in $2"; failed=1; }
	while IFS= read -r item; do
		while IFS= read -r text; do
			[[ $item = "$text"* ]] && continue 2
		done <"$work/named"
		echo "# not in $1: $item"
		failed=1
	done <"$work/own"
	return $failed
}

# shows_as_a_program REFERENCE: the test does no more than the page lets a program do. A unit test of the
# library has no counters that the kernel increments, and what a status call counts is not yet
# what a program sees: the call waits for samples that are pending.
shows_as_a_program() {
	local file=${1%%: *}
	local name=${1#"$file"}

	case $file in
	programs/* | *.sh | *.vectors | man/*) return ;;
	unit/*) return 1 ;;
	esac
	! awk -v name="${name#: }" '
		/^TEST[A-Z_]*\(/ { inside = $0 ~ "[(, ]" name "[,)]" }
		inside' "$file" |
		grep -qE 'status|[^_]stay\(|counts_at|is_silent|scene_state|EXPECT_COUNT|[^_]stop\('
}

# audit_reads FILE: each sentence that holds is shown by such a test
audit_reads() {
	local first result shown rest reference failed=0

	while IFS=$cell read -r first result shown rest; do
		[ "$result" = holds ] || continue
		while IFS= read -r reference; do
			shows_as_a_program "$reference" && continue 2
		done < <(quoted "$shown")
		echo "# holds only by tests that do more than a program of the page: $first"
		failed=1
	done < <(audit_cells "$1")
	return $failed
}

# audit_shared: the last cell of each row of shared.md has the pages with a sentence that the deviation
# contradicts, whose audits count it, or the reason why there is none. No other audit counts it.
audit_shared() {
	local text tests pages page named failed=0

	while IFS=$cell read -r text tests pages; do
		[[ $pages = "none: "?* || " $pages " =~ ^(\ (solaris|bsd|linux099|osf1|aix|svid))+\ $ ]] ||
			{ echo "# not pages: $pages"; failed=1; }
		[ -n "$tests" ] || failed=1
		for page in solaris bsd linux099 osf1 aix svid; do
			named=$(audit_cells "programs/pages/audit/$page.md" | grep -v '^`' |
				awk -F "$cell" -v text="${text//\`/}" '
				$2 == "deviates" {
					split($4, quotes, "`")
					for (i = 2; i in quotes; i += 2)
						n += index(text, quotes[i]) == 1 || index(quotes[i], text) == 1
				}
				END { print n ? "yes" : "no" }')
			[ "$named" = "$([[ " $pages " = *" $page "* ]] && echo yes || echo no)" ] ||
				{ echo "# $page: counted: $named: $text"; failed=1; }
		done
	done < <(audit_cells programs/pages/audit/shared.md)
	return $failed
}

audit_totals() {
	local totals

	totals=$(audit_cells "$1" | awk -F "$cell" '
		/^"|^[a-z]/ && NF >= 3 { n[$2]++; next }
		!/^`/ { print "no row: " $0 }
		END { printf "Totals: %d hold, %d deviate, %d missing.\n",
			n["holds"], n["deviates"], n["missing"] }')
	[ "$(sed -n '5p' "$1")" = "$totals" ] || { echo "# $totals"; false; }
}

# Each audit and the manual page of this project
audits=(
"solaris profil_solaris.2"
"bsd profil_bsd.2"
"linux099 profil_linux099.2"
"osf1 profil_osf1.2"
"aix profil_aix.2"
"svid profil_svid.2"
"shared profil-dialects.7"
)

ktap_print_header
mapfile -t pages < <(grep -l 'int main' ../lib/man/*)
ktap_set_plan $((1 + ${#pages[@]} + 12 + 9 + 2 + 4 * ${#audits[@]} + 1))
check "README, doc/: programs compile" readme_programs
for page in "${pages[@]}"; do
	case $page in
	*/monitor.3 | */prof.5)
		check "${page##*/}: the program compiles" dialect_program "$page" solaris
		;;
	*/profil_*.2)
		dialect=${page##*/profil_}
		check "${page##*/}: the program compiles" dialect_program "$page" "${dialect%.2}"
		;;
	*) check "${page##*/}: programs compile" manual_programs "$page" ;;
	esac
done
check "README: a program linked with the library runs" readme_library
check "doc/: viewers read the exports" readme_viewers
check "README, doc/: commands run" document_commands
check "doc/coming-from-*: programs compile by the commands" guide_programs
check "doc/coming-from-gprof: the program with -pg runs" guide_pg
check "all documents: names of pkg-config exist" pkg_config_names
check "all documents: links and paths exist" document_paths
check "make doc: links lead to pages, the index lists all" site_links
check "faults.md: tests exist" faults_tests
check "SECURITY.md: all attacks are listed" security_attacks
check "bugs/: tests exist" bug_tests
check "profil.1: all texts of a result are listed" texts_of_a_result
for subcommand in run top report diff compare merge export optimize info; do
	check "options of $subcommand: manual page and completion match" \
		documented_options "$subcommand"
done
for shell in zsh fish; do
	if command -v $shell >/dev/null; then
		check "completion for $shell: syntax" $shell -n ../tools/generated/profil.$shell
	else
		ktap_test_skip "completion for $shell: syntax: no $shell"
	fi
done
for line in "${audits[@]}"; do
	read -r audit page <<<"$line"
	audit=programs/pages/audit/$audit.md
	check "$audit: tests exist" audit_tests "$audit"
	check "$audit: deviations match $page" audit_deviations "$audit" "$page"
	check "$audit: totals are correct" audit_totals "$audit"
	check "$audit: programs of the page show what holds" audit_reads "$audit"
done
check "audit/: deviations of all pages count for the pages that they contradict" audit_shared
ktap_finished
