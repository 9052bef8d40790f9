#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the message tables of docs/formats/tbf.md from src/format/tptp/catalogue.def.

usage: tptp_messages.py FOLDER

The page's text stays; what stands between its two markers is replaced.
"""
import re
import sys
from pathlib import Path

PAGE = "docs/formats/tbf.md"
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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    catalogue = Path("src/format/tptp/catalogue.def").read_text(encoding="utf-8")
    messages = MESSAGE.findall(catalogue)
    if len(messages) != catalogue.count("\nMESSAGE("):
        sys.exit("a message of the catalogue was not understood")
    tables = "".join(table(*message[1:]) for message in messages)
    page = Path(PAGE).read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    target = Path(sys.argv[1]) / PAGE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(before + BEGIN + "\n" + tables + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
