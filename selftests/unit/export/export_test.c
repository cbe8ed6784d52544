// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exports that are text, and the files that exports are written to. ../host/export_test.sh
 * validates the formats with a schema, with the same result.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <export/export.h>
#include <result/fields.h>

#include "stderr_capture.h"
#include "support/comparisons.h"
#include "support/fake_result.h"
#include "support/filled_result.h"
#include "support/golden.h"
#include "support/test.h"

static struct result result;
static struct symbolized symbolized;
static char directory[] = "/tmp/export_test.XXXXXX";
static char path[sizeof(directory) + 64];
static char *text;
static symbols_find_fn *find_function;
static char lines_symbols[] = "symbols";	/* first argument of find_line() */

FIXTURE(set_up)
{
	fake_result(&result);
	find_function = fake_find;
	return 0;
}

FIXTURE(tear_down)
{
	symbolized_release(&symbolized);
	free(text);
	text = NULL;
	return 0;
}

FIXTURE(make_directory)
{
	return mkdtemp(directory) ? 0 : -1;
}

FIXTURE(remove_directory)
{
	struct dirent *entry;
	DIR *dir = opendir(directory);

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	return rmdir(directory);
}

/* Each count from 0x2000 on is a function without a name, except in BIG. */
static int find_small(void *symbols, size_t object, uint64_t address, struct function *function)
{
	if (address < 0x2000 || object == BIG)
		return fake_find(symbols, object, address, function);
	*function = (struct function){ .start = address };
	return 1;
}

static void symbolize(void)
{
	assert_int_equal(symbolize_result(&symbolized, &result, find_function, NULL,
					  fake_demangle), 0);
}

static const struct export_format *find(const char *name)
{
	const struct export_format *format = export_formats;

	while (format->name && strcmp(format->name, name))
		format++;
	assert_non_null(format->name);
	return format;
}

static void write_text(const char *name)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	symbolize();
	assert_int_equal(find(name)->write(out, &symbolized), 0);
	fclose(out);
}

static void assert_has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the output: %s\n%s", part, text);
}

TEST_F(formats_have_names)
{
	const struct export_format *format;

	for (format = export_formats; format->name; format++) {
		/* a variant is found after the format that its option names */
		if (!format->variant)
			assert_ptr_equal(find(format->name), format);
		else
			assert_string_equal(format[-1].name, format->name);
		assert_int_equal(!!format->write + !!format->write_object + !!format->write_code,
				 1);
	}
}

TEST_F(time_is_rounded)
{
	assert_int_equal(export_ns(&result, 0), 0);
	assert_int_equal(export_ns(&result, 1), 1003009);
	assert_int_equal(export_ns(&result, 997), 1000000000);
	result.rate = 3;
	assert_int_equal(export_ns(&result, 1), 333333333);
	assert_int_equal(export_ns(&result, 2), 666666667);
	assert_int_equal(export_ns(&result, UINT64_MAX), INT64_MAX);
}

TEST_F(callgrind)
{
	write_text("callgrind");
	assert_golden("callgrind", text);
}

/*
 * The lines of some addresses. The first function of BIG has two parts: one includes a line that
 * was inlined from another file, and one address has no line. The next function is in the same
 * file.
 */
static int find_line(void *symbols, size_t object, uint64_t address, struct source_line *line)
{
	static const struct {
		uint64_t address;
		struct source_line line;
	} lines[] = {
		{ 0x401000, { "/src/hot.c", 10 } },
		{ 0x402000, { "/src/(1) in.h", 3 } },
		{ 0x401004, { "/src/hot.c", 20 } },
	};
	size_t i;

	assert_ptr_equal(symbols, lines_symbols);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (object == BIG && address == lines[i].address) {
			*line = lines[i].line;
			return 1;
		}
	}
	/* the last address of a count, at which its function was found */
	if (object == ODD && address == 0x1ff3) {
		*line = (struct source_line){ "/src/bar.c", 7 };
		return 1;
	}
	/* a function in the file to which the function before it has changed */
	if (object == ODD && address == 0x2000) {
		*line = (struct source_line){ "/src/bar.c", 9 };
		return 1;
	}
	line->line = -1;
	return 0;
}

