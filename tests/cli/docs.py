#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and docs/ show, and compares the output where they show it.

usage: docs.py [--update] [PAGE ...]
$POLYTRACE is the program; --update writes the real output to the pages

Pages that say `<!-- runs: live ... -->` need a runtime: they run where they are named.

In blocks marked `console`, a line "$ polytrace ..." is a shell command. Commands of one page run in
order in one scratch folder with a copy of examples/, and must succeed. The lines below a command
are its output, standard error included; a line "..." stands for any lines, "…" within
a line for any text. No lines: not compared.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)
PROMPT = "$ "
LIVE = "<!-- runs: live"


def pages(named):
    if named:
        return [ROOT / name for name in named]
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in every if LIVE not in page.read_text(encoding="utf-8")]


def steps(block):
    """The commands of a block, each with the output shown below it."""
    found = []
    for line in block.splitlines():
        if line.startswith(PROMPT):
            found.append((line[len(PROMPT):], []))
        elif found:
            found[-1][1].append(line.rstrip())
        elif line.strip():
            raise SystemExit(f"a console block starts without a command: {line!r}")
    return found


def run(command, folder):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("COLUMNS", "NO_COLOR", "CLICOLOR_FORCE")}
    environment["PATH"] = f"{folder}/bin:{environment['PATH']}"
    environment["LC_ALL"] = "C.UTF-8"
    environment["XDG_CACHE_HOME"] = f"{folder}/cache"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, timeout=150,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env=environment, check=False)
    return result.returncode, [line.rstrip() for line in
                               result.stdout.decode("utf-8", "replace").splitlines()]


def matches(shown, real):
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else
                      re.escape(line).replace("…", ".*") + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in real)) is not None


def is_partial(shown):
    return not shown or any(line == "..." or "…" in line for line in shown)


def fault(command, shown, folder):
    """What is wrong with the command, or nothing; and its real output."""
    code, real = run(command, folder)
    if code != 0:
        return f"{PROMPT}{command}\nexit code {code}:\n" + "\n".join(real[:20]), real
    if shown and not matches(shown, real):
        difference = difflib.unified_diff(shown, real, "shown", "real", lineterm="")
        return f"{PROMPT}{command}\n" + "\n".join(difference), real
    return None, real


def prepare(folder):
    (folder / "bin").mkdir()
    (folder / "bin" / "polytrace").symlink_to(Path(os.environ["POLYTRACE"]).resolve())
    shutil.copytree(ROOT / "examples", folder / "examples")


def check(page, update):
    """The faults of a page, and how many commands it has."""
    text, faults, count = page.read_text(encoding="utf-8"), [], 0

    def again(block, folder):
        nonlocal count
        lines = []
        for command, shown in steps(block.group(1)):
            count += 1
            wrong, real = fault(command, shown, folder)
            if wrong:
                faults.append(f"{page.relative_to(ROOT)}: {wrong}")
            lines += [PROMPT + command, *(shown if is_partial(shown) else real)]
        return "```console\n" + "".join(line + "\n" for line in lines) + "```"

    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        fresh = BLOCK.sub(lambda block: again(block, Path(folder)), text)
    if update and fresh != text:
        page.write_text(fresh, encoding="utf-8")
    return faults, count


def main():
    update = sys.argv[1:2] == ["--update"]
    named = sys.argv[2:] if update else sys.argv[1:]
    if any(name.startswith("-") for name in named):
        sys.exit(__doc__)
    checked = [check(page, update) for page in pages(named)]
    total = sum(count for _, count in checked)
    for faults, _ in checked:
        for wrong in faults:
            print(wrong, end="\n\n")
    print(f"{total} commands of README.md and docs/")
    return 1 if total == 0 or any(faults for faults, _ in checked) else 0


if __name__ == "__main__":
    sys.exit(main())
