#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what docs/reference/canonical-text.md says of kinds, fields and sets, from
src/event/kinds.def and enums.def.

usage: canonical_text.py FOLDER

The page's text stays; what stands between its two markers is replaced.
"""
import re
import sys
from pathlib import Path

PAGE = "docs/reference/canonical-text.md"
BEGIN, END = "<!-- catalogue: begin -->\n", "<!-- catalogue: end -->\n"
SECTION = re.compile(r"^// --- (.*?) -+\n", re.M)
KIND = re.compile(r'^KIND\((\w+), (\w+), (\w+), (\w+), "([^"]+)",((?:\s+FIELD.*\n?)+)', re.M)
FIELD = re.compile(r'FIELD\((\w+), (\w+), "([^"]+)"(?:, (\w+))?\)')
ENUM = re.compile(r"^ENUM\((\w+), ((?:\s*VALUE\(\w+\))+)\)", re.M)
NUMBERS = {"u8", "u32", "u64", "i64", "Optional32"}
TYPES = {"Id": "id", "Time": "time", "Duration": "duration", "f64": "real", "Flag": "1 = yes",
         "Word": "text, vocabulary", "Text": "text", "Whole": "text, free", "Stack": "stack",
         "Natives": "natives", "Refs": "refs", "IlMap": "il-map"}


def type_of(name, unit):
    return unit if name in NUMBERS else TYPES.get(name, "set")


def sentence(text):
    return text[0].upper() + text[1:] + "."


def kind_text(_, name, subject, role, meaning, body):
    about = "no subject" if subject == "none" else f"subject `{subject}`"
    rows = [f"| `{field}` | {type_of(type_, unit)} | {what} |"
            for type_, field, what, unit in FIELD.findall(body)]
    return (f"#### `{name}`\n\n{sentence(meaning)} A {role} with {about}.\n\n"
            "| Field | Type | Meaning |\n|--|--|--|\n" + "\n".join(rows) + "\n\n")


def sets(kinds, enums):
    """Each set once, with the fields that have it; in the order of the kinds."""
    users = {}
    for _, name, _, _, _, body in kinds:
        for type_, field, _, _ in FIELD.findall(body):
            if type_ in enums:
                users.setdefault(type_, []).append(f"`{name}` {field}")
    rows = [f"| {', '.join(fields)} | {', '.join(enums[type_])} |"
            for type_, fields in users.items()]
    return "## Sets\n\n| Field of | Values |\n|--|--|\n" + "\n".join(rows) + "\n"


def catalogue(table, enums):
    parts = SECTION.split(table)
    text, kinds = "", []
    for title, body in zip(parts[1::2], parts[2::2]):
        found = KIND.findall(body)
        kinds += found
        text += f"### {title[0].upper()}{title[1:]}\n\n" + "".join(kind_text(*k) for k in found)
    fields = sum(len(FIELD.findall(body)) for *_, body in kinds)
    rows = re.sub(r"//.*", "", table)
    if len(kinds) != rows.count("KIND(") or fields != rows.count("FIELD("):
        sys.exit("a row of kinds.def was not understood")
    return text + sets(kinds, enums)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = Path("src/event")
    enums = {name: re.findall(r"VALUE\((\w+)\)", values)
             for name, values in ENUM.findall((source / "enums.def").read_text(encoding="utf-8"))}
    table = (source / "kinds.def").read_text(encoding="utf-8")
    page = Path(PAGE).read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, found, foot = rest.partition(END)
    assert found, f"{PAGE} has no markers"
    target = Path(sys.argv[1]) / PAGE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(head + BEGIN + "\n" + catalogue(table, enums) + "\n" + END + foot,
                      encoding="utf-8")


if __name__ == "__main__":
    main()
