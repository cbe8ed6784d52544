// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instructions of functions, with the samples of each, below the source lines that they are
 * from.
 *
 * Instructions of x86 have any length, so they are read one after the other from the start of a
 * function. The result has exact addresses: an instruction begins at each of them. One that would
 * contain such an address is data, or was read from a wrong start, and is printed as bytes. So no
 * sample is moved to another instruction.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/share.h"
#include "report/disassembler.h"
#include "report/listing.h"
#include "report/sections.h"
#include "report/source_text.h"
#include "symbol/demangle.h"
#include "util/shorten.h"

/* Instructions without samples that are shown before and after those with samples */
#define CONTEXT		4

#define FIGURES		33	/* terminal columns before the instruction */

#define NAME_COLUMNS	32	/* of a function beside an instruction or a line */

/* Code without samples that is longer is not read to find the instructions before a sample. */
#define MAX_GAP		((uint64_t)1 << 20)

/* A section that is printed */
struct listing {
	FILE *out;
	const struct annotate_options *options;
	struct symbols *symbols;
	struct wanted *wanted;
	struct source_text *sources;
	struct disassembler *disassembler;	/* NULL: it has no instructions */
	const struct section *section;
	uint64_t all;		/* samples of the result */
	uint64_t next;		/* address of the next instruction */
	uint64_t kept[CONTEXT];	/* addresses before it that were not printed, the last of them */
	size_t nr_kept;
	size_t after;		/* so many are printed without samples */
	bool has_rows;
	bool is_gap;		/* instructions were left out before @kept */
	struct source_line source;	/* that was printed last; without a file: none */
	int error;
};

/* Print a name as short as in a narrow table: it is beside other text. Return: columns printed. */
static int print_name(struct listing *listing, const char *text, size_t length)
{
	char *symbol = strndup(text, length);
	char *name = symbol && !listing->options->keep_mangled ? demangle(symbol) : NULL;
	char *shortened = symbol ? shorten_function(name ? name : symbol, NAME_COLUMNS) : NULL;
	int columns = shortened ? terminal_print_name(listing->out, shortened) : 0;

	if (!shortened)
		listing->error = -ENOMEM;
	free(shortened);
	free(name);
	free(symbol);
	return columns;
}

/* Print a line of source, and of the frame that has it the function, if it is @inlined. */
static void print_frame(struct listing *listing, const struct source_frame *frame, bool inlined)
{
	const struct terminal_style *style = &listing->options->style;
	const char *name = strrchr(frame->file, '/');
	const char *text = source_text_line(listing->sources, frame->file, frame->line);
	int columns;

	terminal_begin(listing->out, style, TERMINAL_FAINT);
	columns = fprintf(listing->out, "%*s", FIGURES, "");
	columns += terminal_print_name(listing->out, name ? name + 1 : frame->file);
	columns += frame->line ? fprintf(listing->out, ":%d", frame->line) :
				 fprintf(listing->out, ":?");
	if (inlined && frame->function) {
		columns += fprintf(listing->out, " (");
		columns += print_name(listing, frame->function, strlen(frame->function));
		columns += fprintf(listing->out, ")");
	}
	if (text && (!style->columns || columns + 8 < style->columns)) {
		columns += fprintf(listing->out, "  ");
		source_text_print(listing->out, style, text + strspn(text, " \t"), columns);
	}
	terminal_end(listing->out, style);
	putc('\n', listing->out);
}

/* Print the source line of an address, unless it was printed last. */
static void print_source(struct listing *listing, uint64_t address)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr;
	int found;

	found = symbols_frames(listing->symbols, listing->section->object, address, frames, &nr);
	if (found < 0)
		listing->error = found;
	if (found <= 0 || !frames[0].file ||
	    (frames[0].file == listing->source.file && frames[0].line == listing->source.line))
		return;
	listing->source = (struct source_line){ frames[0].file, frames[0].line };
	print_frame(listing, &frames[0], nr > 1);
}

