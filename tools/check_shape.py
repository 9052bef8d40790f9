#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the shape of src/ to what keeps it easy to see, and prints where it stands.

usage: check_shape.py [--list | --self-test]

Files side by side in one folder; headers that at most one other file includes; modules (x.hpp with
x.cpp) of few lines; lists of all kinds, commands and sections beside the one table of each; runs of
lines that stand twice. --list names them.
"""
import collections
import re
import sys
import tempfile
from pathlib import Path

# Figure, the most that it may be: a number, or below 1 a share of all files. A house of more rooms
# has more doors, each a header that one other file includes.
BARS = {
    "files side by side in one folder, most": 25,
    "headers that at most one other file includes": 0.11,
    "modules below 60 lines of code": 0.055,
    "lists of all kinds beside kinds.def": 1,  # the numbers that files are promised
    "lists of commands beside commands.def": 0,
    "lists of sections beside sections.def": 0,
    "pairs of places with 8 equal lines": 0,
}
# Folders with more than 20 files, and why they are one.
LARGE = {
    "base/io": "where bytes come from and go to, and what is told of them on the way",
    "event": "what crosses doors is one vocabulary: every room includes most of it",
    "collector/flow": "the way of a stream through the process, and what is counted on it",
    "cli/fleet": "one file for each command of the fleet",
    "store/file": "where what stands, for who writes an index and who reads it",
    "server/answers": "one file for each row of endpoints.def",
    "slice": "one rule a file, for each thing that an event may mean at its moment",
    "sql/functions": "one file a function that asks tables, or what some of them share",
    "format/tptp/tbf": "framing, decoding and the watch share what a stream's state means",
    "format/tptp/xml": "a scanner and a writer of one small language",
}
SHORT, RUN = 60, 8
LEAST_HOUSE = 1000  # files: of fewer, shares are taken of so many
CODE = {".hpp", ".cpp", ".h", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"')
# What stands in a list if nearly all of its table does.
NEARLY_ALL = 0.8
TABLES = {
    "lists of all kinds beside kinds.def": ("event/kinds.def", r"^KIND\((\w+)", r"\b(\w+)\b"),
    "lists of commands beside commands.def": ("cli/commands.def", r"^COMMAND\((\w+)",
                                              r"make_(\w+)"),
    "lists of sections beside sections.def": ("analysis/sections.def", r"^SECTION\((\w+)",
                                              r"make_(\w+)"),
}


class House:
    """The files of src/ by their path in it, as lines."""

    def __init__(self, src):
        self.files = {path.relative_to(src).as_posix(): path.read_text("utf-8").splitlines()
                      for path in sorted(src.rglob("*")) if path.suffix in CODE}
        self.all = [path.relative_to(src).as_posix() for path in sorted(src.rglob("*"))
                    if path.is_file()]


def source_of(header):
    return header.removesuffix(".hpp") + ".cpp"


def lines_of_code(lines):
    """Without comments, and without what every file has."""
    return [line for line in map(str.strip, lines) if line and
            not line.startswith(("//", "#include", "#pragma", "namespace", "}  // namespace"))]


def crowded_folders(house):
    count = collections.Counter(path.rpartition("/")[0] for path in house.all)
    return [(number, folder) for folder, number in count.most_common()]


def lonely_headers(house):
    users = collections.defaultdict(set)
    for path, lines in house.files.items():
        for match in filter(None, map(INCLUDE.match, lines)):
            users[match[1]].add(path)
    return [path for path in house.files if path.endswith(".hpp") and
            len(users[path] - {source_of(path)}) <= 1]


def short_modules(house):
    return [path for path in house.files
            if path.endswith(".hpp") and source_of(path) in house.files and
            sum(len(lines_of_code(house.files[part])) for part in (path, source_of(path))) < SHORT]


def lists_beside(house, table, row, word):
    """Files that name nearly all that the table has."""
    names = {match[1] for match in (re.match(row, line) for line in house.files.get(table, []))
             if match}
    return [path for path, lines in house.files.items() if names and path != table and
            len(names & set(re.findall(word, "\n".join(lines_of_code(lines))))) >=
            NEARLY_ALL * len(names)]


def twice(house):
    """Pairs of files with the first line of an equal run in each, one run a pair."""
    seen, pairs = {}, {}
    for path, lines in house.files.items():
        if path.endswith(".def"):
            continue
        code = [(number, " ".join(line.split())) for number, line in enumerate(lines, 1)
                if len(line.strip()) > 3 and lines_of_code([line])]
        for i in range(len(code) - RUN + 1):
            run = "\n".join(line for _, line in code[i:i + RUN])
            other, place = seen.setdefault(run, (path, code[i][0]))
            if (other, place) != (path, code[i][0]):
                pairs.setdefault((other, path), f"{other}:{place} ~ {path}:{code[i][0]}")
    return sorted(pairs.values())


def figures(house):
    """Name, figure, what it counts."""
    folders = crowded_folders(house)
    found = {"files side by side in one folder, most": [f"{n} {f}" for n, f in folders if n > 20],
             "headers that at most one other file includes": lonely_headers(house),
             "modules below 60 lines of code": short_modules(house)}
    for name, (table, row, word) in TABLES.items():
        found[name] = lists_beside(house, table, row, word)
    found["pairs of places with 8 equal lines"] = twice(house)
    for name in BARS:
        count = len(found[name])
        yield name, folders[0][0] if "folder" in name and folders else count, found[name]


def bar_of(name, house):
    bar = BARS[name]
    return bar if bar == 0 or bar >= 1 else int(bar * max(len(house.files), LEAST_HOUSE))


def check(src, listed=False):
    faults, house = [], House(src)
    for name, figure, items in figures(house):
        bar = bar_of(name, house)
        print(f"{figure:>5} of {bar:>3}  {name}")
        if listed:
            print("".join(f"             {item}\n" for item in items), end="")
        if figure > bar:
            faults.append(f"{name}: {figure}, more than {bar}")
    faults += [f"{folder} has {number} files and no reason for more than 20"
               for number, folder in crowded_folders(house) if number > 20 and folder not in LARGE]
    return faults


BODY = "".join(f"  call_number_{i}(a);\n" for i in range(RUN))
# Files, a word of the fault.
BAD = [
    ({f"room/file_{i}.cpp": "" for i in range(26)}, "files side by side"),
    ({f"room/file_{i}.cpp": "" for i in range(21)}, "no reason"),
    ({f"a{i}/b.hpp": "" for i in range(111)}, "at most one"),
    ({f"a{i}/b.{end}": "" for i in range(60) for end in ("hpp", "cpp")}, "below 60"),
    ({"event/kinds.def": "KIND(Enter, x)\nKIND(Leave, x)\n", "a/b.cpp": "Enter, Leave",
      "a/c.cpp": "Enter(Leave)"}, "kinds"),
    ({"cli/commands.def": "COMMAND(info)\n", "cli/main.cpp": "make_info()"}, "commands"),
    ({"a/b.cpp": BODY, "c/d.cpp": "// other\n" + BODY}, "equal lines"),
]
GOOD = [
    {f"room/file_{i}.cpp": "" for i in range(20)},
    {"event/kinds.def": "KIND(Enter, x)\nKIND(Leave, x)\n", "a/b.def": "Enter, Leave"},
    {"a/b.cpp": BODY, "c/d.cpp": BODY.replace("5", "x")},
]


def faults_of_example(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text)
        stdout, sys.stdout = sys.stdout, open("/dev/null", "w", encoding="utf-8")
        try:
            return check(Path(folder))
        finally:
            sys.stdout.close()
            sys.stdout = stdout


def self_test():
    for files, word in BAD:
        faults = faults_of_example(files)
        assert any(word in fault for fault in faults), (word, faults)
    for files in GOOD:
        assert not faults_of_example(files), files
    print(f"shape: {len(BAD)} bad examples refused, {len(GOOD)} good ones let pass")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] not in ([], ["--list"]):
        sys.exit(__doc__)
    faults = check(Path("src"), listed=bool(sys.argv[1:]))
    print("\n".join(faults) if faults else "shape: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
