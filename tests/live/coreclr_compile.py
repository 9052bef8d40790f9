#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coreclr_compile.py LIBRARY SOURCE...: compiles a program of .NET, for tests that are scripts."""
import sys
from pathlib import Path

from coreclr_common import Sdk

Sdk().compile(Path(sys.argv[1]), *sys.argv[2:])
