/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a result in the formats of other tools. Each format is in its own file, export_NAME.c,
 * and starts from the symbolized counts (symbolize.h). All formats have link-time addresses.
 *
 * Without call stacks, each stack of a format made for stacks is one function, or its object and the
 * function.
 */
#ifndef PROFIL_EXPORT_H
#define PROFIL_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "export/code.h"
#include "result/result.h"
#include "symbol/symbolize.h"

/**
 * struct export_format - a format
 * @name:         name of its option
 * @variant:      value of the option; NULL: none. The format without a value comes first
 * @is_binary:    must not be written to a terminal
 * @write:        writes the whole result to a stream; the caller checks ferror(). Returns 0 or
 *                -errno. NULL: the format has @write_object or @write_code
 * @write_object: writes one object that has samples, to a file of its own; returns as @write
 * @suffix:       suffix of the files of @write_object
 * @has_calls:    with stacks, it has the lines of calls, which are in files only
 * @compares:     @write also shows the changes since @old of struct symbolized
 * @write_code:   writes the samples in one object, by function; returns as @write. Moves samples
 *                that the format cannot have to @unnamed
 * @needs:        what it needs of the object
 */
struct export_format {
	const char *name;
	const char *variant;
	const char *help;
	bool is_binary;
	int (*write)(FILE *out, const struct symbolized *symbolized);
	int (*write_object)(FILE *out, const struct result *result, size_t object);
	const char *suffix;
	bool has_calls;
	bool compares;
	int (*write_code)(FILE *out, struct code *code);
	enum code_needs needs;
};

/* All formats; the last entry has no name. */
extern const struct export_format export_formats[];

/**
 * export_to - write a result
 * @code:       the samples in one object, for a format with @write_code; else NULL
 * @output:     path of the file; NULL: standard output. For a format with @write_object, a
 *              directory, which is created if necessary; NULL: the current one
 *
 * For a format with @write_object, a line with the paths of object and file is printed for each
 * file. Errors are printed on standard error, with a remedy.
 *
 * Return: 0; or -errno, and the error was printed.
 */
int export_to(const struct export_format *format, const struct symbolized *symbolized,
	      struct code *code, const char *output);

/*
 * The command and its arguments, separated by spaces. Return: a string to be freed with free();
 * NULL: no memory.
 */
char *export_command_line(const struct result *result);

/*
 * Find the object that is the program. Return: index of the object that the first process executed;
 * else of the object with most samples; result->nr_objects if there are no objects.
 */
size_t export_main_object(const struct result *result);

/* The CPU time that samples represent, in ns, rounded, at most INT64_MAX. */
uint64_t export_ns(const struct result *result, uint64_t samples);

/**
 * export_gmon - write the histogram of one object as gmon.out version 1, for gprof
 * @object: index of an object that is a file
 *
 * The format is specified by gmon/sys/gmon_out.h of glibc, and read by gprof/hist.c of binutils.
 * Words have 64 bits and this machine's byte order, like those of the profiled programs. Each
 * bin has 16 bits and represents 2 bytes of text: with narrower bins, gprof is wrong. The unit is
 * seconds, and the rate is result_rate(), rounded to whole Hz.
 *
 * A record has the bins of a range of text. gprof adds up records of the same range, so a count
 * above 65535 is spread over several records. (gprof sums in 32 bits, but the file that gprof -s
 * writes has 16.) With stacks, calls in the object are arcs, with samples in place of their number.
 *
 * Return: 0; -ENOMEM; or -EOVERFLOW: a count is above 65535 * 2^20, whose records would take
 * more than 45 MB.
 */
int export_gmon(FILE *out, const struct result *result, size_t object);

/*
 * Write callgrind's profile format, version 1, for kcachegrind. The format is specified in
 * "Callgrind Format Specification" of valgrind's manual. Positions are "instr", addresses with
 * which kcachegrind disassembles, and "line", with which it annotates sources. There are two costs:
 * Samples, and ns, the CPU time of the samples. If the source is unknown, the file (fl=) is named
 * after the object, and lines are 0. Names are printed by escape_octal(). With stacks, calls have
 * samples in place of their number, which is not known. Return: 0 or -ENOMEM.
 */
