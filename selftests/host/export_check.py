#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check an export by its schema, and conditions that a schema cannot express.

usage: export_check.py json FILE         by the schema that `make -C tools` makes
       export_check.py report FILE       by that of `profil report --json`; and so on: diff, info
       export_check.py firefox FILE      by the types of Firefox Profiler
       export_check.py svg FILE          a flame graph: the width and the samples of its first row

Prints the sum of the samples or weights, or of the samples of the rows, or the number of checks. Of
Firefox Profiler, also the weights of each function with what it calls. Exit status: 1 if the file does not match the schema.
"""
import json
import os
import sys
import xml.etree.ElementTree

import jsonschema

SELFTESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def table(lists, **columns):
    """A table of Firefox Profiler: a list for each column. @lists: columns that others check"""
    properties = {name: {"type": "array", "items": items} for name, items in columns.items()}
    properties.update({name: {"type": "array"} for name in lists})
    properties["length"] = {"type": "integer"}
    return {"type": "object", "required": list(properties), "properties": properties,
            "additionalProperties": False}


INDEX = {"type": "integer", "minimum": 0}
INDEX_OR_NULL = {"type": ["integer", "null"], "minimum": 0}
INDEX_OR_NONE = {"type": "integer", "minimum": -1}
NULL = {"type": "null"}
TEXT = {"type": "string"}

# src/types/profile.ts in firefox-devtools/profiler, as of version 61 of the processed format
# (docs-developer/CHANGELOG-formats.md there)
FIREFOX = {
    "type": "object",
    "required": ["meta", "libs", "shared", "threads"],
    "properties": {
        "meta": {
            "type": "object",
            "required": ["version", "preprocessedProfileVersion", "interval", "startTime", "product",
                         "processType", "stackwalk", "categories", "markerSchema"],
            "properties": {
                "preprocessedProfileVersion": {"enum": [61]},
                "interval": {"type": "number", "exclusiveMinimum": 0},
                "startTime": {"type": "number"},
                "product": TEXT,
                "categories": {"type": "array", "items": {
                    "type": "object",
                    "required": ["name", "color", "subcategories"],
                    "properties": {"color": {"enum": ["grey", "yellow", "orange"]},
                                   "subcategories": {"type": "array", "minItems": 1}},
                }},
            },
        },
        "libs": {"type": "array", "items": {
            "type": "object",
            "required": ["arch", "name", "path", "debugName", "debugPath", "breakpadId", "codeId"],
            "additionalProperties": TEXT,
        }},
        "shared": {
            "type": "object",
            "required": ["stringArray", "sources", "resourceTable", "funcTable", "stackTable",
                         "frameTable", "nativeSymbols"],
            "properties": {
                "stringArray": {"type": "array", "items": TEXT},
                "sources": table([], id=NULL, filename=INDEX, startLine=INDEX, startColumn=INDEX,
                                 sourceMapURL=NULL),
                "resourceTable": table([], lib=INDEX, name=INDEX, host=NULL, type={"enum": [1]}),
                "funcTable": table([], name=INDEX, isJS={"enum": [False]},
                                   relevantForJS={"enum": [False]}, resource=INDEX_OR_NONE,
                                   source=INDEX_OR_NULL, lineNumber=NULL, columnNumber=NULL),
                "stackTable": table([], frame=INDEX, prefix=INDEX_OR_NULL),
                "frameTable": table([], address=INDEX_OR_NONE, inlineDepth={"enum": [0]},
                                    category={"enum": [1, 2]}, subcategory={"enum": [0]},
                                    func=INDEX, nativeSymbol=NULL, innerWindowID=NULL,
                                    line=INDEX_OR_NULL, column=NULL),
                "nativeSymbols": table(["libIndex", "address", "name", "functionSize"]),
            },
            "additionalProperties": False,
        },
        "threads": {"type": "array", "items": {
            "type": "object",
            "required": ["processType", "processStartupTime", "processShutdownTime", "registerTime",
                         "unregisterTime", "pausedRanges", "name", "isMainThread", "pid", "tid",
                         "samples", "markers"],
            "properties": {
                "name": TEXT,
                "processName": TEXT,
                "isMainThread": {"type": "boolean"},
                "pid": {"type": "string", "pattern": "^[0-9]+$"},
                "tid": {"type": "integer"},
                "markers": table(["data", "name", "startTime", "endTime", "phase", "category"]),
                "samples": {
                    "type": "object",
                    "required": ["stack", "time", "weight", "weightType", "length"],
                    "properties": {
                        "stack": {"type": "array", "items": INDEX},
                        "time": {"type": "array", "items": {"type": "number", "minimum": 0}},
                        "weight": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                        "weightType": {"enum": ["samples"]},
                    },
                },
            },
        }},
    },
}


def check_json(result):
    with open(os.path.join(SELFTESTS, "../tools/generated/profil-result.schema.json")) as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(result, schema, jsonschema.Draft7Validator)
    # the schema allows more members; here, such a member is a wrong name
    described = schema["definitions"]
    without_stacks = set(schema["properties"]) - {"nodes", "stacks"}
    assert set(schema["required"]) == without_stacks
    for one in [each for each in described.values() if "properties" in each]:
        assert set(one["required"]) == set(one["properties"])
    assert set(result) == (set(schema["properties"]) if "nodes" in result else without_stacks)
    if "nodes" in result:
        nodes = result["nodes"]
        assert all(node["caller"] is None or node["caller"] < i for i, node in enumerate(nodes))
        assert all(set(node) == set(described["node"]["properties"]) for node in nodes)
        assert all(set(one) == set(described["stack"]["properties"]) for one in result["stacks"])
        assert all(one["node"] < len(nodes) for one in result["stacks"])
        assert sum(stack["samples"] for stack in result["stacks"]) == result["samples"]
    samples = result["outside"]
    for thing in result["objects"]:
        assert set(thing) == set(described["object"]["properties"])
        of_functions = 0
        for function in thing["functions"]:
            assert set(function) == set(described["function"]["properties"])
            of_counts = sum(count["samples"] for count in function["counts"])
            assert of_counts == function["samples"]
            of_functions += of_counts
        assert of_functions == thing["samples"]
        samples += of_functions
    for process in result["processes"]:
        assert set(process) == set(described["process"]["properties"])
    for program in result["unprofiled"]:
        assert set(program) == set(described["unprofiled"]["properties"])
    assert samples == result["samples"]
    return samples


def forbid_others(schema):
    """The schema allows more members; here, such a member is a wrong name, and all are required."""
    if isinstance(schema, list):
        for one in schema:
            forbid_others(one)
    if not isinstance(schema, dict):
        return
    if "required" in schema:
        assert set(schema["required"]) == set(schema["properties"])
        schema["additionalProperties"] = False
    for one in schema.values():
        forbid_others(one)


def check_printed(content, folder, name, rows=None):
    with open(os.path.join(SELFTESTS, "../tools", folder, f"profil-{name}.schema.json")) as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    forbid_others(schema)
    jsonschema.validate(content, schema, jsonschema.Draft7Validator)
    return sum(rows(content)) if rows else 0


def check_report(content):
    return check_printed(content, "report", "report",
                         lambda report: (row["samples"] for row in report["rows"]))


def check_diff(content):
    return check_printed(content, "report", "diff",
                         lambda diff: (row["new_samples"] for row in diff["functions"]))


def check_info(content):
    check_printed(content, "cmd", "info")
    return len(content["checks"])


def check_columns(rows):
    for column in rows.values():
        assert not isinstance(column, list) or len(column) == rows["length"]


def check_indexes(column, rows):
    assert all(index is None or index < rows for index in column), (max(column), rows)


def check_firefox(profile):
    jsonschema.validate(profile, FIREFOX, jsonschema.Draft7Validator)
    shared = profile["shared"]
    for name, rows in shared.items():
        if name != "stringArray":
            check_columns(rows)
    texts = len(shared["stringArray"])
    check_indexes(shared["sources"]["filename"], texts)
    check_indexes(shared["resourceTable"]["name"], texts)
    check_indexes(shared["resourceTable"]["lib"], len(profile["libs"]))
    check_indexes(shared["funcTable"]["name"], texts)
    check_indexes(shared["funcTable"]["resource"], shared["resourceTable"]["length"])
    check_indexes(shared["funcTable"]["source"], shared["sources"]["length"])
    check_indexes(shared["frameTable"]["func"], shared["funcTable"]["length"])
    check_indexes(shared["stackTable"]["frame"], shared["frameTable"]["length"])
    prefixes = shared["stackTable"]["prefix"]
    assert all(prefix is None or prefix < stack for stack, prefix in enumerate(prefixes)), prefixes
    functions = [shared["stringArray"][name] for name in shared["funcTable"]["name"]]
    in_kernel = samples = 0
    totals = {}
    for thread in profile["threads"]:
        check_columns(thread["samples"])
        check_columns(thread["markers"])
        check_indexes(thread["samples"]["stack"], shared["stackTable"]["length"])
        assert thread["samples"]["time"] == sorted(thread["samples"]["time"])
        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            frame = shared["stackTable"]["frame"][stack]
            samples += weight
            in_kernel += weight * (shared["frameTable"]["category"][frame] == 2)
            within = set()
            while stack is not None:
                within.add(functions[shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]])
                stack = prefixes[stack]
            for name in within:
                totals[name] = totals.get(name, 0) + weight
    return "\n".join([f"{samples} {in_kernel}"] + sorted(f"{name} {of}" for name, of in totals.items()))


def check_svg(name):
    svg = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.parse(name).getroot()
    assert root.tag == svg + "svg"
    rows = {}
    for frame in root.findall(svg + "svg"):
        rows.setdefault(int(frame.get("y")), []).append(frame)
    for row in rows.values():
        row.sort(key=lambda frame: float(frame.get("x")))
        # up to rounding
        assert all(float(one.get("x")) + float(one.get("width")) <= float(next.get("x")) + 0.02
                   for one, next in zip(row, row[1:]))
    first = rows[max(rows)]
    return (f'{sum(float(frame.get("width")) for frame in first):.1f} '
            f'{sum(int(frame.find(svg + "title").text.split(" ")[-4]) for frame in first)}')


def main():
    if sys.argv[1] == "svg":
        print(check_svg(sys.argv[2]))
        return
    check = {"json": check_json, "report": check_report, "diff": check_diff, "info": check_info,
             "firefox": check_firefox}[sys.argv[1]]
    with open(sys.argv[2], encoding="utf-8") as file:
        content = json.load(file)
    try:
        print(check(content))
    except jsonschema.ValidationError as error:
        sys.exit(str(error))


main()
