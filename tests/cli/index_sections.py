#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Of every sample trace: all sections of a report say the same with an index, without one, and of
the trace's copy in the native format, which holds every event."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECTIONS = ("report", "--json", "--limit", "0", "--all")
ENDINGS = (".mlpd", ".mlpd.gz", ".mprof", ".trcbin", ".trcxml", ".trace.log", ".ptrace",
           ".ptrace.zst")
#: Each three minutes long, as a bomb is.
SLOW = {"stacks.ptrace.zst"}


def run(*words):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    return done.returncode, done.stdout


def samples():
    files = sorted([*EXAMPLES.iterdir(), *DATA.rglob("*")])
    return [path for path in files if path.name.endswith(ENDINGS) and path.name not in SLOW]


def tables(file, *more):
    """Tables by section, and which sections have none; nothing of what cannot be read."""
    code, output = run(*SECTIONS, *more, file)
    if code not in (0, 4):
        return None
    told = json.loads(output)
    return {"tables": {f"{table['section']}.{table['key']}": table for table in told["tables"]},
            "empty": sorted(empty["section"] for empty in told["empty_sections"])}


def differences(one, other):
    if one["empty"] != other["empty"]:
        yield f"sections without rows: {one['empty']}, {other['empty']}"
    for key in sorted({*one["tables"], *other["tables"]}):
        a, b = one["tables"].get(key), other["tables"].get(key)
        if a != b:
            yield f"{key}: {json.dumps(a)[-300:]} and {json.dumps(b)[-300:]}"


def main():
    faults, asked = [], 0
    with tempfile.TemporaryDirectory() as name:
        os.environ["POLYTRACE_CACHE"] = f"{name}/cache"
        copy = Path(name) / "copy.ptrace"
        for file in samples():
            without = tables(file, "--no-index")
            if without is None:
                continue
            asked += 1
            run("index", "build", file)
            faults += [f"{file.name}, with an index: {fault}"
                       for fault in differences(without, tables(file))]
            run("index", "drop", file)
            copy.unlink(missing_ok=True)
            run("convert", "--quiet", file, "--to", "native", "-o", copy)
            faults += [f"{file.name}, of a native copy: {fault}"
                       for fault in differences(without, tables(copy, "--no-index"))]
    print("\n".join(faults))
    print(f"{asked} traces asked")
    return 1 if faults or asked < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