/* Print the function that a jump out of this one leads to. */
static void print_target(struct listing *listing, uint64_t target)
{
	const struct function *from = &listing->section->function;
	struct function to;
	int found;

	if (!target || (target >= from->start && target < from->end))
		return;
	found = symbols_find(listing->symbols, listing->section->object, target, &to);
	if (found < 0)
		listing->error = found;
	/* the name of a section ("[.plt]") says nothing */
	if (found != 1 || !to.name || to.name[0] == '[')
		return;
	fputs("  <", listing->out);
	print_name(listing, to.name, (size_t)to.length);
	if (target != to.start)
		fprintf(listing->out, "+%#" PRIx64, target - to.start);
	putc('>', listing->out);
}

/* @instruction: NULL: the file has none there */
static void print_row(struct listing *listing, uint64_t address, uint64_t samples,
		      const struct instruction *instruction)
{
	const double percent = share_percent(samples, listing->all);
	const struct terminal_style *style = &listing->options->style;

	if (listing->is_gap && listing->has_rows) {
		fprintf(listing->out, "%*s...\n", FIGURES, "");
		listing->source = (struct source_line){ 0 };
	}
	listing->is_gap = false;
	listing->has_rows = true;
	print_source(listing, address);
	terminal_begin(listing->out, style, terminal_share_color(percent));
	if (samples)
		fprintf(listing->out, "  %7.2f %9" PRIu64, percent, samples);
	else
		fprintf(listing->out, "  %7s %9s", "", "");
	terminal_end(listing->out, style);
	fprintf(listing->out, " %11" PRIx64 "  ", address);
	if (instruction) {
		fprintf(listing->out, instruction->operands[0] ? "%-7s %s" : "%s%s",
			instruction->mnemonic, instruction->operands);
		print_target(listing, instruction->target);
	}
	putc('\n', listing->out);
}

/* Print the instructions that were kept, before one with samples. */
static void print_kept(struct listing *listing, uint64_t end)
{
	size_t i;

	for (i = 0; i < listing->nr_kept; i++) {
		const uint64_t until = i + 1 < listing->nr_kept ? listing->kept[i + 1] : end;
		struct instruction instruction;

		if (disassembler_read(listing->disassembler, listing->kept[i], until, &instruction))
			print_row(listing, listing->kept[i], 0, &instruction);
	}
	listing->nr_kept = 0;
}

static void keep(struct listing *listing, uint64_t address)
{
	if (listing->nr_kept == CONTEXT) {
		memmove(&listing->kept[0], &listing->kept[1],
			(CONTEXT - 1) * sizeof(listing->kept[0]));
		listing->nr_kept--;
		listing->is_gap = true;
	}
	listing->kept[listing->nr_kept++] = address;
}

/* Whether an instruction without samples is of the wanted function, or inlined there. */
static bool is_wanted(struct listing *listing, uint64_t address)
{
	struct function function;
	int found;

	if (listing->section->belonging == BELONGS_OWN)
		return true;
	found = wanted_find(listing->wanted, listing->symbols, listing->section->object, address,
			    &function);
	if (found < 0)
		listing->error = found;
	return found > BELONGS_NOT;
}

/*
 * Print or keep the next instruction, which has no samples. @end: what begins there is no part of
 * it. Return: false: the file has none, or there is an error.
 */
static bool step(struct listing *listing, uint64_t end)
{
	const uint64_t address = listing->next;
	struct instruction instruction;

	/* is_wanted() looks up other addresses, but reads no instruction */
	if (listing->error ||
	    !disassembler_read(listing->disassembler, address, end, &instruction))
		return false;
	listing->next += instruction.bytes;
	if (!is_wanted(listing, address)) {
		listing->nr_kept = 0;
		listing->is_gap = true;
	} else if (listing->after || listing->options->all) {
		print_row(listing, address, 0, &instruction);
		listing->after -= !!listing->after;
	} else {
		keep(listing, address);
	}
	return true;
}

/* Go on to an address with samples, with the instructions before it. */
static void pass(struct listing *listing, uint64_t end)
{
	if (!listing->options->all && end - listing->next > MAX_GAP) {
		listing->next = end;
		listing->is_gap = true;
		return;
	}
	while (listing->next < end && step(listing, end))
		;
	print_kept(listing, end);
}

