#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every trace that polytrace writes as TPTP XML, straight or by way of TBF, can be placed by a
hierarchical loader, and has as many calls and objects as other programs counted.

$POLYTRACE is the program, $TEST_DATA the folder of test data.
"""
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from hierarchy import Loader, Misplaced  # noqa: E402

POLYTRACE, DATA = os.environ["POLYTRACE"], Path(os.environ["TEST_DATA"])
SHOP = Path(__file__).resolve().parent.parent.parent / "examples/shop.trcxml"
ENDINGS = (".mlpd", ".mlpd.gz", ".mprof", ".trace.log", ".trcbin", ".trcxml")

# What the loader has to refuse: a piece of a good trace, and what takes its place.
SPOILED = {
    "no node": ("<node .*/>\n", ""),
    "node without id": ('nodeId="9f3c"', 'nodeId=""'),
    "process of another node": ('nodeIdRef="9f3c"', 'nodeIdRef="9f3d"'),
    "agent before its process": ("(<processCreate .*/>\n)(<agentCreate .*/>\n)", r"\2\1"),
    "trace of another agent": ('traceId="7ace-03" agentIdRef="a9e0-02"',
                               'traceId="7ace-03" agentIdRef="a9e0-03"'),
    "filter of another trace": ('filter traceIdRef="7ace-03"', 'filter traceIdRef=""'),
    "thread unknown": ('<threadStart threadId="2"', '<threadStart threadId="3"'),
    "method of no class": ('classIdRef="20" methodId="201"', 'classIdRef="21" methodId="201"'),
    "call in no class": ('classIdRef="20" stackDepth', 'classIdRef="0" stackDepth'),
    "exit of another call": ('<methodExit threadIdRef="2" time="([^"]*)" ticket="1"',
                             r'<methodExit threadIdRef="2" time="\1" ticket="2"'),
    "something behind the trace": ("(<gcStart .*/>\n)((.*\n)*?<traceEnd .*/>\n)", r"\2\1"),
    "agent ends before its trace": ("(<traceEnd .*/>\n)(<agentDestroy .*/>\n)", r"\2\1"),
    "end of another agent": ('<agentDestroy agentIdRef="a9e0-02"', '<agentDestroy agentIdRef="x"'),
}


def check(condition, *words):
    if not condition:
        sys.exit("failed: " + " ".join(str(word) for word in words))


def test_loader():
    good = SHOP.read_text(encoding="utf-8")
    placed = Loader().load(SHOP).placed
    check(sum(placed.values()) == good.count("\n<") - 2, "not all of", SHOP, placed)
    for what, (piece, other) in SPOILED.items():
        spoiled = re.sub(piece, other, good, count=1)
        check(spoiled != good, what, "is not there")
        try:
            Loader().load(io.BytesIO(spoiled.encode()))
        except Misplaced:
            continue
        check(False, "not refused:", what)


def convert(file, form, to):
    command = [POLYTRACE, "convert", "--quiet", "--force", "--to", form, file, "-o", to]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
    check(done.returncode in (0, 4), file, "to", form, done.stderr)  # some are cut off


def counted(file):
    """What another program counted of a recording, by elements."""
    facts = file.with_name(file.name.split(".")[0] + ".facts.json")
    if ".mlpd" not in file.name or not facts.exists():
        return {}
    told = json.loads(facts.read_text(encoding="utf-8"))
    return {"methodEntry": told["calls"]["enter"], "gcRoot": told["root_refs"],
            "methodExit": told["calls"]["leave"] + told["calls"]["exc_leave"],
            "objAlloc": told["alloc"]["objects"],
            "objRef": sum(shot["refs"] for shot in told["heapshots"])}


def dotted(document):
    """Its lines; names of classes keep their slashes by way of TBF only."""
    return [line.replace("/", ".") if line.startswith("<classDef ") else line
            for line in document.read_text(encoding="utf-8").splitlines()]


def test_file(file, folder):
    straight, around, binary = folder / "straight", folder / "around", folder / "binary"
    convert(file, "trcxml", straight)
    convert(file, "tbf", binary)
    convert(binary, "trcxml", around)
    for document in (straight, around):
        try:
            placed = Loader(gaps=True).load(document).placed
        except Misplaced as why:
            sys.exit(f"failed: {file}: {why}")
        check(placed["traceStart"] >= 1, file, placed)
        for element, count in counted(file).items():
            check(placed[element] == count, file, element, placed[element], "and not", count)
    check(dotted(straight) == dotted(around), file, "differs by way of TBF")
    return bool(counted(file))


def main():
    test_loader()
    files = [file for file in sorted(DATA.glob("*/*"))
             if file.name.endswith(ENDINGS) and file.parent.name != "hostile"]
    with tempfile.TemporaryDirectory() as folder:
        with_facts = sum(test_file(file, Path(folder)) for file in files)
    check(with_facts > 20, with_facts, "recordings with facts")
    print(f"{len(SPOILED)} spoiled traces refused; {len(files)} traces placed")


main()
