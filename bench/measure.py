# SPDX-License-Identifier: Apache-2.0
"""Whole-process figures of a command, and the line that tells a figure, for the benchmarks."""
import os
import subprocess
import sys
import tempfile
import time

# Inputs of a minute: that a benchmark works is what its figures then tell.
SMALL = bool(os.environ.get("BENCH_SMALL"))


def run(command, cores=None, fine=(0,)):
    """Wall and CPU seconds, peak resident MiB. Ends the program where the exit code is not fine."""
    output = tempfile.TemporaryFile()
    started = time.monotonic()
    child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                             preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in fine:
        output.seek(0)
        sys.exit(f"{' '.join(command)} gave {child.returncode}: {output.read()[-300:]!r}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss / 1024}


def verdict(held):
    """The last word of a line that has a target: `./dev bench all` counts them."""
    return "" if held is None else "held" if held else "MISSED"


def meets(value, target):
    """Of "<= 4 ms" or ">= 20 x": so what is printed is what is tested. None where there is none."""
    if not target:
        return None
    side, limit = target.split()[:2]
    return value <= float(limit) if side == "<=" else value >= float(limit)


def show(what, figure, target="", held=None):
    """A figure beside its target; `held` is None where there is none."""
    print(f"{what:<54} {figure:>12}  {target:<30} {verdict(held)}".rstrip(), flush=True)


def bound(what, value, target, form="{:.2f}"):
    show(what, form.format(value), target, meets(value, target))