TEST_F(callgrind_has_lines)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	find_function = find_small;
	symbolize();
	symbolized.find_line = find_line;
	symbolized.symbols = lines_symbols;
	assert_int_equal(export_callgrind(out, &symbolized), 0);
	fclose(out);
	assert_has("fn=(2) 0x1010\n0x1010 0 4 4012036 0\n"
		   "fn=(3) foo::bar()\nfi=(8) /src/bar.c\n0x1ff3 7 5 5015045 5015045\nfl=(8)\n"
		   "fn=(4) 0x2000\n0x2000 9 6 6018054 0\nfl=(1)\nfn=(5) 0x2ffc\n");
	assert_has("ob=(2) /lib/big.so\nfl=(2) [big.so]\nfl=(9) /src/hot.c\n"
		   "fn=(6) (1) hot\n0x401000 10 65535 65732196590 0\n0x401008 0 9 9027081 0\n"
		   "fi=(10) /src/(1) in.h\n0x402000 3 4294967301 4307890973921765 0\n"
		   "fl=(9)\nfn=(7) cold\n0x401004 20 65536 65733199599 0\n\n"
		   "ob=(3) /lib/x.so\nfl=(3) [x.so]\nfn=(8) same\n");
}

static int find_fails(void *symbols, size_t object, uint64_t address, struct source_line *line)
{
	return address == 0x402000 ? -ENOMEM : 0;
}

static int frames_fail(void *symbols, size_t object, uint64_t address, struct source_frame *frames,
		       size_t *nr)
{
	struct source_line line;

	*nr = 0;
	return find_fails(symbols, object, address, &line);
}

TEST_F(errors_of_find_line_are_returned)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	symbolize();
	symbolized.find_line = find_fails;
	assert_int_equal(export_callgrind(out, &symbolized), -ENOMEM);
	symbolized.find_frames = frames_fail;
	assert_int_equal(export_firefox(out, &symbolized), -ENOMEM);
	fclose(out);
}

TEST_F(folded)
{
	write_text("folded");
	assert_golden("folded", text);
}

/* Instead of objects and functions. Stacks of one path are one line. */
TEST_F(call_stacks_are_folded)
{
	static struct result_node nodes[] = {
		{ RESULT_NO_NODE, BIG, 0x401000 }, { 0, BIG, 0x401000 }, { 0, BIG, 0x401001 },
		{ RESULT_NO_NODE, RESULT_NO_OBJECT, RESULT_STACK_CUT }, { 3, ODD, 0x1000 },
	};
	static struct result_part stacks[] = {
		{ 1, 5, 0, RESULT_NO_THREAD }, { 2, 2, 0, RESULT_NO_THREAD },
		{ 4, 9, 0, RESULT_NO_THREAD },
	};
	struct function big;
	char wanted[512];

	assert_int_equal(fake_find(NULL, BIG, 0x401000, &big), 1);
	result.nodes = nodes;
	result.nr_nodes = ARRAY_SIZE(nodes);
	result.stack_parts = stacks;
	result.nr_stack_parts = ARRAY_SIZE(stacks);
	write_text("folded");
	snprintf(wanted, sizeof(wanted), "\n%.*s;%.*s 7\n", big.length, big.name, big.length,
		 big.name);
	assert_has(wanted);
	assert_ptr_equal(strstr(text, "[incomplete: too deep];"), text);
	assert_null(strstr(text, "big.so"));
}

/* Each function is above its caller, and as wide as its share. */
TEST_F(call_stacks_are_a_picture)
{
	fake_result_stacks(&result);
	write_text("svg");
	assert_golden("svg", text);
}

/* A function in a stack twice is called there once: by the caller of the outermost one. */
TEST_F(callgrind_has_calls)
{
	fake_result_stacks(&result);
	write_text("callgrind");
	assert_golden("callgrind.stacks", text);
}

/* Return: how many times a part is in the output. */
static size_t count(const char *part)
{
	const char *at = text;
	size_t nr = 0;

	while ((at = strstr(at, part))) {
		at += strlen(part);
		nr++;
	}
	return nr;
}

/* Its functions are in all formats that have functions. */
TEST_F(made_code_has_names)
{
	static const char *const formats[] = {
		"folded", "callgrind", "json", "firefox", "html",
	};
	size_t i;

	fake_result_made_code(&result);
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (i)
			tear_down(NULL);
		write_text(formats[i]);
		assert_has(MADE_NAME);
		assert_has("[jit]");
	}
}

