#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel is made and installed without a network, and three lines give rows."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
LINES = f"""import polytrace
trace = polytrace.open({str(ROOT / 'examples/everything.mlpd')!r}, temporary=True)
print([row.name for row in trace.sql("SELECT name FROM thread ORDER BY utid")])
"""


def run(*words, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def main():
    for module in ("pip", "venv", "ensurepip", "setuptools", "wheel"):
        if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True,
                          check=False).returncode:
            print(f"skipped: {module} is not installed")
            sys.exit(77)
    surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(ROOT / "python", place / "source",
                        ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        run(PYTHON, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w",
            place, place / "source", env=surroundings)
        wheel, = place.glob("polytrace-*-py3-none-any.whl")
        run(PYTHON, "-m", "venv", place / "venv", env=surroundings)
        run(place / "venv/bin/pip", "install", "--no-index", "--no-deps", wheel, env=surroundings)
        names = run(place / "venv/bin/python", "-c", LINES, env=surroundings, cwd=place)
        assert "Main" in names or "0x" in names, names
        print(names.strip())


main()
