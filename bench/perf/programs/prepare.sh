# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # command and pid are for perf_comparison.sh
#
# The programs that perf_comparison.sh profiles. prepare_NAME makes the program's input and sets
# `command`, or `pid` of a process that runs already. It fails if something is not installed.
# before_NAME TOOL, if there is one, is called before each run.
#
# $work: a directory for all files. SIZE: see perf_comparison.sh.

debian_programs=(perl python3 gcc sort xz)
other_programs=(static go go_build rust musl m32 busybox set_user_id make redis reload luajit node)

# text WORDS: prints lines of ten words, the same in each run; few of the words are frequent
text() {
	awk -v words="$1" 'BEGIN {
		x = 1
		for (i = 1; i <= words; i++) {
			x = x * 16807 % 2147483647
			n = int(exp(9 * x / 2147483647))
			printf "%s%x%s", n % 3 ? "the" : "of", n * 2654435 % 65536,
				i % 10 ? " " : "\n"
		}
	}'
}

# functions NUMBER: prints a C file with NUMBER functions of four kinds
functions() {
	awk -v number="$1" 'BEGIN {
		print "struct node { struct node *next; int key; double weight; };"
		for (i = 0; i < number; i += 4) {
			print "int sum" i "(const int *a, int n) { int s = " i ", i;"
			print " for (i = 0; i < n; i++) s += a[i] * " i % 7 " ^ s >> 3;"
			print " return s; }"
			print "double find" i "(struct node *l, int key) {"
			print " while (l && l->key != key + " i ") l = l->next;"
			print " return l ? l->weight * " i ".5 : 0; }"
			print "int choose" i "(unsigned c, char *to) { switch (c) {"
			for (j = 0; j < 12; j++)
				print "case " j * (i % 5 + 1) ": to[" j "] = c; return " i + j ";"
			print "} return to[c & 7]; }"
			print "long call" i "(struct node *l, const int *a, char *to) {"
			print " long r = sum" i "(a, 9) + choose" i "(a[1], to);"
			print " return find" i "(l, r) > 1 ? r / (a[2] | 1) : r % 1000; }"
		}
	}'
}

# --- of Debian, dynamically linked ---------------------------------------------------------

prepare_perl() {
	text $((1600000 * SIZE / 100)) >"$work/text"
	command=(/usr/bin/perl ../scripts/demo-words.pl "$work/text")
}
prepare_python3() {
	text $((1000000 * SIZE / 100)) >"$work/text"
	cat >"$work/words.py" <<-'END'
	import collections, json, re, sys
	count = collections.Counter()
	for line in open(sys.argv[1]):
	    for word in re.findall(r"[a-z]{2,}[0-9]*", line):
	        count[word] += 1
	rows = [{"word": word, "count": n, "share": n / 7} for word, n in count.items()]
	rows.sort(key=lambda row: (-row["count"], row["word"]))
	text = json.dumps(rows)
	print(sum(row["share"] for row in json.loads(text)))
	END
	command=(/usr/bin/python3 "$work/words.py" "$work/text")
}
# gcc executes the compiler proper and the assembler.
prepare_gcc() {
	functions $((250 * SIZE / 100)) >"$work/functions.c"
	command=(gcc -O2 -c -o "$work/out.o" "$work/functions.c")
}
prepare_sort() {
	text $((900000 * SIZE / 100)) | tr ' ' '\n' | awk '{ print $0, NR }' >"$work/lines"
	command=(/usr/bin/sort -o "$work/out" "-k1.4,1" -k2n "$work/lines")
}
prepare_xz() {
	text $((350000 * SIZE / 100)) >"$work/text"
	command=(/usr/bin/xz -kf "$work/text")
}

# --- of other kinds ------------------------------------------------------------------------

# own PROGRAM ROUNDS: a program of programs/Makefile
own() {
	[ -x "../bench/perf/programs/$1" ] || return
	command=("$PWD/../bench/perf/programs/$1" $(($2 * SIZE / 100)))
}
prepare_static() { own static 400; }
prepare_go() { own go 250; }
prepare_rust() { own rust 400; }
prepare_musl() { own musl 125; }
prepare_m32() { own m32 400; }

prepare_reload() {
	own reload 1500 && command+=("$PWD"/../bench/perf/programs/{first,second}.so)
}