/* The schema does not show which figures of a process are unknown. */
TEST_F(unknown_figures_are_null_in_json)
{
	write_text("json");
	assert_has("\"exit_status\":3,\n\"signal\":null,\n");
	assert_has("\"start_time\":\"2026-09-21T14:13:20.012345678Z\",\n");
	assert_has("{\"pid\":70,\n\"parent\":69,\n\"program\":\"/bin/o\\\"d;d <&>\\u000a\xef\xbf\xbd\xc3\xa9\",\n"
		   "\"argv\":[\"/bin/odd\",\n\"\",\n");
	assert_has("\"is_fork\":false,\n\"start_cpu_ns\":5,\n\"cpu_ns\":1000000000,\n"
		   "\"samples\":20,\n\"system\":6}");
	assert_has("\"argv\":[],\n\"is_fork\":true,\n\"start_cpu_ns\":0,\n\"cpu_ns\":null,\n"
		   "\"samples\":0,\n\"system\":0}");
	assert_has("{\"process\":0,\n\"tid\":70,\n\"name\":\"a \\\"b\\\"\",\n\"cpu_ns\":900,\n"
		   "\"samples\":20,\n\"system\":6}");
	assert_has("\"tid\":0,\n\"name\":\"\",\n\"cpu_ns\":null,\n");
	assert_has("{\"address\":\"0x1000\",\n\"samples\":3,\n\"system\":1,\n\"threads\":["
		   "{\"thread\":0,\n\"samples\":3,\n\"system\":1}]}");
	assert_has("\"threads\":[{\"thread\":null,\n\"samples\":11,\n\"system\":0}]}");
	assert_has("\"samples\":4295098432,\n\"system\":8,\n\"outside\":7,\n\"outside_system\":2,\n");
	assert_has("\"unprofiled\":[{\"program\":\"/bin/o\\\"d;d <&>\\u000a\xef\xbf\xbd\xc3\xa9\",\n"
		   "\"processes\":2,\n\"cpu_ns\":30}]}\n");
	assert_has("\"cpu_ns\":0,\n\"samples\":0,\n\"system\":0}");
	tear_down(NULL);
	result.status = W_EXITCODE(0, 9);
	write_text("json");
	assert_has("\"exit_status\":null,\n\"signal\":9,\n");
}

/* The member of a field that JSON has as it is */
static void expect_member(char *part, size_t room, const struct field *field, const void *value)
{
	const char *name = field->name;

	switch (field->kind) {
	case FIELD_BOOL:
		snprintf(part, room, "\"%s\":true", name);
		break;
	case FIELD_INT32:
		snprintf(part, room, "\"%s\":%" PRId32, name, *(const int32_t *)value);
		break;
	case FIELD_UINT32:
		snprintf(part, room, "\"%s\":%" PRIu32, name, *(const uint32_t *)value);
		break;
	case FIELD_INT64:
	case FIELD_UINT64:
		snprintf(part, room, field->is_address ? "\"%s\":\"0x%" PRIx64 "\"" :
						       "\"%s\":%" PRId64,
			 name, *(const int64_t *)value);
		break;
	case FIELD_TEXT:
		snprintf(part, room, "\"%s\":\"%s\"", name, *(char *const *)value);
		break;
	case FIELD_TEXTS:
		snprintf(part, room, "\"%s\":[\"%s\",", name, **(char **const *)value);
		break;
	case FIELD_LIST:
		snprintf(part, room, "\"%s\":[{", name);
		break;
	}
}

/* Fields of a filled result differ in name or value. */
static void assert_has_fields(const struct field_table *table, const void *structure)
{
	const char *elements;
	size_t i, j;

	for (i = 0; i < table->nr_fields; i++) {
		const struct field *field = &table->fields[i];
		char part[128] = "";

		if (field->is_converted)
			continue;
		expect_member(part, sizeof(part), field, field_at(structure, field->member));
		assert_has(part);
		if (field->kind != FIELD_LIST)
			continue;
		elements = field_pointer(structure, field->member);
		for (j = 0; j < field_length(field, structure); j++)
			assert_has_fields(field->elements, elements + j * field->elements->bytes);
	}
}

