#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check an export by its schema, and conditions that a schema cannot express.

usage: export_check.py json FILE         by the schema that `make -C tools` makes
       export_check.py report FILE       by that of `profil report --json`; and so on: diff, info
       export_check.py speedscope FILE   by the schema of speedscope

Prints the sum of the samples or weights, or of the samples of the rows, or the number of checks. Exit status: 1 if the file does not match the schema.
"""
import json
import os
import sys

import jsonschema

SELFTESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The part of https://www.speedscope.app/file-format-schema.json for sampled profiles. That file is
# generated from src/lib/file-format-spec.ts in jlfwong/speedscope.
SPEEDSCOPE = {
    "type": "object",
    "required": ["$schema", "profiles", "shared"],
    "properties": {
        "$schema": {"enum": ["https://www.speedscope.app/file-format-schema.json"]},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string"},
                            "file": {"type": "string"},
                            "line": {"type": "number"},
                            "col": {"type": "number"},
                        },
                    },
                },
            },
        },
        "profiles": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type", "name", "unit", "startValue", "endValue",
                             "samples", "weights"],
                "properties": {
                    "type": {"enum": ["sampled"]},
                    "name": {"type": "string"},
                    "unit": {"enum": ["none", "nanoseconds", "microseconds",
                                      "milliseconds", "seconds", "bytes"]},
                    "startValue": {"type": "number"},
                    "endValue": {"type": "number"},
                    "samples": {"type": "array",
                                "items": {"type": "array", "items": {"type": "number"}}},
                    "weights": {"type": "array", "items": {"type": "number"}},
                },
            },
        },
        "name": {"type": "string"},
        "activeProfileIndex": {"type": "number"},
        "exporter": {"type": "string"},
    },
}


def check_json(result):
    with open(os.path.join(SELFTESTS, "../tools/generated/profil-result.schema.json")) as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(result, schema, jsonschema.Draft7Validator)
    # the schema allows more members; here, such a member is a wrong name
    described = schema["definitions"]
    for one in [schema] + [each for each in described.values() if "properties" in each]:
        assert set(one["required"]) == set(one["properties"])
    assert set(result) == set(schema["properties"])
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


def check_speedscope(file):
    jsonschema.validate(file, SPEEDSCOPE, jsonschema.Draft7Validator)
    frames = file["shared"]["frames"]
    profile = file["profiles"][file["activeProfileIndex"]]
    assert len(profile["samples"]) == len(profile["weights"])
    for stack in profile["samples"]:
        assert stack
        for frame in stack:
            assert 0 <= frame < len(frames)
    assert sum(profile["weights"]) == profile["endValue"] - profile["startValue"]
    return sum(profile["weights"])


def main():
    check = {"json": check_json, "report": check_report, "diff": check_diff, "info": check_info,
             "speedscope": check_speedscope}[sys.argv[1]]
    with open(sys.argv[2], encoding="utf-8") as file:
        content = json.load(file)
    try:
        print(check(content))
    except jsonschema.ValidationError as error:
        sys.exit(str(error))


main()
