#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Create the initial inputs of the readers' fuzzers.
#
# usage: make_seeds.sh DIR

set -e
rm -rf "$1"
mkdir -p "$1/log_reader" "$1/result_reader" "$1/export_reader" "$1/symbols_reader" \
	"$1/unwind_reader" "$1/names_reader" "$1/environment_reader" \
	"$1/monout_reader" "$1/jit_reader"

# a map, and a dump with a function and its move
printf '1000 10 JS:~a b.js:1:2\n0x2000 0x4 c\r\n1004 1 d' >"$1/jit_reader/map"
{
	printf 'DTiJ\001\000\000\000\050\000\000\000'
	head -c 28 /dev/zero
	printf '\000\000\000\000\072\000\000\000'
	head -c 24 /dev/zero
	printf '\000\020\000\000\000\000\000\000\004\000\000\000\000\000\000\000'
	head -c 8 /dev/zero
	printf 'a\000\001\000\000\000\100\000\000\000'
	head -c 32 /dev/zero
	printf '\000\040\000\000\000\000\000\000\004\000\000\000\000\000\000\000'
	head -c 8 /dev/zero
} >"$1/jit_reader/dump"

./make_log build/stripped >"$1/log_reader/log"

# a byte that selects the kind, and the file or message
for kind in file message; do
	seed=$1/result_reader/$kind
	./make_result "$kind" "$seed.part"
	{
		printf %.1s "$kind"
		cat "$seed.part"
	} >"$seed"
	rm "$seed.part"
done
# export_reader takes messages only
cp "$1/result_reader/message" "$1/export_reader"

# the file, followed by the first pc and the step to the next one, 8 bytes each
for file in program stripped; do
	{
		cat "build/$file"
		printf '\000\020\000\000\000\000\000\000'
		printf '\020\000\000\000\000\000\000\000'
	} >"$1/symbols_reader/$file"
	cp "$1/symbols_reader/$file" "$1/unwind_reader"
done

for symbol in _ZNKSt6vectorIiSaIiEE4sizeEv@LIB_1.0 \
		'_ZN60_$LT$alloc..string..String$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE' \
		_ZNSt8ios_base4InitC1Ev.cold _RNvXs_C7mycrateNtB4_3FooNtB4_3Bar3baz \
		_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new \
		_ZZN1a1bIJifEEEvDpT_ENKUlS1_E_clIcEEDaS1_; do
	printf %s "$symbol" >"$1/names_reader/${symbol%@*}"
done

for value in 100 solaris glibc libc.so.6 4294967296 -1 0x10; do
	printf %s "$value" >"$1/environment_reader/$value"
done

# monout OPTIONS UPPER_HALF: layout and options, two call records, and three counters for 192
# bytes of text; UPPER_HALF is the upper half of each word
monout() {
	printf %b "$1"
	for half in '\0100\0020' '\0000\0021' '\0002\0000' '\0105\0020' '\0007\0000' \
			'\0000\0000' '\0000\0000'; do
		printf %b "$half$2"
	done
	printf '\000\000\003\000\001\001'
}
monout '\0000' '\0000\0000\0000\0000\0000\0000' >"$1/monout_reader/8"
monout '\0100' '\0000\0000' >"$1/monout_reader/4"
