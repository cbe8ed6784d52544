#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Ends profil in each way, at each stage, and looks at what is left: the result, the exit status,
# the profiled program and child processes. It prints a table of all. PROFIL: path of the command
# (default: the tree's).
#
# programs/named waits for a byte, uses CPU time for 0.1 s and waits for another one, so a run stays
# at a stage as long as the test wants. It exits with 37.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh
# shellcheck source=../lib/attached.sh
. lib/attached.sh
shopt -s extglob

modes=(run -p --cgroup)
stages=(starting running snapshot naming writing)
ways=(INT INT-INT TERM HUP QUIT PIPE KILL OOM disk limit)

need_root_and_device
mount | grep -q ' type cgroup2 ' || mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>"$work/err" ||
	skip_all "cannot mount cgroup2: $(cat "$work/err")"
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)/profil_end_test
mkdir -p "$group" "$work/disk" && mount -t tmpfs -o size=256k tmpfs "$work/disk" || exit 1
trap 'umount "$work/disk"; rmdir "$group"; rm -rf "$work"' EXIT
mkfifo "$work/table" || exit 1
out=$work/disk/result

# a_child: whether profil has a child other than the program; its process ID is in `child`
a_child() {
	local -a children

	read -r -a children <"/proc/$profil/task/$profil/children"
	for child in "${children[@]}"; do
		[ "$child" = "$target" ] || return 0
	done
	return 1
}

# at_once COMMAND [ARG...]: as wait_while, for what lasts shorter than its pauses
at_once() {
	until "$@"; do
		kill -0 "$profil" || return
	done
}

# The program in a run is the first child.
find_target() {
	read -r target _ <"/proc/$profil/task/$profil/children"
	[ -n "$target" ]
}

spun_and_waits() {
	[ "$(cat "/proc/$target/comm" 2>/dev/null)" = named ] && waits "$target" &&
	[ "$(awk '{ print int($1 / 1e8) }' "/proc/$target/schedstat")" -gt 0 ]
}

# opens_fifo: whether profil waits for the other end of a FIFO
opens_fifo() {
	grep -qE 'fifo_open|wait_for_partner' "/proc/$profil/wchan"
}

was_written() {
	! cmp -s "$out" "$work/before"
}

