#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a terminal of any width a report fits: no line is wider, sentences lose no word, methods keep
their names, and the first screens say where to go on."""
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from pseudo_terminal import on_terminal  # noqa: E402 pylint: disable=wrong-import-position

POLYTRACE = os.environ["POLYTRACE"]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"


def screen(columns, *words):
    code, lines = on_terminal([POLYTRACE, *words], columns, 40)
    assert code == 0, lines
    return lines


def cells(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF"
               else 1 for c in line)


def words_of(lines):
    return re.findall(r"\S+", " ".join(lines))


def section(lines, title):
    begin = lines.index(title)
    end = next((i for i in range(begin, len(lines)) if not lines[i]), len(lines))
    return lines[begin + 3:end]


def test_width(columns, *options):
    lines = screen(columns, "report", *options, EXAMPLE)
    # Paths and commands stay whole: they are there to be copied.
    wide = [line for line in lines if cells(line) > columns and str(EXAMPLE) not in line]
    assert not wide, f"wider than {columns}: {wide[:5]}"
    return lines


def main():
    plain = subprocess.run([POLYTRACE, "report", EXAMPLE], capture_output=True, text=True,
                           check=True, env=dict(os.environ, LC_ALL="C.UTF-8")).stdout.splitlines()
    # One way to write a number: "1,234", never "1234" or "1 234".
    bare = [line for line in plain if
            re.search(r"(?<![\w.,:/])\d{4,}(?![\w.:])|\d\u202f\d| us\b", line)]
    assert not bare, bare
    for columns in (60, 80, 120, 200):
        brief = test_width(columns)
        assert words_of(section(brief, "Summary")) == words_of(section(plain, "Summary"))
        whole = test_width(columns, "--all")
        assert len(whole) > 5 * len(brief), (len(whole), len(brief))
        methods = section(brief, "Methods")
        assert methods[0].endswith("Program:Main ()") and "88.4 ms" in methods[0], methods[0]
        assert any(re.search(r"CreateComparer \(\)$", row) for row in methods), methods
        assert brief[-1].split()[1:3] == ["report", "--all"], brief[-1]
        assert len(brief) < 140, len(brief)
    for columns in range(61, 100):  # sentences of every length meet the edge
        test_width(columns)
    alone = screen(80, "report", "--method", "Thrower", EXAMPLE)
    assert "Callers of Program:Thrower (int)" in alone and "Summary" not in alone, alone
    print("reports fit 60, 80, 120 and 200 columns")


main()