prepare_luajit() {
	command=(/usr/bin/luajit ../bench/perf/programs/work.lua $((550 * SIZE / 100)))
	[ -x "${command[0]}" ]
}
# Without --predictable, V8's threads compile different functions in each run.
prepare_node() {
	command=(/usr/bin/node --predictable ../bench/perf/programs/work.js $((200 * SIZE / 100)))
	[ -x "${command[0]}" ]
}

# The shell executes the other programs: the same file, from /proc/self/exe.
prepare_busybox() {
	local busybox=/usr/bin/busybox

	[ -x "$busybox" ] || return
	text $((250000 * SIZE / 100)) >"$work/text"
	command=("$busybox" sh -c "busybox tr ' ' '\n' <$work/text | busybox sort |
		busybox awk '{ n[\$1]++ } END { for (w in n) print w, n[w] }' |
		busybox sort -k2n >$work/counted; busybox gzip <$work/text | busybox sha256sum")
}

# The file belongs to another user. The kernel ends perf's events when a program that changes the
# user is executed, even root's. So perf runs the same file without the bit.
prepare_set_user_id() {
	own static 400 && cp "${command[0]}" "$work/set-user-id" &&
		chown nobody "$work/set-user-id" || return
	command[0]=$work/set-user-id
}
before_set_user_id() {
	local mode=755

	[ "$1" = perf ] || mode=4755
	chmod "$mode" "$work/set-user-id"
}

# Most packages are in the cache that `make -C bench/perf/programs` filled. The project's own one is
# new in each run.
prepare_go_build() {
	command -v go >/dev/null || return
	mkdir -p "$work/project"
	echo "module project" >"$work/project/go.mod"
	awk -v number=$((100 * SIZE / 100)) 'BEGIN {
		print "package main\nimport (\"fmt\"; \"sort\"; \"strings\")"
		for (i = 0; i < number; i++) {
			print "func f" i "(words []string) (result string) {"
			print "\tcount := map[string]int{}"
			print "\tfor i, word := range words { count[word] += i * " i " }"
			print "\tsort.Slice(words, func(i, j int) bool {"
			print "\t\treturn count[words[i]] < count[words[j]] })"
			print "\tswitch len(words) { case " i ": result = words[0]"
			print "\tdefault: result = strings.Join(words, \"" i "\") }"
			print "\treturn fmt.Sprint(result, " i ") }"
		}
		print "func main() { words := []string{\"a\", fmt.Sprint(number)}"
		for (i = 0; i < number; i++)
			print "\tfmt.Println(f" i "(words))"
		print "}"
	}' >"$work/project/main.go"
	command=(env -C "$work/project" CGO_ENABLED=0 go build -o "$work/project/program")
}
before_go_build() {
	go_builds=$((${go_builds-0} + 1))
	printf 'package main\nconst number = %d\n' "$go_builds" >"$work/project/number.go"
}

# make_project: a project of eight files
make_project() {
	local i

	mkdir -p "$work/project"
	for i in {1..8}; do
		functions $((20 * SIZE / 100)) | sed "s/\\<[a-z]*[0-9]*(/f${i}_&/" \
			>"$work/project/part$i.c"
	done
	cat >"$work/project/Makefile" <<-'END'
	CFLAGS := -O1
	parts.so: $(patsubst %.c,%.o,$(wildcard part*.c)); $(CC) -shared -o $@ $^
	END
}
prepare_make() {
	make_project
	command=(make -C "$work/project" -B -s -j2)
}

# A server under load, for ten seconds so far
prepare_redis() {
	local socket=$work/redis.socket

	command -v redis-server >/dev/null || return
	redis-server --port 0 --unixsocket "$socket" --save "" --dir "$work" \
		>"$work/redis.log" &
	pid=$!
	started+=("$pid")
	eventually test -S "$socket" || return
	redis-benchmark -s "$socket" -q -c 2 -P 8 -r 1000 -n 1000000000 \
		zadd set __rand_int__ member:__rand_int__ >/dev/null 2>&1 &
	started+=("$!")
	redis-benchmark -s "$socket" -q -c 2 -P 8 -r 1000 -n 1000000000 \
		zrange set 0 50 withscores >/dev/null 2>&1 &
	started+=("$!")
	sleep 10
}