# begin STAGE MODE: starts profil, and the program unless profil does
begin() {
	local arguments=(-c tick -o "$out" -t /dev/null)

	echo before >"$work/before"
	rm -rf "$work"/disk/* && cp "$work/before" "$out"
	[ "$1" != starting ] || arguments+=(-t "$work/table")
	[ "$1" != writing ] || { rm "$out" && mkfifo "$out"; }
	target=
	if [ "$2" != run ]; then
		start programs/named
		[ "$2" = -p ] || echo "$target" >"$group/cgroup.procs"
	fi
	case $2 in
	run) arguments+=(programs/named) ;;
	-p) arguments+=(-p "$target") ;;
	--cgroup) arguments+=(--cgroup "$group") ;;
	esac
	# as from a terminal: the shell ignores signals of keys in the background
	env --default-signal=INT,QUIT "$PROFIL" "${arguments[@]}" <&"$go" >"$work/out" 2>"$work/err" &
	profil=$!
}

# The run ends as it does without any of the ways: the program, or else the user, ends it.
end_run() {
	if [ "$1" = run ]; then release; else kill -INT "$profil"; fi
}

# spin MODE: once profil has attached to the program, lets it use CPU time, and waits for both
spin() {
	if [ "$1" = run ]; then
		wait_while "$profil" find_target || return
	else
		attached 1 || return
	fi
	release && wait_while "$profil" spun_and_waits && wait_while "$profil" waits "$profil"
}

# reach STAGE MODE: waits until profil is there
reach() {
	if [ "$1" = starting ]; then
		wait_while "$profil" opens_fifo
		return
	fi
	spin "$2" || return
	case $1 in
	snapshot) kill -USR1 "$profil" && wait_while "$profil" was_written ;;
	naming) end_run "$2" && at_once was_written && at_once a_child &&
		kill -STOP "$child" ;;
	writing) end_run "$2" && wait_while "$profil" opens_fifo ;;
	esac
}

# way NAME: what ends profil
way() {
	case $1 in
	INT-INT) kill -INT "$profil"; kill -INT "$profil" 2>/dev/null ;;
	OOM) kill -KILL "$child" ;;
	disk) dd if=/dev/zero of="$work/disk/full" bs=4k 2>/dev/null ;;
	limit) prlimit --pid "$profil" --fsize=0 ;;
	*) kill "-$1" "$profil" ;;
	esac
	return 0
}

# go_on STAGE MODE WAY: lets the stage end, and then the run, if the way has not ended them
go_on() {
	case $1 in
	naming) kill -CONT "$child" 2>/dev/null ;;
	writing) [ "$3" = KILL ] || cat "$out" >"$work/written" ;;
	starting | running | snapshot)
		[[ $3 =~ PIPE|disk|limit ]] || return 0
		if [ "$1" = starting ]; then
			exec {reader}<>"$work/table"
			spin "$2"
			exec {reader}>&-
		fi
		end_run "$2" ;;
	esac
	return 0
}

# expect STAGE MODE WAY: prints the exit status, and the result: before, none, or samples
expect() {
	local number=0 status=0

	[ "$2" != run ] || status=37
	case $3 in INT*) number=2 ;; QUIT) number=3 ;; TERM) number=15 ;; HUP) number=1 ;; esac
	case $1-$2-$3 in
	starting-*-@(disk|limit) | running-*-@(disk|limit)) echo 125 before ;;
	snapshot-*-@(disk|limit)) echo 125 samples ;;
	writing-*-KILL) echo 137 none ;;
	starting-*-KILL | running-*-KILL) echo 137 before ;;
	*-KILL) echo 137 samples ;;
	*-PIPE) echo $status samples ;;
	starting-*) echo $((128 + number)) before ;;
	@(running|snapshot)-run-*) echo $((128 + number)) samples ;;
	*) echo $status samples ;;
	esac
}

# found: prints what the result is
found() {
	local file=$out

	[ ! -p "$out" ] || file=$work/written
	if [ ! -s "$file" ]; then
		echo none
	elif cmp -s "$file" "$work/before"; then
		echo before
	elif [ "$("$PROFIL" report "$file" 2>&1 | awk '$NF == "named" && $3 >= 8' | wc -l)" = 1 ]; then
		echo samples
	else
		echo damaged
	fi
}

# no_profil: whether no process of this name is left
no_profil() {
	! pgrep -x profil >/dev/null
}

# cell STAGE MODE WAY: prints ok, or what is wrong
cell() {
	local expected status

	rm -f "$work/written"
	begin "$1" "$2"
	if ! reach "$1" "$2"; then
		echo "stage not reached: $(head -1 "$work/err")"
		return
	fi
	way "$3"
	go_on "$1" "$2" "$3"
	wait "$profil" 2>/dev/null
	status=$?
	expected=$(expect "$1" "$2" "$3")
	[ "$status $(found)" = "$expected" ] || echo -n "$status $(found), not $expected; "
	eventually no_profil || echo -n "a process is left; "
	[ -z "$(find "$work/disk" -name 'profil.????????')" ] || echo -n "a file is left; "
	# a program of -p does not notice
	if [ "$2" != run ]; then
		spun_and_waits || release
		release
		wait "$target"
		status=$?
		[ $status = 37 ] || echo -n "the program: $status; "
	elif [ "$3" = KILL ] && [ -n "$target" ] && [ -e "/proc/$target" ]; then
		release
		eventually [ ! -e "/proc/$target" ] || echo -n "the program does not go on; "
	fi
	eventually sessions_are 0 || echo -n "the kernel profiles; "
	echo ok
}

# possible STAGE MODE WAY: the OOM killer ends the largest process: a child that reads names, else
# profil, which is as KILL. A FIFO has no disk. A control group ends as processes do: a few ways suffice.
possible() {
	case $1-$2-$3 in
	*--cgroup-@(INT-INT|TERM|HUP|QUIT|PIPE|limit)) return 1 ;;
	naming-*-OOM) return 0 ;;
	*-OOM | writing-*-disk | writing-*-limit) return 1 ;;
	esac
}

# walk STAGE MODE: whether all ways of a row are right; prints the row
walk() {
	local way wrong=0 text row=

	for way in "${ways[@]}"; do
		text=-
		! possible "$1" "$2" "$way" || text=$(cell "$1" "$2" "$way")
		if ! [[ $text =~ ^(ok|-)$ ]]; then
			echo "# $1, $2, $way: ${text%ok}"
			sed 's/^/#   /' "$work/err"
			text=WRONG wrong=1
		fi
		row+=$(printf ' %7s' "$text")
	done
	printf '# %-8s %-8s%s\n' "$1" "$2" "$row"
	[ $wrong = 0 ]
}

ktap_print_header
ktap_set_plan $((${#stages[@]} * ${#modes[@]}))
printf '# %-8s %-8s' stage of
printf ' %7s' "${ways[@]}"
echo
for stage in "${stages[@]}"; do
	for mode in "${modes[@]}"; do
		check "$stage, $mode" walk "$stage" "$mode"
	done
done
ktap_finished
