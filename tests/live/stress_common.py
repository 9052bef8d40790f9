# SPDX-License-Identifier: Apache-2.0
"""What the runs of large programs share: they take minutes, so they are for POLYTRACE_LONG=1 alone;
each recording must be whole, and what it cost beside a bare run is said."""
import collections
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
POLYTRACE = os.environ.get("POLYTRACE", str(ROOT / "build/release/polytrace"))


def need_long():
    if os.environ.get("POLYTRACE_LONG") != "1":
        print("skipped: a large program, minutes: only with POLYTRACE_LONG=1")
        sys.exit(77)


def polytrace(*arguments):
    done = subprocess.run([POLYTRACE, *map(str, arguments)], capture_output=True, text=True,
                          timeout=250, check=False)
    assert done.returncode == 0, f"{arguments}: {done.returncode}, {done.stdout}{done.stderr}"
    return done.stdout


def cpu_of_children():
    """Seconds, of those that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tables(path, *sections):
    """The rows of a report, by their table."""
    text = polytrace("report", "--json", "--limit", "0", "--show-helpers", "--no-progress",
                     "--sections", ",".join(sections), path)
    return {table["key"]: table["rows"] for table in json.loads(text)["tables"]}


def calls_of(path):
    """By the name of the method without its parameters."""
    calls = collections.Counter()
    for row in tables(path, "calls")["methods"]:
        calls[row["method"].split(" (")[0]] += row["calls"]
    return calls


def expect_equal(got, expected, what):
    """Both by key; what is missing counts as none."""
    wrong = {key: (got.get(key), expected.get(key)) for key in {**got, **expected}
             if (got.get(key) or 0) != (expected.get(key) or 0)}
    assert not wrong, f"{what}: (recorded, told) {wrong}"


class Costs:
    """Of runs of one program: the CPU time of the bare one, and what the others took."""

    def __init__(self, program, bare):
        self.program, self.bare = program, bare

    def add(self, what, cpu, path):
        """The recording must be whole."""
        size = Path(path).stat().st_size
        assert not Path(f"{path}.segments").exists(), f"{what}: segments are left"
        assert Path(path).stat().st_mode & 0o777 == 0o600, f"{what}: others can read it"
        said = json.loads(polytrace("check", "--strict", "--json", "--no-progress", path))
        assert said["ok"] and not said["cut_off"] and not said["notices"], f"{what}: {said}"
        print(f"{self.program}: {what}: {cpu:.1f} s of CPU, {self.bare:.1f} s bare; "
              f"{said['events']} events, {size} bytes", flush=True)


def make_sources(folder, count):
    """Classes in C# as old as Mono's, with what compilers have work with."""
    pattern = (ROOT / "tests/live/stress.cs").read_text(encoding="utf-8")
    files = [Path(folder, f"Item{number}.cs") for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(pattern.replace("NUMBER", str(number)), encoding="utf-8")
    return [file.name for file in files]
