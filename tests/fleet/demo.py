#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo of the fleet, small: it finds the planted fault, and its commands lead to a call. Ended
in the middle it leaves neither processes nor files. That the fault is what it finds first is looked
at where POLYTRACE_LONG is 1: durations decide about it, and other programs about those."""
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "tools/fleet_demo.py"
HANGS = 150  # seconds


def start(folder, processes):
    return subprocess.Popen([sys.executable, DEMO, "--processes", str(processes), "--days", "1"],
                            env=dict(os.environ, TMPDIR=folder), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, text=True)


def expect_nothing_left(folder):
    """Neither files nor processes that were told of the folder."""
    assert not list(Path(folder).iterdir()), list(Path(folder).iterdir())
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert folder.encode() not in words.read_bytes(), words
        except (FileNotFoundError, ProcessLookupError):
            pass


def whole(folder):
    demo = start(folder, 4)
    text = demo.communicate(timeout=HANGS)[0]
    if demo.returncode == 77:
        print(text)
        sys.exit(77)
    if os.environ.get("POLYTRACE_LONG") == "1":
        assert demo.returncode == 0, text
        assert re.search(r"The first line is Catalog\W+(similarity|find)", text), text
    assert demo.returncode in (0, 1), text
    for command in ("fleet diff", "fleet moments", "fleet get", "report slow.ptrace --from",
                    "state slow.ptrace --at"):
        assert f"$ polytrace {command}" in text, (command, text)
    assert "Catalog." in text.split("$ polytrace state")[1], text
    expect_nothing_left(folder)


def interrupted(folder):
    demo = start(folder, 20)
    for line in demo.stdout:
        if line.startswith("recording"):
            break
    demo.send_signal(signal.SIGINT)
    demo.communicate(timeout=HANGS)
    assert demo.returncode == 130, demo.returncode
    expect_nothing_left(folder)


def main():
    with tempfile.TemporaryDirectory(prefix="polytrace-test-demo-") as folder:
        whole(folder)
        interrupted(folder)


if __name__ == "__main__":
    main()
