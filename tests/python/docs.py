#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/python.md shows is what happens."""
import doctest
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

with tempfile.TemporaryDirectory() as cache:
    os.environ["XDG_CACHE_HOME"] = cache
    os.chdir(ROOT)
    failed, tried = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False,
                                     optionflags=doctest.ELLIPSIS)
assert tried > 10, tried
sys.exit(failed != 0)