/* ../host/export_check.py checks that these are the members of the schema. */
TEST_F(each_field_is_in_json)
{
	fill_result(&result);
	write_text("json");
	assert_has_fields(&fields_of_result, &result);
	result_release(&result);
}

/* Frames are addresses in user mode or in the kernel; weights are of a thread. */
TEST_F(firefox)
{
	write_text("firefox");
	assert_has("\"product\":\"odd: code by object and address, not by time\"");
	/* 0x1000 in both modes, 0x1010 in user mode, 0x1ff3 in the kernel */
	assert_has("\"address\":[4096,4096,4112,8179,8192,12284,");
	assert_has("\"category\":[1,2,1,2,1,1,");
	assert_has("\"weightType\":\"samples\",\n\"stack\":[0,1,2,3,4,5,14],\n"
		   "\"weight\":[2,1,4,5,6,1,1],\n\"time\":[0.000,2.006,3.009,");
}

/* A stack is a node; those in the kernel come behind all nodes, one for all threads. */
TEST_F(firefox_has_call_stacks)
{
	fake_result_stacks(&result);
	result.stack_parts[1].system = 1;
	write_text("firefox");
	result.stack_parts[1].system = 0;
	assert_has("\"prefix\":[null,0,1,null,3,1,1,3]");
	assert_has("\"weightType\":\"samples\",\n\"stack\":[2,4,6,7],\n\"weight\":[4,7,1,2],");
	assert_has("\"weightType\":\"samples\",\n\"stack\":[0,5,6],\n\"weight\":[3,2,1],");
	assert_has("\"[incomplete: too deep]\"");
}

/* The samples of each function are of a program and a thread; no name contains markup. */
TEST_F(html)
{
	char *data, *end;

	write_text("html");
	data = strstr(text, "application/json\">\n");
	assert_non_null(data);
	end = strstr(data, "</script>");
	assert_non_null(end);
	assert_has("\"f;\\\"g\\\"\\\\\\u0009\\u003ch&i>");
	assert_has("\"programs\":[\"(unlisted)\",\n\"o\\\"d;d \\u003c&>");
	assert_has("\"threads\":[\"(unlisted)\",\n\"[unknown]\",\n\"a \\\"b\\\"\"]");
	assert_has("[2,-1,7,2,0,6,2,5,1,0]");
	*end = '\0';
	assert_null(strchr(data, '<'));
}

/* Of two results, the page has the changes, first that of all functions together. */
TEST_F(html_of_two)
{
	struct symbolized old;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	symbolize();
	assert_int_equal(symbolize_result(&old, &result, fake_find, NULL, fake_demangle), 0);
	symbolized.old = &old;
	assert_int_equal(export_html(out, &symbolized), 0);
	fclose(out);
	symbolized_release(&old);
	assert_int_equal(count("\"functions\":["), 2);
	assert_has("\"changes\":[[2,0,4295098432,4295098432,");
}

TEST_F(empty_result)
{
	const struct export_format *format;

	result.nr_objects = 0;
	result.outside = 0;
	for (format = export_formats; format->name; format++) {
		/* a picture needs stacks */
		if (!format->write || format->is_binary || !strcmp(format->name, "svg"))
			continue;
		write_text(format->name);
		if (!strcmp(format->name, "folded"))
			assert_string_equal(text, "");
		else
			assert_true(strlen(text) > 100);
		tear_down(NULL);
	}
}

static struct stderr_capture errors;	/* of the last export() */

static int export(const struct export_format *format, const char *file)
{
	int error, saved = dup(STDOUT_FILENO);

	/* keep the output separate from the test results */
	fflush(stdout);
	freopen("/dev/null", "w", stdout);
	capture_stderr(&errors);
	error = export_to(format, &symbolized, NULL, file);
	end_capture(&errors);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return error;
}

static bool exists(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return !access(path, F_OK);
}

