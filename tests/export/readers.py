# SPDX-License-Identifier: Apache-2.0
"""What the tests of exports have in common: the program, the readers of other tools, skipping.

The readers of npm lie where `./dev setup readers` puts them, or in $POLYTRACE_READERS.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ.get("TEST_DATA", Path(__file__).resolve().parents[1] / "data"))
HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
READERS = Path(os.environ.get("POLYTRACE_READERS", CACHE / "polytrace" / "readers"))


class Skip(Exception):
    """A reader that is not here."""


def program(name):
    found = shutil.which(name)
    if not found:
        raise Skip(f"no {name} (./dev setup readers)")
    return found


def package(name):
    found = READERS / "node_modules" / name
    if not found.is_dir():
        raise Skip(f"no npm package {name} in {READERS} (./dev setup readers)")
    return str(found)


def run(*words, code=0, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300, check=False, **more)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stderr[-2000:]}"
    return done.stdout


def polytrace(*words, code=0):
    return run(POLYTRACE, *words, code=code)


def page(steps, file, pictures=None):
    """Drives a flame page: see flame_page.mjs."""
    words = [program("node"), HERE / "flame_page.mjs", package("playwright-core"),
             program("chromium"), file, json.dumps(steps)]
    return json.loads(run(*words, *([pictures] if pictures else [])))


def main(tests):
    """Runs all tests, each with a folder of its own. 77 when readers were missing for all."""
    done = 0
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(Path(folder))
                done += 1
                print(f"{test.__name__}: good")
            except Skip as reason:
                print(f"{test.__name__}: skipped: {reason}")
    sys.exit(0 if done else 77)
