/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result in the formats of other tools. Each has a file, export_NAME.c; what they
 * share is the symbolized of counts to functions (symbolize.h). Addresses are the
 * link-time ones of the result in all of them.
 *
 * A profile has no stacks: each sample is known by its own pc alone. Formats that are
 * made for stacks get one function in each, or that below its object, and nothing is
 * invented above.
 */
#ifndef PROFIL_EXPORT_H
#define PROFIL_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "result/result.h"
#include "symbol/symbolize.h"

/**
 * struct export_format - a format
 * @name:         as it is asked for
 * @help:         in a few words
 * @is_binary:    nothing for a terminal
 * @write:        the whole result into one stream, whose errors are the caller's to
 *                check by ferror(); returns 0 or -errno. NULL: see @write_object
 * @write_object: one object, with at least one sample, into a file of its own; else
 *                like @write
 * @suffix:       of the files of @write_object
 */
struct export_format {
	const char *name;
	const char *help;
	bool is_binary;
	int (*write)(FILE *out, const struct symbolized *symbolized);
	int (*write_object)(FILE *out, const struct result *result, size_t object);
	const char *suffix;
};

/**
 * export_formats - all of them; the last has no name
 */
extern const struct export_format export_formats[];

/**
 * export_to - write a result
 * @format:      of export_formats
 * @symbolized: of the result
 * @output:      path of the file; NULL: standard output. For a format of a file for
 *               each object, a directory, which is made if it is not there; NULL: this
 *               one
 *
 * What stands in the way is told on standard error, with a way out of it. The paths of
 * the files of such a format are printed, a line for each, after that of their object.
 *
 * Return: 0, or -errno after an error was told.
 */
int export_to(const struct export_format *format,
	      const struct symbolized *symbolized, const char *output);

/**
 * export_command_line - the command and its arguments, with spaces between
 * @result: in question
 *
 * Return: to be given to free(); NULL: no memory.
 */
char *export_command_line(const struct result *result);

/**
 * export_main_object - which object is the program
 * @result: in question
 *
 * Return: index of that which the first process executed; else of that with most
 * samples; result->nr_objects: there are no objects.
 */
size_t export_main_object(const struct result *result);

/**
 * export_ns - the CPU time that samples stand for
 * @result:  that they are of
 * @samples: number of them
 *
 * Return: in ns, rounded, at most INT64_MAX.
 */
uint64_t export_ns(const struct result *result, uint64_t samples);

/**
 * export_gmon - gmon.out version 1, for gprof: the histogram of one object
 * @out:    where to
 * @result: in question
 * @object: index of an object that is a file
 *
 * Specification: gmon/sys/gmon_out.h of glibc; what gprof makes of it: gprof/hist.c of
 * binutils. Bins are of 16 bits and stand for result->text_bytes of text, 2 at least;
 * a record holds the bins of a stretch of text, and as gprof adds up records of the same
 * stretch, one of a count above 65535 is there several times. The unit is seconds, by
 * result_rate(), rounded to whole Hz. (gprof adds up what it reads in 32 bits, but writes its own sums, by
 * gprof -s, in 16.) Words are of 64 bits and of this machine's byte order, as what was
 * profiled is.
 *
 * Return: 0, -ENOMEM, or -EOVERFLOW: a count above 65535 * 2^20, whose records would
 * take 45 MB and more.
 */
int export_gmon(FILE *out, const struct result *result, size_t object);

/**
 * export_callgrind - callgrind's profile format, version 1, for kcachegrind
 * @out:         where to
 * @symbolized: of the result
 *
 * Specification: "Callgrind Format Specification", valgrind's manual. Positions are
 * instr, addresses, by which kcachegrind disassembles, and line, by which sources are
 * annotated. There are two costs, Samples and ns, the CPU time that they stand for. Where
 * the source is not known, a file (fl=) is named after its object, and lines are 0. Names
 * are as escape_octal() prints them.
 *
 * Return: 0 or -ENOMEM.
 */
int export_callgrind(FILE *out, const struct symbolized *symbolized);

/**
 * export_pprof - pprof's profile.proto, gzipped
 * @out:         where to
 * @symbolized: of the result
 *
 * Specification: proto/profile.proto of google/pprof; pprof.proto has what is used of
 * it. Sample types are samples/count and cpu/nanoseconds, which is the default; the
 * period is of CPU time, in ns. A sample has one location. Every mapping is of all
 * addresses, from offset 0: that is how pprof is told that they are link-time ones.
 * Function.name is demangled, system_name is not. Lines are those of the code itself: of a
 * function that is inlined, its own line, in a Function with the name of that which it is
 * inlined into and the file of that line. Functions without a symbol are named by their
 * address, as in "cc1+0x1234". Where an object has no function with a symbol or a line, its
 * mapping says so: pprof, or a server, looks for names then, in the files that it has.
 *
 * Return: 0 or -ENOMEM.
 */
int export_pprof(FILE *out, const struct symbolized *symbolized);

/**
 * export_json - all that the result has, as JSON
 * @out:         where to
 * @symbolized: of the result
 *
 * Specification: profil-result.schema.json, version 1. Addresses are strings in hex, since
 * many readers of JSON take numbers for doubles; times are in ns.
 *
 * Return: 0 or -ENOMEM.
 */
int export_json(FILE *out, const struct symbolized *symbolized);

/**
 * export_folded - folded stacks, for flamegraph.pl, inferno and speedscope
 * @out:         where to
 * @symbolized: of the result
 *
 * Specification: the head of stackcollapse-perf.pl in brendangregg/FlameGraph: a line
 * for each stack, "frame;frame count". Ours are "object;function samples", most samples
 * first. Names are as escape_octal() prints them, semicolons in octal too.
 *
 * Return: 0 or -ENOMEM.
 */
int export_folded(FILE *out, const struct symbolized *symbolized);

/**
 * export_speedscope - speedscope's JSON, a sampled profile
 * @out:         where to
 * @symbolized: of the result
 *
 * Specification: https://www.speedscope.app/file-format-schema.json. Weights are in ns of
 * CPU time; stacks are of object and function, in the order of these: what speedscope calls
 * "Time Order" is the code as it lies in the objects.
 *
 * Return: 0 or -ENOMEM.
 */
int export_speedscope(FILE *out, const struct symbolized *symbolized);

/**
 * export_svg - a picture: the functions with most samples, and where in each object's
 * text they fell
 * @out:         where to
 * @symbolized: of the result
 *
 * Specification: SVG 1.1 with a style sheet; no scripts. Text is from left to right by
 * address, and linear.
 *
 * Return: 0 or -ENOMEM.
 */
int export_svg(FILE *out, const struct symbolized *symbolized);

#endif /* PROFIL_EXPORT_H */
