#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Of every sample trace: each command that may answer from an index says the same, byte for byte,
with it and without: output, standard error, exit code, files. And it does answer from the index:
that is marked as used."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
#: Without it each sample is asked by some commands, and each command about some samples.
LONG = bool(os.environ.get("POLYTRACE_LONG"))
ASKED = 3
#: Words of the commands that read the trace all the same.
NOT_USED = {"chrome"}
OUTPUT = "OUTPUT"
COMMANDS = [
    ["report", "--json", "--limit", "0", "FILE"],
    ["cut", "--from", "20%", "--to", "70%", "FILE", "-o", OUTPUT],
    ["report", "FILE"],
    ["export", "--to", "folded", "FILE", "-o", OUTPUT],
    ["export", "--to", "chrome", "FILE", "-o", OUTPUT],
    ["heap", "--json", "FILE"],
    ["heap", "--classes", "FILE"],
    ["report", "--all", "--from", "30%", "--subtract", "gc,waits", "FILE"],
    ["report", "--json", "--limit", "0", "--sections", "calls,tree,callers,sandwich", "FILE"],
    ["report", "--all", "--sections", "calls,tree", "--from", "20%", "--to", "70%", "--subtract",
     "gc,waits", "--show-helpers", "FILE"],
    ["cut", "--method", "a", "--json", "FILE", "-o", OUTPUT],
    ["diff", "FILE", "FILE"],
    ["flame", "FILE", "-o", OUTPUT],
    ["state", "--no-cache", "--at", "50%", "--json", "FILE"],
]


def run(*words):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def samples():
    """Without what stands beside recordings; one is a bomb, which takes a minute each time."""
    files = sorted(path for path in DATA.rglob("*") if path.is_file())
    return [EXAMPLE, *(path for path in files if path.parent.parent.name != "history" and
                       path.suffix not in (".json", ".csv", ".md", ".txt", ".cs", ".java") and
                       (LONG or path.name != "stacks.ptrace.zst"))]


def merged(folder):
    """Two runtimes' clocks in one, the second in the middle of the first."""
    file = folder / "merged.mlpd"
    code, _, errors = run("merge", EXAMPLE, DATA / "tbf/shop_big.trcbin", "--offset", "2=+20ms",
                          "-o", file)
    assert code in (0, 4), errors
    return file


def commands_for(number):
    """All about the first two: the example, which has everything, and what is merged with it."""
    if LONG or number < 2:
        return COMMANDS
    return [COMMANDS[(number * ASKED + i) % len(COMMANDS)] for i in range(ASKED)]


def answer(words, file, folder, more):
    """All that a command gives, without the name of the file that it writes."""
    output = folder / "output"
    output.unlink(missing_ok=True)
    given = run(*[{"FILE": file, OUTPUT: output}.get(word, word) for word in words], *more)
    return (*given, output.read_bytes() if output.exists() else None)


def difference(words, file, folder):
    marks = list((folder / "cache/index").glob("*/*/used"))
    for mark in marks:
        os.utime(mark, (1, 1))
    with_index = answer(words, file, folder, [])
    was_used = any(mark.stat().st_mtime != 1 for mark in marks)
    without = answer(words, file, folder, ["--no-index"])
    if with_index == without:
        return None, was_used
    parts = [name for name, a, b in zip(("exit code", "output", "errors", "file"), with_index,
                                        without) if a != b]
    return f"{file}: {' '.join(words)}: another {', '.join(parts)}", was_used


def main():
    faults, indexed, used, not_used = [], 0, 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["POLYTRACE_CACHE"] = f"{name}/cache"
        example, *others = samples()
        for number, file in enumerate([example, merged(folder), *others]):
            code, _, errors = run("index", "build", file)
            if code in (1, 3):
                continue
            plain = run("cat", "--kind", "gc", file)
            if code != plain[0]:
                faults.append(f"{file}: index build ends with {code}, cat with {plain[0]}: "
                              f"{errors.decode()[:200]}")
            indexed += 1
            for words in commands_for(number):
                fault, was_used = difference(words, file, folder)
                faults += [fault] if fault else []
                used += was_used
                if not was_used and not NOT_USED.intersection(words):
                    not_used.append(f"{file.name}: {words[0]}")
            run("index", "drop", file)
    print("\n".join(faults))
    print(f"{indexed} traces, {used} answers from indexes, {len(not_used)} not: {not_used[:20]}")
    return 1 if faults or indexed < 30 or used < 10 * len(not_used) else 0


if __name__ == "__main__":
    sys.exit(main())
