#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a page tells newcomers to type: blocks of shell lines behind <!-- first use: NAME -->.

usage: blocks.py PAGE          the names, in order
       blocks.py PAGE NAME     the lines of that block
       blocks.py --self-test
"""
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^<!-- first use: (\S+) -->\n```sh\n(.*?)^```$", re.S | re.M)
MARK = "<!-- first use"


def blocks(text):
    """By name, in order. A mark without a block behind it is a fault: it would not be tried."""
    found = {name: lines for name, lines in BLOCK.findall(text)}
    if len(found) != text.count(MARK) or not found:
        raise SystemExit("blocks.py: a mark is not followed by a block of sh, or stands twice")
    return found


def self_test():
    page = ("a\n<!-- first use: one -->\n```sh\nmake\nrun\n```\n"
            "<!-- first use: two -->\n```sh\nx\n```\n")
    assert blocks(page) == {"one": "make\nrun\n", "two": "x\n"}, blocks(page)
    for broken in ("", "<!-- first use: one -->\n\n```sh\nx\n```\n", page + page):
        try:
            blocks(broken)
        except SystemExit:
            continue
        raise AssertionError(broken)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    found = blocks(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if len(sys.argv) == 2:
        print("\n".join(found))
    elif sys.argv[2] in found:
        print(found[sys.argv[2]], end="")
    else:
        sys.exit(f"blocks.py: no block {sys.argv[2]!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