/* Print an address with samples. @end: of what can be its instruction */
static void print_count(struct listing *listing, const struct result_count *count, uint64_t end)
{
	struct instruction instruction;
	bool has_instruction = false;

	if (listing->disassembler) {
		pass(listing, count->address);
		has_instruction = disassembler_read(listing->disassembler, count->address, end,
						    &instruction);
	}
	print_row(listing, count->address, count->samples, has_instruction ? &instruction : NULL);
	listing->next = count->address + (has_instruction ? instruction.bytes : 1);
	listing->after = CONTEXT;
}

static void print_rows(struct listing *listing)
{
	const struct section *section = listing->section;
	const uint64_t end = section->function.end;
	size_t i;

	listing->next = section->function.start;
	for (i = 0; !listing->error && i < section->nr_counts; i++)
		print_count(listing, &section->counts[i],
			    i + 1 < section->nr_counts ? section->counts[i + 1].address : end);
	while (listing->disassembler && (listing->after || listing->options->all) &&
	       listing->next < end && step(listing, end))
		;
}

static void print_title(struct listing *listing, const char *path, const char *problem)
{
	const struct terminal_style *style = &listing->options->style;
	const struct function *function = &listing->section->function;
	char *name = function->name ? strndup(function->name, (size_t)function->length) : NULL;
	char *demangled = name && !listing->options->keep_mangled ? demangle(name) : NULL;
	const char *shown = demangled ? demangled : name;

	fputs("#\n", listing->out);
	terminal_print_comment(listing->out, style, "# %s: %s%s%#" PRIx64 ": %" PRIu64 " sample%s%s",
			       path, shown ? shown : "", shown ? " at " : "", function->start,
			       listing->section->samples, listing->section->samples == 1 ? "" : "s",
			       listing->section->belonging == BELONGS_INLINED ?
			       " in inlined code" : "");
	if (problem)
		terminal_print_comment(listing->out, style, "# %s: no instructions: %s", path,
				       problem);
	free(demangled);
	free(name);
}

/* Return: 0 or -ENOMEM. */
static int print_section(struct listing *listing, const char *path)
{
	const char *problem = NULL;
	Elf *elf = NULL;
	int found;

	/* the result has lines only for addresses with samples, and no code */
	symbols_prefer_file(listing->symbols, listing->section->object);
	found = symbols_elf(listing->symbols, listing->section->object, &elf, &problem);
	if (found < 0)
		return found;
	listing->disassembler = found ? disassembler_new(elf, &problem) : NULL;
	print_title(listing, path, listing->disassembler ? NULL : problem);
	print_rows(listing);
	disassembler_free(listing->disassembler);
	return listing->error;
}

static void print_head(FILE *out, const struct sections *sections, uint64_t all,
		       const struct annotate_options *options)
{
	uint64_t samples = 0, inlined = 0;
	size_t i;

	for (i = 0; i < sections->nr; i++) {
		samples += sections->list[i].samples;
		if (sections->list[i].belonging == BELONGS_INLINED)
			inlined += sections->list[i].samples;
	}
	terminal_print_comment(out, &options->style, "# %" PRIu64 " of %" PRIu64 " samples are in %s",
			       samples, all, options->function);
	if (inlined)
		terminal_print_comment(out, &options->style,
				       "# %" PRIu64 " of them are in code that is inlined into other functions",
				       inlined);
	fprintf(out, "#\n# %7s %9s %11s  instruction\n", "percent", "samples", "address");
}

long listing_print(FILE *out, const struct result *result, struct symbols *symbols,
		   struct wanted *wanted, const struct annotate_options *options)
{
	struct source_text *sources = source_text_new(options->root);
	struct sections sections = { 0 };
	int error = sources ? sections_collect(&sections, result, symbols, wanted) : -ENOMEM;
	const long nr = (long)sections.nr;
	size_t i;

	if (!error && sections.nr)
		print_head(out, &sections, result_samples(result), options);
	for (i = 0; !error && i < sections.nr; i++) {
		struct listing listing = {
			.out = out, .options = options, .symbols = symbols, .wanted = wanted,
			.sources = sources, .section = &sections.list[i],
			.all = result_samples(result),
		};

		error = print_section(&listing, result->objects[sections.list[i].object].path);
	}
	sections_release(&sections);
	source_text_free(sources);
	return error ? error : nr;
}
