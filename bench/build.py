#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command of the README from nothing, in a copy of the checkout and without a compiler
cache, and prints what it takes: build.py [first|test] [COMMIT].

The table has the CPU seconds by room and by kind of step. With COMMIT the same is done in a copy
of that commit, one after the other, and the ratios are printed."""
import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

COMMANDS = {
    "first": ["./dev", "run", "report", "examples/everything.mlpd"],
    "test": ["./dev", "test"],
}
KINDS = ["compile", "link", "configure", "install", "test"]
Figures = collections.namedtuple("Figures", "wall cpu steps peak")


def copy_checkout(commit, folder):
    """Copies the files of a commit, or without one those of this checkout, into a new folder."""
    folder.mkdir(parents=True)
    if commit:
        pack = subprocess.run(["git", "archive", commit], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-xf", "-"], input=pack, cwd=folder, check=True)
        return
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], check=True,
                           capture_output=True).stdout
    for name in names.decode().split("\0"):
        if name and os.path.exists(name):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(name, target)


def measured_surroundings(folder):
    """Returns an environment in which every compiler, linker, cmake, ctest and apt-get appends a
    line to the log: user and system seconds, KiB at the peak, command."""
    log = folder / "steps"
    timer = ["/usr/bin/time", "-a", "-o", str(log), "-f", "%U %S %M %C"]
    tools = folder / "tools"
    tools.mkdir()
    for name in ["cmake", "ctest", "apt-get"]:
        real = shutil.which(name)
        if real:
            script = tools / name
            words = " ".join(f"'{word}'" for word in timer)
            script.write_text(f'#!/bin/sh\nexec {words} {real} "$@"\n')
            script.chmod(0o755)
    launcher = ";".join(timer)
    return log, os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}", "CCACHE_DISABLE": "1",
        "CMAKE_CXX_COMPILER_LAUNCHER": launcher, "CMAKE_CXX_LINKER_LAUNCHER": launcher,
    }


def kind_of(command):
    if re.search(r"/cmake --build", command):
        return None  # its steps have lines of their own
    if re.search(r"/cmake ", command):
        return "configure"
    for kind, words in (("test", "/ctest "), ("install", "/apt-get ")):
        if words in command:
            return kind
    return "compile" if " -c " in command else "link"


def room_of(command):
    found = re.search(r" -o (?:\S*/)?CMakeFiles/(?:polytrace_)?([A-Za-z0-9_-]+)\.dir/", command)
    return found.group(1) if found else "(none)"


def measure(name, commit):
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="polytrace-build-"))
    try:
        copy_checkout(commit, scratch / "copy")
        log, surroundings = measured_surroundings(scratch)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        with open(f"{tempfile.gettempdir()}/polytrace-build-{name}.log", "wb") as output:
            status = subprocess.run(COMMANDS[name], cwd=scratch / "copy", env=surroundings,
                                    stdout=output, stderr=subprocess.STDOUT).returncode
        wall = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if status:
            print(f"{' '.join(COMMANDS[name])} ended with {status}; its output: {output.name}")
        steps = collections.Counter()
        peak = 0
        for line in log.read_text(errors="replace").splitlines():
            parts = line.split(" ", 3)
            if len(parts) < 4 or not re.fullmatch(r"[0-9.]+", parts[0]):
                continue  # time's word about a command that failed
            kind = kind_of(parts[3])
            if kind:
                steps[room_of(parts[3]), kind] += float(parts[0]) + float(parts[1])
            if kind == "compile":
                peak = max(peak, int(parts[2]))
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Figures(wall, cpu, steps, peak)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def print_figures(title, figures):
    print(f"\n{title}: CPU seconds by room and kind of step")
    rooms = sorted({room for room, _ in figures.steps},
                   key=lambda room: -sum(figures.steps[room, kind] for kind in KINDS))
    print(f"  {'room':<28}" + "".join(f"{kind:>10}" for kind in KINDS))
    for room in rooms:
        row = [figures.steps[room, kind] for kind in KINDS]
        print(f"  {room:<28}" + "".join(f"{value:10.1f}" if value else " " * 10 for value in row))
    sums = [sum(figures.steps[room, kind] for room in rooms) for kind in KINDS]
    print(f"  {'all':<28}" + "".join(f"{value:10.1f}" for value in sums))
    print(f"  {figures.cpu:.0f} CPU s, {figures.wall:.0f} s wall; "
          f"peak of one compiler {figures.peak / 1024:.0f} MiB")


def main():
    words = sys.argv[1:]
    name = words.pop(0) if words and words[0] in COMMANDS else "first"
    mine = measure(name, None)
    print_figures(f"{' '.join(COMMANDS[name])}, this checkout", mine)
    for commit in words:
        other = measure(name, commit)
        print_figures(f"{' '.join(COMMANDS[name])}, {commit}", other)
        print(f"\nthis checkout against {commit}: {mine.cpu / other.cpu:.2f} of the CPU seconds, "
              f"{mine.wall / other.wall:.2f} of the time, {mine.peak / other.peak:.2f} of the peak")


main()