TEST_F(each_object_has_a_file)
{
	symbolize();
	/* omit the count that would take gigabytes */
	result.objects[BIG].nr_counts = 1;
	assert_int_equal(export(find("gmon"), directory), 0);
	assert_true(exists("big.so.gmon.out"));
	assert_true(exists("x.so.gmon.out"));
	assert_true(exists("x.so-2.gmon.out"));
	assert_true(exists("o\"d;d <&>\n\xff\xc3\xa9.gmon.out"));
	/* one has no samples, the other no file that gprof could read */
	assert_false(exists("y.so.gmon.out"));
	assert_false(exists("[vdso].gmon.out"));
}

/* Appending a number may make the name of another object, and a path may end in a slash. */
TEST_F(file_names_are_unique)
{
	static char paths[][16] = {
		"/./", "/a/foo", "/b/foo", "/c/foo-2", "/d/_._", "/e/foo",
	};
	static struct result_object many[ARRAY_SIZE(paths)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		many[i] = result.objects[LIB_X];
		many[i].path = paths[i];
	}
	result.objects = many;
	result.nr_objects = ARRAY_SIZE(many);
	symbolize();
	assert_int_equal(export(find("gmon"), directory), 0);
	assert_false(exists(".gmon.out"));
	assert_true(exists("_._.gmon.out"));
	assert_true(exists("_._-2.gmon.out"));
	assert_true(exists("foo.gmon.out"));
	assert_true(exists("foo-2.gmon.out"));
	assert_true(exists("foo-2-2.gmon.out"));
	assert_true(exists("foo-3.gmon.out"));
}

/*
 * The maximal number of objects. Half of them have the names that appending numbers to the others
 * would make. A search in the balanced tree takes 24 comparisons at most; a linear search would
 * take 4096.
 */
TEST_F(many_names_take_few_comparisons)
{
	static struct result_object many[RESULT_MAX_OBJECTS];
	static char paths[RESULT_MAX_OBJECTS][16];
	const size_t half = RESULT_MAX_OBJECTS / 2;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		if (i < half)
			snprintf(paths[i], sizeof(paths[i]), "/a/many-%zu", i + 2);
		else
			snprintf(paths[i], sizeof(paths[i]), "/b%zu/many", i);
		many[i] = result.objects[LIB_X];
		many[i].path = paths[i];
		/* only two files are written */
		if (i != half && i + 1 != ARRAY_SIZE(many))
			many[i].samples = 0;
	}
	result.objects = many;
	result.nr_objects = ARRAY_SIZE(many);
	symbolize();
	nr_comparisons = 0;
	assert_int_equal(export(find("gmon"), directory), 0);
	assert_true(nr_comparisons < 3 * 24 * ARRAY_SIZE(many));
	assert_true(exists("many.gmon.out"));
	assert_true(exists("many-4096.gmon.out"));
}

TEST_F(errors_are_returned)
{
	struct stat st;

	symbolize();
	assert_int_equal(export(find("json"), "/nonexistent/file"), -ENOENT);
	assert_non_null(strstr(errors.text, "(ENOENT): create its directory first"));
	assert_int_equal(export(find("gmon"), "/nonexistent/directory"), -ENOENT);
	assert_int_equal(export(find("json"), directory), -EISDIR);
	assert_int_equal(export(find("json"), "/dev/full"), -ENOSPC);
	/* a device is not removed */
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

/* Paths are from the result file, which may come from anywhere. */
TEST_F(errors_have_no_control_characters)
{
	static char odd_path[] = "/lib/\033[2J\xc2\x9b";

	result.objects[LIB_X].path = odd_path;
	result.objects[LIB_X].counts = &(struct result_count){ 0x1000, (uint64_t)1 << 40 };
	result.objects[ODD].samples = 0;
	result.objects[BIG].samples = 0;
	symbolize();
	assert_int_equal(export(find("gmon"), directory), -EOVERFLOW);
	assert_non_null(strstr(errors.text, "/\\033[2J\\302\\233.gmon.out: "));
	assert_null(strchr(errors.text, '\033'));
}

static int write_and_fail(FILE *out, const struct symbolized *of)
{
	fputs("half", out);
	return -ENOMEM;
}

TEST_F(incomplete_file_is_removed)
{
	static const struct export_format failing = {
		.name = "failing", .write = write_and_fail,
	};

	assert_false(exists("half"));
	assert_int_equal(export(&failing, path), -ENOMEM);
	assert_false(exists("half"));
}

GROUP(make_directory, remove_directory)
