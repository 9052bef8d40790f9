#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of messages and elements that docs/formats/tbf.md and trcxml.md show, from
src/format/tptp/messages/catalogue.def.

usage: tptp_messages.py FOLDER

The pages' text stays; what stands between their two markers is replaced.
"""
import re
import sys
from pathlib import Path

BEGIN, END = "<!-- messages: begin -->\n", "<!-- messages: end -->\n"
MESSAGE = re.compile(r'MESSAGE\((\w+), (\d+), "(\w+)", "([^"]+)",\n((?:\s+ATTRIBUTE\(.*\)\n?)+)')
ATTRIBUTE = re.compile(r'ATTRIBUTE\((\w+), (\w+), (\w+), (\w+), "(\w*)", "([^"]+)"([^)]*)\)')
SIZES = {"i8": 1, "i32": 4, "i64": 8, "f64": 8, "str": 1, "strs": 0, "i64s": 0}
NAMES = {"strs": "str[n]", "i64s": "i64[n]"}


def table(number, element, title, body):
    rows, offset, fixed = [], 6, True
    attributes = ATTRIBUTE.findall(body)
    for type_, _, meaning, used, xml, name, aliases in attributes:
        place = str(offset) if fixed else "·"
        text = f"`{xml}`" if xml else "(body)"
        also = ", ".join(f"`{alias}`" for alias in re.findall(r'"(\w+)"', aliases))
        meaning = "" if meaning == "plain" else meaning.replace("_", " ")
        rows.append(f"| {place} | {name} | {NAMES.get(type_, type_)} | {meaning} | "
                    f"{'yes' if used == 'true' else ''} | {text} | {also} |")
        offset += SIZES[type_]
        fixed = fixed and not (type_.startswith("str") or type_ == "i64s")
    least = 6 + sum(SIZES[attribute[0]] for attribute in attributes)
    return (f"#### {number} {title}: `{element}`, {least} bytes or more\n\n"
            "| Offset | Attribute | Type | Meaning | Used | XML | Also read as |\n"
            "|--|--|--|--|--|--|--|\n" + "\n".join(rows) + "\n\n")


def kind(type_, meaning):
    """The word of trcxml.md, section 3."""
    if meaning in ("time", "flag"):
        return meaning
    if meaning in ("span", "cpu_span"):
        return "duration"
    if meaning in ("class_name", "body"):
        return "class name" if meaning == "class_name" else "text"
    if meaning in ("plain", "depth"):
        return {"str": "text", "f64": "real"}.get(type_, "integer")
    return "id"


def element_row(element, body):
    parts = []
    for type_, _, meaning, used, xml, _, aliases in ATTRIBUTE.findall(body):
        if type_ in ("strs", "i64s") or not xml:
            continue
        also = "".join(f", also `{alias}`" for alias in re.findall(r'"(\w+)"', aliases))
        name = f"**`{xml}`**" if used == "true" else f"`{xml}`"
        parts.append(f"{name} ({kind(type_, meaning)}{also})")
    return f"| `{element}` | {', '.join(parts) or 'none; its text is the body'} |\n"


def elements(messages):
    return ("| Element | Attributes |\n|--|--|\n" +
            "".join(element_row(element, body) for _, _, element, _, body in messages) + "\n")


def replace(folder, page, made):
    text = Path(page).read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    target = Path(folder) / page
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(before + BEGIN + "\n" + made + END + rest.split(END)[1], encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    catalogue = Path("src/format/tptp/messages/catalogue.def").read_text(encoding="utf-8")
    messages = MESSAGE.findall(catalogue)
    if len(messages) != catalogue.count("\nMESSAGE("):
        sys.exit("a message of the catalogue was not understood")
    replace(sys.argv[1], "docs/formats/tbf.md", "".join(table(*one[1:]) for one in messages))
    replace(sys.argv[1], "docs/formats/trcxml.md", elements(messages))


if __name__ == "__main__":
    main()