int export_callgrind(FILE *out, const struct symbolized *symbolized);

/*
 * Write pprof's profile.proto, gzipped. The format is specified by proto/profile.proto of
 * google/pprof; pprof.proto has the part that is used here. The sample types are samples/count and
 * cpu/nanoseconds, which is the default. The period is CPU time in ns. Each sample has one
 * location, or those of its stack: where a call ends, in the caller. Each mapping contains all
 * addresses, from offset 0, which makes pprof treat addresses as link-time ones. Function.name is demangled, system_name is not. Functions without a symbol are
 * named after the object and their address, such as "cc1+0x1234"; code in no known function is "cc1
 * (no symbols)", with exact addresses. A location has a Line for each inlined function, innermost
 * first, and a last one for the function that has the code. Each mapping states whether its
 * functions have names and lines; if not, pprof or a server looks for them in its own files.
 * Return: 0 or -ENOMEM.
 */
int export_pprof(FILE *out, const struct symbolized *symbolized);

/*
 * Write the processed profile format of Firefox Profiler, as JSON. The format is specified by
 * src/types/profile.ts in firefox-devtools/profiler, and its versions by
 * docs-developer/CHANGELOG-formats.md there. It reads all earlier versions. The weights are numbers
 * of samples. Times are no times of samples (export_firefox.c). Return: 0 or -ENOMEM.
 */
int export_firefox(FILE *out, const struct symbolized *symbolized);

/*
 * Write a page for browsers, which needs nothing else. If @symbolized->files is set, it contains
 * the lines and instructions of the functions with a large share. It runs no other script than its
 * own, whatever the names are. Return: 0 or -ENOMEM.
 */
int export_html(FILE *out, const struct symbolized *symbolized);

/*
 * Write the whole result as JSON. The format is specified by profil-result.schema.json, version 1.
 * Addresses are hexadecimal strings, because many readers of JSON convert numbers to double. Times
 * are in ns. Return: 0 or -errno.
 */
int export_json(FILE *out, const struct symbolized *symbolized);

/*
 * Write folded stacks, for flamegraph.pl, inferno and speedscope. The format is specified at the
 * top of stackcollapse-perf.pl in brendangregg/FlameGraph: a line "frame;frame count" for each
 * stack, most samples first; without call stacks "object;function samples". Names are printed by
 * escape_octal(), which also escapes semicolons. Return: 0 or -ENOMEM.
 */
int export_folded(FILE *out, const struct symbolized *symbolized);

/*
 * Write a flame graph as SVG 1.1, without scripts: a picture for browsers and documents. Names are
 * printed by escape_octal(). Return: 0; -ENODATA: there are no call stacks; or -ENOMEM.
 */
int export_svg(FILE *out, const struct symbolized *symbolized);

/*
 * Write counts by address, for BOLT 21 and later. The format is "pre-aggregated", specified by
 * bolt/docs/profiles.md of LLVM: the name of an event (E), then samples (S) with an address, which
 * in a position-independent file is the distance from its first segment. Return: 0.
 */
int export_bolt(FILE *out, struct code *code);

/*
 * Write counts by function, for any BOLT. The format is "fdata", in its mode without branch
 * records, specified in the same document: the name of a function as BOLT makes it (bolt_names.h),
 * the distance from its start, and samples. Return: 0 or -ENOMEM.
 */
int export_bolt_fdata(FILE *out, struct code *code);

/**
 * export_autofdo - write counts by file offset, for create_gcov and create_llvm_prof
 * @code: an object with debug information
 *
 * The format is the text profile of google/autofdo (--profiler=text): three lists, each after its
 * length: ranges, addresses, branches. Only the addresses are there. An address is an offset in the
 * file.
 *
 * Return: 0.
 */
int export_autofdo(FILE *out, struct code *code);

/*
 * Write the symbols of functions, hottest first. This is the file of lld's --symbol-ordering-file.
 * Return: 0 or -ENOMEM.
 */
int export_order(FILE *out, struct code *code);

#endif /* PROFIL_EXPORT_H */
