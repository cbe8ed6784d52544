#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `profil run --push' sends to Pyroscope and Parca: a small receiver (push_receiver.py) takes it,
# and pprof's own parser reads it. Servers that are down, slow, or refuse: each sample arrives once, or
# again in the same request.
# Runs natively, with a fixed recording (unit/support/push_sample.c), needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit push_sample || exit 1
PROFIL=$(realpath "${PROFIL:-../tools/profil}")
SAMPLE=$PWD/unit/push_sample
URL=http://127.0.0.1

# receive [WAITS [STATUS...]]: starts the receiver, and sets `port`
receive() {
	stop
	rm -rf "$work/taken" && mkdir "$work/taken" && mkfifo "$work/taken/go" &&
	exec {from}< <(exec host/push_receiver.py "$work/taken" "${@:-}" 2>"$work/receiver.err") || return
	receiver=$!
	read -r port <&"$from"
}

# go_on: the receiver has waited
go_on() {
	echo >"$work/taken/go"
}

stop() {
	[ -n "$receiver" ] || return
	kill "$receiver" && wait "$receiver" 2>/dev/null
	exec {from}<&-
	receiver=
}

# begin [LABEL...]: starts push_sample, which does what it is told, and then pushes the rest
begin() {
	coproc PUSH {
		cd "$work" && exec "$SAMPLE" "$work/program" "$URL:$port$path" "$@" 2>"$work/err"
	}
	push_pid=$PUSH_PID
}

# tell WORD...: returns when all is done
tell() {
	local word reply

	for word; do
		echo "$word" >&"${PUSH[1]}" && read -r reply <&"${PUSH[0]}" && [ "$reply" = "$word" ] ||
			return
	done
}

# finish: whether all was pushed
finish() {
	end_input "$push_pid" "${PUSH[1]}"
}

# push INTERVALS [LABEL...]: each alone
push() {
	local i

	begin "${@:2}" && for ((i = 0; i < $1; i++)); do tell push wait || return; done && finish
}

# taken FUNCTION: prints how many samples of a function have arrived, as pprof reads them
taken() {
	go tool pprof -sample_index=samples -top -unit=count "$work"/taken/*.pprof 2>"$work/pprof.err" |
		awk -v name="$1" '$6 == name { print $1 }'
}

# all_taken INTERVALS PROFILES: each sample of so many intervals, and of the rest, has arrived once,
# in so many profiles
all_taken() {
	[ "$(find "$work/taken" -name '*.pprof' | wc -l)" = "$2" ] &&
	[ "$(taken much)" = "$((60 * ($1 + 1)))" ] && [ "$(taken less)" = "$((40 * ($1 + 1)))" ]
}

says() {
	grep -q -- "$1" "$work/err"
}

# said EXPRESSION: a condition on what the request says of the first profile
said() {
	python3 -c "import json, sys; said = json.load(open('$work/taken/0.json')); sys.exit(not ($1))"
}

pyroscope() {
	path=
	receive && push 3 env=test region=north && all_taken 3 4 && [ ! -s "$work/err" ] &&
	said "said['name'] == 'program{env=test,region=north}'" &&
	path=/ingest && receive && push 1 && all_taken 1 2 && said "said['name'] == 'program'"
}

parca() {
	path=/api/profiles/writeraw
	receive && push 2 'env=a "b"' && all_taken 2 3 &&
	said "said == {'__name__': 'profil_cpu', 'job': 'program', 'env': 'a \"b\"'}"
}

# The host's password is in a file of the user, not in the command that everybody sees.
password() {
	path=
	echo "machine 127.0.0.1 login me password secret" >"$work/.netrc"
	receive && HOME=$work push 1 && all_taken 1 2 && said "said['user'] == 'me:secret'" &&
	receive '' 401 401 && ! push 1 && says 'status 401: not now: ~/.netrc must have'
}

# The samples are pushed with those of a later interval.
down() {
	path=
	receive listen && begin && tell push wait push wait && go_on && read -r port <&"$from" &&
	tell push wait && finish && all_taken 3 2 && [ "$(wc -l <"$work/err")" = 2 ] &&
	says 'not pushed: .*; the samples are kept, and pushed later$' &&
	says 'pushed, as one, with 2 intervals before$'
}

# Nothing waits for it but the end, and intervals are pushed with later ones.
slow() {
	path=
	receive answer && begin && tell push push push && go_on && tell wait push && go_on &&
	tell wait || return
	go_on &
	finish && all_taken 4 3 && [ "$(wc -l <"$work/err")" = 1 ] &&
	says 'pushed, as one, with 2 intervals before$'
}

# It is tried again in the interval.
busy() {
	path=
	receive '' 503 429 && push 2 && all_taken 2 3 && [ ! -s "$work/err" ]
}

# same N...: removes the profiles with these numbers if they are the first one again
same() {
	local i

	for i; do
		cmp "$work/taken/0.pprof" "$work/taken/$i.pprof" &&
		cmp "$work/taken/0.json" "$work/taken/$i.json" && rm "$work/taken/$i.pprof" || return
	done
}

# What the server may have taken is sent again as it was, and later samples after it.
unanswered() {
	path=
	receive '' 0 0 0 && begin && tell push wait push wait push wait && finish &&
	same 1 2 3 && all_taken 3 3 && [ "$(wc -l <"$work/err")" = 2 ] &&
	says 'not pushed: .*: the same request, as the server may have taken it$' &&
	says 'pushed, as one, with 1 interval before$' || return
	receive '' 0 0 0 && begin && tell push wait && finish && same 1 2 3 && all_taken 1 2
}

refusing() {
	path=/other/ingest
	receive && ! push 2 && says 'not pushed: the server answers with status 404: not now' &&
	says 'the last 300 samples of 300 were not pushed;' && [ "$(wc -l <"$work/err")" = 2 ]
}

# Ten seconds after the end
never() {
	path=
	receive answer && begin && tell push late && ! finish &&
	says 'the last 200 samples of 200 were not pushed: .*ETIMEDOUT'
}

# refused PATTERN OPTION...
refused() {
	"$PROFIL" run "${@:2}" true 2>"$work/err"
	[ $? = 125 ] && says "$1"
}

usage() {
	refused 'invalid URL: expected http' --push host &&
	refused 'write them to ~/.netrc' --push http://me:secret@host && ! says secret &&
	refused 'does not accept the URL (EINVAL)' --push http://host:port &&
	refused 'does not accept the URL (EINVAL)' --push 'http://a b' &&
	refused 'the path must end in /ingest' --push http://host/a &&
	refused 'leave it out, and use --label' --push http://host/ingest?a=b &&
	refused 'expected NAME=VALUE' --push http://host --label a &&
	refused 'no comma' --push http://host --label a=b,c &&
	refused '--label needs --push' --label a=b &&
	mkdir -p "$work/none" && ln -sf /dev/null "$work/none/libcurl.so.4" &&
	LD_LIBRARY_PATH=$work/none refused 'libcurl.so.4 cannot be loaded (ENOENT): install' --push http://host
}

ktap_print_header
receiver=
trap 'stop; rm -rf "$work"' EXIT
ktap_set_plan 10
check "Pyroscope" pyroscope
check "Parca" parca
check "a server that wants a password" password
check "a server that is down for a while" down
check "a server that is slow" slow
check "a server that is busy" busy
check "a server that takes and does not answer" unanswered
check "a server that refuses" refusing
check "a server that never answers" never
check "options" usage
ktap_finished
