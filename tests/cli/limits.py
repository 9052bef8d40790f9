#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More call paths than fit: told in the answer's head and by exit code 6, and what needs no path is
still exact. 350 samples of 20,000 frames each in 7 KB."""
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
TRACE = str(Path(os.environ["TEST_DATA"], "hostile", "stacks.ptrace.zst"))
LIMITED = 6


def run(code, *arguments):
    done = subprocess.run([POLYTRACE, *arguments], capture_output=True, text=True, timeout=300,
                          check=False)
    assert done.returncode == code, (arguments, done)
    return done


def samples_by_method():
    """From the report's table of methods, which needs no paths."""
    report = json.loads(run(0, "report", "--json", "--limit", "0", "--sections", "samples",
                            TRACE).stdout)
    table = next(t for t in report["tables"] if t["key"] == "sampled_methods")
    return {row["method"]: row["self"] for row in table["rows"] if row["self"]}


def main():
    truth = samples_by_method()
    assert sum(truth.values()) == 350, truth
    with tempfile.TemporaryDirectory() as folder:
        for target in ("folded", "jfr", "perfetto"):
            done = run(LIMITED, "export", "--to", target, "--depth", "0", "--limit", "0", "-o",
                       f"{folder}/{target}", TRACE)
            assert "more call paths" in done.stderr, done.stderr
        leaves = collections.Counter()
        for line in Path(folder, "folded").read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            stack, count = line.rsplit(" ", 1)
            leaves[stack.rsplit(";", 1)[-1]] += int(count)
        assert leaves == truth, (len(leaves), len(truth))
    print(f"{sum(truth.values())} samples of {len(truth)} innermost methods: all there")


sys.exit(main())
