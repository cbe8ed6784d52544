# SPDX-License-Identifier: GPL-2.0-only
#
# Reads the fields of profil.proto, which states their form, and prints what follows from them:
#
#   awk -f fields.awk profil.proto                                  the tables, in C (fields.h)
#   awk -f fields.awk profil.proto profil-result.schema.in          the schema of the JSON
#
# In the second file, these are replaced by what MESSAGE says:
#
#   @meaning MESSAGE@       the comment before it
#   @names MESSAGE@         the names of its fields, as a list without brackets
#   @properties MESSAGE@    a property for each field, of which the last has no comma
#
# Fields with "JSON" are in neither list.

function refuse(problem) {
	printf "%s:%d: %s\n", FILENAME, FNR, problem >"/dev/stderr"
	failed = 1
	exit 1
}

# protobuf-c's form of a name in CamelCase
function snake(name) {
	while (match(name, /[a-z0-9][A-Z]/))
		name = substr(name, 1, RSTART) "_" substr(name, RSTART + 1)
	return tolower(name)
}

# structure(MESSAGE): the structure in result.h
function structure(message) {
	return message == "Result" ? "struct result" : "struct result_" snake(message)
}

# A line of a comment
function add_meaning(text) {
	sub(/^ *\/\/ */, "", text)
	meaning = meaning == "" ? text : meaning " " text
}

# parse_note(TEXT): the comment after a field
function parse_note(text, parts, nr, i) {
	nr = split(text, parts, /; */)
	for (i = 1; i <= nr; i++) {
		if (parts[i] ~ /^JSON: ./)
			converted[message, count[message]] = 1
		else if (parts[i] == "packed by hand")
			by_hand[message, count[message]] = 1
		else if (i == 1 && parts[i] ~ units)
			unit[message, count[message]] = parts[i]
		else
			refuse("neither a unit nor a note: \"" parts[i] "\"")
	}
}

function parse_field(line, note, words, nr, i) {
	i = ++count[message]
	if (match(line, /\/\/ */)) {
		note = substr(line, RSTART + RLENGTH)
		line = substr(line, 1, RSTART - 1)
	}
	nr = split(line, words, " ")
	repeated[message, i] = words[1] == "repeated"
	if (nr != 4 + repeated[message, i] || words[nr - 1] != "=" || words[nr] !~ /^[0-9]+;$/)
		refuse("not the form of a field")
	type[message, i] = words[nr - 3]
	name[message, i] = words[nr - 2]
	parse_note(note)
	if (meaning == "")
		refuse("no meaning: write a comment above the field")
	means[message, i] = meaning
	if (((message, i) in by_hand) && !((message, i) in converted))
		refuse("it is in no table, so say what JSON has of it, or \"JSON: none\"")
	if (type[message, i] ~ /int/ && unit[message, i] == "")
		refuse("a number without a unit")
	if (!((message, i) in by_hand) && !(type[message, i] in ctype) &&
	    !(type[message, i] == "bytes") &&
	    !(repeated[message, i] && type[message, i] ~ /^[A-Z]/))
		refuse("no kind of field: pack it by hand")
	if (!((message, i) in by_hand) && repeated[message, i] && type[message, i] in ctype)
		refuse("a list of numbers: pack it by hand")
}

# --- tables ---------------------------------------------------------------------

function print_member(member, i, of, ctype_of) {
	printf "\t\t.%s = MEMBER(%s, %s, %s),\n", member, structure(of), i, ctype_of
}

function print_field(of, i, field, kind) {
	field = name[of, i]
	kind = type[of, i]
	printf "\t{\n\t\t.name = \"%s\",\n", field
	if (kind == "bytes" && repeated[of, i]) {
		print "\t\t.kind = FIELD_TEXTS,"
		print_member("member", field, of, "char **")
	} else if (kind == "bytes") {
		print "\t\t.kind = FIELD_TEXT,"
		print_member("member", field, of, "char *")
	} else if (repeated[of, i]) {
		print "\t\t.kind = FIELD_LIST,"
		print_member("member", field, of, structure(kind) " *")
		print_member("nr_member", "nr_" field, of, "size_t")
		printf "\t\t.elements = &fields_of_%s,\n", snake(kind)
	} else {
		printf "\t\t.kind = %s,\n", kinds[kind]
		print_member("member", field, of, ctype[kind])
	}
	printf "\t\t.packed = offsetof(Profil__%s, %s),\n", of, field
	if (repeated[of, i])
		printf "\t\t.nr_packed = offsetof(Profil__%s, n_%s),\n", of, field
	if (unit[of, i] == "address")
		print "\t\t.is_address = true,"
	if ((of, i) in converted)
		print "\t\t.is_converted = true,"
	print "\t},"
}

