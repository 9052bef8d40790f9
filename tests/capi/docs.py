#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs in docs/c.md compile as C99, without a warning, and do what the page says of them:
docs.py COMPILER LIBRARY"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER, LIBRARY = sys.argv[1:]
EXAMPLE = ROOT / "examples/everything.mlpd"


def run(*words, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def made(source, folder):
    """As a program."""
    (folder / "main.c").write_text(source, "utf-8")
    run(COMPILER, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/src/capi",
        folder / "main.c", LIBRARY, f"-Wl,-rpath,{Path(LIBRARY).parent}", "-o", folder / "main")
    return folder / "main"


def main():
    page = (ROOT / "docs/c.md").read_text("utf-8")
    sources = re.findall(r"^```c\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
        threads, documents = (run(made(source, folder), EXAMPLE, cwd=folder) for source in sources)
        rows = run(os.environ["POLYTRACE"], "sql", "--format", "csv", EXAMPLE,
                   "SELECT utid, calls FROM thread").splitlines()[1:]
        assert threads.split() == [cell for row in rows for cell in row.split(",")], threads
        assert documents.startswith("{") and (folder / "app.trcxml").exists(), documents
        run(os.environ["POLYTRACE"], "check", folder / "app.trcxml")
    print(f"{len(sources)} programs of docs/c.md")


main()
