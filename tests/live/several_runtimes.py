# SPDX-License-Identifier: Apache-2.0
"""What tests share that record one program in several runtimes, each as far as it is here."""
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("POLYTRACE", str(ROOT / "build/release/polytrace"))


class Absent(Exception):
    """What is needed is not here."""


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Absent(f"no {tool} here")


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode == 77:
        raise Absent(done.stdout.strip())
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def record(folder, trace, *words):
    """What the recorded program printed. `words` are options of `record` and the command."""
    done = subprocess.run([PROGRAM, "record", "-o", trace, *words], cwd=folder,
                          capture_output=True, text=True, timeout=250, check=False)
    if "agent" in done.stderr and not (Path(folder) / trace).exists():
        raise Absent(done.stderr.splitlines()[0])
    assert done.returncode == 0, f"record: {done.stderr}"
    return done.stdout
