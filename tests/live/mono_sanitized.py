#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A module for Mono that was built with sanitizers (cmake -DPOLYTRACE_SANITIZE=thread, or
address,undefined, with -DPOLYTRACE_SANITIZE_AGENTS=ON) finds nothing while programs do a little of
everything. POLYTRACE_SANITIZED is the folder that has it.

Nothing is suppressed. Two things are Mono's own: what the runtime does itself is not instrumented
(TSan is told so; its collector's threads clear and move what others read while the world stands
still), and under TSan it does not unload a domain, with or without a profiler, so that program is
left out.
"""
import os
import subprocess
import sys
from pathlib import Path

SANITIZED = os.environ.get("POLYTRACE_SANITIZED")
if not SANITIZED:
    print("skipped: no folder with a sanitized module is told in POLYTRACE_SANITIZED")
    sys.exit(77)

from mono_common import HERE, LONG, POLYTRACE, check, enter_room, run, skip  # noqa: E402

MODULE = Path(SANITIZED).resolve() / "libmono-profiler-polytrace.so"
SHOP = HERE.parent.parent.parent / "examples/shop/csharp"
EVERYTHING = ("calls+threads+gc+monitors+exceptions+jit+classes+counters+alloc=objects",
              "mono.handles=yes,mono.roots=yes,mono.finalizers=yes,mono.heap-collections=1,"
              "heapdump=end")
STACKS = ("threads+exceptions+monitors+alloc=objects", "mono.check-stacks=yes")
# Program, arguments, what is recorded.
ROWS = (
    ("truth", (), EVERYTHING),
    ("truth", (), STACKS),
    ("truth", (), ("alloc=sites", "policy=ring")),
    ("truth", (), ("alloc=sampled:1k", "policy=drop,buffer=1m")),
    ("sources", (), EVERYTHING),
    ("shop", ("2",), EVERYTHING),
    ("shop", ("2",), STACKS),
    ("endless", ("500",), ("calls+threads+samples=1ms", "mono.wall-clock=yes")),
    ("locks", ("6",), EVERYTHING),
    ("threads", ("60", "6", "8"), EVERYTHING),
    ("mix", (), EVERYTHING),
    ("domains", ("10",), EVERYTHING),
)


def which():
    """"thread" or "address", and the library that must be loaded first."""
    if not MODULE.exists():
        skip(f"no module in {SANITIZED}")
    code = MODULE.read_bytes()
    for name, symbol, library in (("thread", b"__tsan_init", "libtsan.so"),
                                  ("address", b"__asan_init", "libasan.so")):
        if symbol in code:
            return name, run(["g++", f"-print-file-name={library}"]).stdout.strip()
    return sys.exit(f"failed: {MODULE} has no sanitizer")


def surroundings(library):
    """Reports go to files beside the recordings."""
    return dict(
        os.environ, LD_PRELOAD=library, LD_LIBRARY_PATH=str(MODULE.parent),
        TSAN_OPTIONS="log_path=report:ignore_noninstrumented_modules=1:report_signal_unsafe=0",
        # The runtime has signal handlers and stacks of its own, and frees little at its end.
        ASAN_OPTIONS="log_path=report:detect_leaks=0:handle_segv=0:use_sigaltstack=0",
        UBSAN_OPTIONS="log_path=report:print_stacktrace=1")


def survive(program, arguments, events, options, environment):
    for old in ("out.ptrace", "out.ptrace.segments"):
        Path(old).unlink(missing_ok=True)
    done = subprocess.run(
        ["mono", f"--profile=polytrace:events={events},{options},file=out.ptrace",
         f"{program}.exe", *arguments], env=environment, capture_output=True, text=True,
        timeout=120, check=False)
    reports = [path.read_text("utf-8", "replace") for path in Path().glob("report.*")]
    check(not reports, program, events, *reports)
    check(done.returncode == 0, program, events, "ends with", done.returncode, done.stderr[-2000:])
    run([POLYTRACE, "check", "out.ptrace"])


def main():
    sanitizer, library = which()
    with enter_room("truth", "sources", "endless", "domains"):
        run(["mcs", "-optimize+", *sorted(SHOP.glob("*.cs")), "-out:shop.exe"])
        for name in ("locks", "threads", "mix"):
            run(["mcs", "-optimize+", "-warn:0", HERE.parent / f"{name}.cs", f"-out:{name}.exe"])
        rows = [row for row in ROWS if sanitizer != "thread" or row[0] != "domains"]
        for _ in range(10 if LONG else 1):
            for program, arguments, (events, options) in rows:
                survive(program, arguments, events, options, surroundings(library))
    print(f"{sanitizer} sanitizer: {len(rows)} recordings, nothing found")


main()
