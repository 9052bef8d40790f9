# SPDX-License-Identifier: Apache-2.0
"""Profiles in messages of protobuf, read and written by protoc: what other programs see of ours.

decode() gives a message as a dict of lists, by field; encode() takes the text that protoc takes.
"""
import ast
import re
import subprocess
from pathlib import Path

from readers import DATA, Skip, program

PROTO = DATA / "export" / "profiles.proto"
TOKEN = re.compile(r'\s*(?:(\w+)(?:: ("(?:[^"\\]|\\.)*"|[-\w.+]+)| \{)|\})')


def protoc(option, message, given):
    done = subprocess.run([program("protoc"), f"--{option}=profiles.{message}", "-I", PROTO.parent,
                           PROTO.name], input=given, capture_output=True, check=False, timeout=150)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def value_of(text):
    if text.startswith('"'):
        return ast.literal_eval("b" + text)
    return float(text) if "." in text else int(text) if re.match(r"-?\d", text) else text


def decode(message, given):
    """Strings and bytes are bytes."""
    whole = {}
    stack = [whole]
    for line in protoc("decode", message, given).decode("latin-1").splitlines():
        match = TOKEN.fullmatch(line)
        assert match, line
        if match[1] is None:
            stack.pop()
        elif match[2] is None:
            stack.append({})
            stack[-2].setdefault(match[1], []).append(stack[-1])
        else:
            stack[-1].setdefault(match[1], []).append(value_of(match[2]))
    assert len(stack) == 1, "protoc closes what it opens"
    return whole


def encode(message, text):
    return protoc("encode", message, text.encode())


def one(message, field, absent=0):
    return message.get(field, [absent])[0]


def otlp_samples(request):
    """Of each profile (type, unit, attributes, profile), then (frames from the innermost one on,
    attributes, sum of values) of its samples."""
    tables = request["dictionary"][0]
    texts = [text.decode() for text in tables["string_table"]]
    for table in ("mapping", "location", "function", "link", "attribute", "stack"):
        assert tables[f"{table}_table"][0] == {}, f"entry 0 of {table}_table is not empty"
    assert texts[0] == ""
    functions = [texts[one(each, "name_strindex")] for each in tables["function_table"]]
    frames = [[functions[one(line, "function_index")] for line in each.get("lines", [])]
              for each in tables["location_table"]]
    stacks = [[name for place in each.get("location_indices", []) for name in frames[place]]
              for each in tables["stack_table"]]

    def told(indices):
        pairs = [tables["attribute_table"][index] for index in indices]
        return {texts[one(pair, "key_strindex")]: next(iter(pair["value"][0].values()))[0]
                for pair in pairs}

    for of_resource in request["resource_profiles"]:
        for in_scope in of_resource["scope_profiles"]:
            for profile in in_scope["profiles"]:
                kind = profile["sample_type"][0]
                yield ((texts[one(kind, "type_strindex")], texts[one(kind, "unit_strindex")],
                        told(profile.get("attribute_indices", [])), profile),
                       [(stacks[one(sample, "stack_index")],
                         told(sample.get("attribute_indices", [])), sum(sample["values"]))
                        for sample in profile.get("samples", [])])


def resource(request):
    """The attributes of the first one."""
    pairs = request["resource_profiles"][0]["resource"][0].get("attributes", [])
    return {pair["key"][0].decode(): next(iter(pair["value"][0].values()))[0] for pair in pairs}


__all__ = ["Skip", "decode", "encode", "one", "otlp_samples", "program", "resource"]
