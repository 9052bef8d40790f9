#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--strict gives what stands before the first problem, not what stands behind it in the same batch,
and every command counts the same."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
CALLS = 400  # in one batch


def run(*words, codes):
    done = subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout


def calls(*words):
    return run("cat", "--strict", "--kind", "enter,leave", *words, codes=(0, 4, 5)).splitlines()


def document(fault, at):
    """So many calls, and the fault before one of them."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<TRACE>",
             '<threadStart threadId="1" time="1.0" threadName="main" traceIdRef="t"/>',
             '<classDef classId="1" name="Shop" threadIdRef="1"/>',
             '<methodDef methodId="1" name="sell" signature="()V" classIdRef="1"/>']
    for i in range(CALLS):
        if i == at:
            lines.append(fault)
        lines.append(f'<methodEntry threadIdRef="1" time="{2 + i}.0" methodIdRef="1" '
                     f'classIdRef="1" ticket="{i + 1}" stackDepth="1"/>')
        lines.append(f'<methodExit threadIdRef="1" time="{2 + i}.5" methodIdRef="1" '
                     f'classIdRef="1" ticket="{i + 1}"/>')
    return "\n".join([*lines, "</TRACE>"])


def exactly_what_is_before(folder):
    trace = folder / "shop.trcxml"
    for fault in ('<noSuchThing a="1"/>', '<methodEntry threadIdRef="1" time="never"/>'):
        for at in (0, 1, 123, CALLS - 1):
            trace.write_text(document(fault, at), encoding="utf-8")
            assert len(calls(trace)) == 2 * at, (fault, at, len(calls(trace)))
    trace.write_text(document("", CALLS), encoding="utf-8")
    assert len(calls(trace)) == 2 * CALLS


def others_begin_as_the_whole(_):
    for trace in ("mlpd/bad_event.mlpd", "tracelog/malformed-lines.trace.log"):
        whole = run("cat", DATA / trace, codes=(3, 4)).splitlines()
        strict = run("cat", "--strict", DATA / trace, codes=(3, 4, 5)).splitlines()
        assert 0 < len(strict) < len(whole) and whole[:len(strict)] == strict, trace
        told = json.loads(run("info", "--json", "--strict", DATA / trace, codes=(3, 4, 5)))
        assert told["events"]["total"] == len(strict), trace
        report = json.loads(run("report", "--json", "--strict", "--sections", "summary",
                                DATA / trace, codes=(3, 4, 5)))
        text = next(row["text"] for row in report["tables"][0]["rows"] if row["topic"] == "Trace")
        assert text.startswith(f"{len(strict):,} event"), (trace, text, len(strict))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (exactly_what_is_before, others_begin_as_the_whole):
            test(Path(folder))
            print(f"{test.__name__}: good")


main()