function print_tables(i, m, of) {
	print "/* Made from result/profil.proto by result/fields.awk */"
	print "#include <stddef.h>\n"
	print "#include \"generated/profil.pb-c.h\"\n#include \"result/fields.h\""
	print "#include \"result/result.h\"\n"
	print "/* Offset of a member, which must have that type */"
	print "#define MEMBER(structure, name, type) \\"
	print "\t(offsetof(structure, name) + 0 * sizeof(struct { int wrong_type : \\"
	print "\t__builtin_types_compatible_p(__typeof__(((structure *)0)->name), type) ? 1 : -1; }))\n"
	for (m = 1; m <= nr_messages; m++)
		printf "extern const struct field_table fields_of_%s;\n", snake(messages[m])
	for (m = 1; m <= nr_messages; m++) {
		of = messages[m]
		printf "\nstatic const struct field %s[] = {\n", snake(of) "_fields"
		for (i = 1; i <= count[of]; i++)
			if (!((of, i) in by_hand))
				print_field(of, i)
		printf "};\n\nconst struct field_table fields_of_%s = {\n", snake(of)
		printf "\t.packed = &profil__%s__descriptor,\n", snake(of)
		printf "\t.bytes = sizeof(%s),\n", structure(of)
		printf "\t.fields = %s_fields,\n", snake(of)
		printf "\t.nr_fields = sizeof(%s_fields) / sizeof(%s_fields[0]),\n};\n", snake(of), snake(of)
	}
}

# --- schema ---------------------------------------------------------------------

function quote(text) {
	gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}

function form(of, i, kind) {
	kind = type[of, i]
	if (kind == "bytes")
		return !repeated[of, i] ? "\"type\": \"string\"" : \
			"\"type\": \"array\", \"items\": { \"type\": \"string\" }"
	if (repeated[of, i])
		return "\"type\": \"array\", \"items\": { \"$ref\": \"#/definitions/" snake(kind) "\" }"
	if (kind == "bool")
		return "\"type\": \"boolean\""
	if (unit[of, i] == "address")
		return "\"$ref\": \"#/definitions/address\""
	return kind ~ /^u/ ? "\"$ref\": \"#/definitions/amount\"" : "\"type\": \"integer\""
}

function description(of, i) {
	return means[of, i] (unit[of, i] ~ /^(ns|bytes|Hz)/ ? " (" unit[of, i] ")" : "")
}

# list(OF, WHAT, INDENT): names or properties of the fields that JSON has as they are
function list(of, what, indent, i, text, separator) {
	separator = what == "names" ? ", " : ",\n" indent
	for (i = 1; i <= count[of]; i++) {
		if ((of, i) in converted)
			continue
		text = text (text == "" ? "" : separator) quote(name[of, i])
		if (what == "properties")
			text = text ": {\n" indent "\t\"description\": " quote(description(of, i)) \
				",\n" indent "\t" form(of, i) "\n" indent "}"
	}
	return text
}

function replace(line, indent, words, text, before, after) {
	indent = line
	sub(/[^\t].*/, "", indent)
	while (match(line, /@[a-z]+ [A-Za-z]+@/)) {
		before = substr(line, 1, RSTART - 1)
		after = substr(line, RSTART + RLENGTH)
		split(substr(line, RSTART + 1, RLENGTH - 2), words, " ")
		if (!(words[2] in count))
			refuse("no message " words[2])
		if (words[1] == "meaning")
			text = quote(of_message[words[2]])
		else if (words[1] == "names" || words[1] == "properties")
			text = list(words[2], words[1], indent)
		else
			refuse("@" words[1] "@ is unknown")
		line = before text after
	}
	return line
}

BEGIN {
	units = "^(ns|ns since 1970 UTC|bytes|Hz|address|count|number)$"
	ctype["bool"] = "bool"
	ctype["int32"] = "int32_t"
	ctype["uint32"] = "uint32_t"
	ctype["uint64"] = "uint64_t"
	ctype["sint64"] = "int64_t"
	kinds["bool"] = "FIELD_BOOL"
	kinds["int32"] = "FIELD_INT32"
	kinds["uint32"] = "FIELD_UINT32"
	kinds["uint64"] = "FIELD_UINT64"
	kinds["sint64"] = "FIELD_INT64"
}

FNR == 1 { nr_files++ }
nr_files == 2 { print replace($0); next }
/^message / {
	message = $2
	messages[++nr_messages] = message
	count[message] = 0
	of_message[message] = meaning
	meaning = ""
	next
}
/^}/ { message = ""; next }
/^ *\/\// { add_meaning($0); next }
message != "" && !/^ *(reserved |$)/ { parse_field($0) }
{ meaning = "" }
END {
	if (!failed && nr_files == 1)
		print_tables()
	exit failed
}
