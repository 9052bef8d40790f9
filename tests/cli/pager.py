#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Long text is shown a screen at a time on a terminal, by the user's pager or by less; what
programs read, and what is asked for otherwise, comes as it is."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from pseudo_terminal import on_terminal  # noqa: E402 pylint: disable=wrong-import-position

POLYTRACE = os.environ["POLYTRACE"]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
MARK = "paged: "
MARKING = {"POLYTRACE_PAGER": f"sed 's/^/{MARK}/'"}


def screen(*words, rows=24, code=0, **variables):
    result, lines = on_terminal([POLYTRACE, *map(str, words)], 80, rows, **variables)
    assert result == code, (words, result, lines)
    return lines


def is_paged(lines):
    marked = [line.startswith(MARK) for line in lines]
    assert len(set(marked)) == 1, lines
    return marked[0]


def commands():
    return [["report", EXAMPLE], ["diff", EXAMPLE, EXAMPLE], ["heap", EXAMPLE], ["info", EXAMPLE],
            ["state", EXAMPLE, "--at", "50%"], ["report", "--help"], ["--help"]]


def text_goes_through_the_pager(_):
    for words in commands():
        assert is_paged(screen(*words, **MARKING)), words


def all_else_does_not(_):
    for words in (["--json"], ["--format", "csv"], ["--no-pager"]):
        assert not is_paged(screen("report", EXAMPLE, *words, **MARKING)), words
    assert not is_paged(screen("report", EXAMPLE, TERM="dumb", **MARKING))
    piped = subprocess.run([POLYTRACE, "report", EXAMPLE], capture_output=True, text=True,
                           check=True, env=os.environ | MARKING).stdout
    assert MARK not in piped


def own_choices_count(_):
    plain = screen("report", EXAMPLE)
    for none in ("", "cat"):
        assert screen("report", EXAMPLE, PAGER=none) == plain
        assert screen("report", EXAMPLE, POLYTRACE_PAGER=none, PAGER="false") == plain


def exit_codes_and_remarks_stay(folder):
    cut = Path(folder, "cut.mlpd")
    cut.write_bytes(EXAMPLE.read_bytes()[:-1000])
    lines = screen("report", cut, code=4, **MARKING)
    assert is_paged(lines) and any("ends inside a frame" in line for line in lines), lines


def less_ends_where_all_fits(folder):
    """Else this test would wait for a key."""
    short = ["report", "--sections", "summary", EXAMPLE]
    shown = screen(*short, rows=100, PAGER=None)
    nowhere = Path(folder, "nothing")
    nowhere.mkdir()
    without_less = screen("report", EXAMPLE, PATH=str(nowhere), PAGER=None)
    assert without_less == screen("report", EXAMPLE)
    if shutil.which("less"):
        plain = re.sub(r"\x1b\[[?\d]*[a-zA-Z]|\x1b[=>]", "", "\n".join(shown))
        assert plain.strip().splitlines() == screen(*short), shown


def main():
    os.environ.pop("POLYTRACE_PAGER", None)
    with tempfile.TemporaryDirectory() as folder:
        for test in (text_goes_through_the_pager, all_else_does_not, own_choices_count,
                     exit_codes_and_remarks_stay, less_ends_where_all_fits):
            test(folder)
            print(f"{test.__name__}: good")


main()
