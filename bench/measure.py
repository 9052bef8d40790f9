# SPDX-License-Identifier: Apache-2.0
"""Whole-process figures of a command, for the benchmarks."""
import os
import subprocess
import sys
import tempfile
import time


def run(command, cores=None):
    """Wall and CPU seconds, peak resident MiB."""
    output = tempfile.TemporaryFile()
    started = time.monotonic()
    child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                             preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        output.seek(0)
        sys.exit(f"{' '.join(command)} gave {child.returncode}: {output.read()[-300:]!r}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss / 1024}
