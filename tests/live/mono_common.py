# SPDX-License-Identifier: Apache-2.0
"""What the live tests of the module for Mono share: programs compiled for the test, runs with the
module, reports of what it recorded. Where something is missing the test says so and ends with
77."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent / "mono"
sys.path.insert(0, str(HERE.parents[1] / "support"))
POLYTRACE = Path(os.environ["POLYTRACE"]).resolve()
MODULE = POLYTRACE.parent / "libmono-profiler-polytrace.so"
LONG = os.environ.get("POLYTRACE_LONG") == "1"

EVERYTHING = "events=calls+threads+gc+monitors+exceptions+jit+alloc=objects,mono.handles=yes"
STOCK = ("log:nodefaults,calls,exception,monitor,gc,gcalloc,gcmove,gchandle,jit,calldepth=1000,"
         "heapshot-on-shutdown,output={}")
# Mono's profiler attaches four threads of its own to the program, with what belongs to a thread.
STOCK_THREADS = 4
THREAD_CLASSES = {"System.Threading.Thread", "System.Threading.InternalThread"}
# These run once more for each of them, when they are finalized.
THREAD_METHODS = {
    "(wrapper managed-to-native) System.Threading.InternalThread:Thread_free_internal "
    "(System.Threading.InternalThread)",
    "(wrapper runtime-invoke) object:runtime_invoke_virtual_void__this__ "
    "(object,intptr,intptr,intptr)"}
# How often the program asks for a thread's state until it waits, and how often a thread comes by
# while the world is to stop, the scheduler decides.
POLLING = {
    "(wrapper managed-to-native) object:__icall_wrapper_mono_threads_state_poll ()",
    "(wrapper managed-to-native) System.Threading.Thread:GetState "
    "(System.Threading.InternalThread)",
    "(wrapper managed-to-native) System.Threading.Thread:SleepInternal (int)"}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def check(condition, *words):
    if not condition:
        sys.exit("failed: " + " ".join(str(word) for word in words))


def equal(name, ours, theirs):
    if ours == theirs:
        return
    if isinstance(ours, dict):
        for key in sorted(set(ours) | set(theirs)):
            if ours.get(key) != theirs.get(key):
                print(f"{name}: {key}: {ours.get(key)} here, {theirs.get(key)} there")
        sys.exit(f"failed: {name}")
    sys.exit(f"failed: {name}: {ours} is not {theirs}")


def run(command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=250, check=False, **more)
    check(done.returncode == 0, command, "gave", done.returncode, done.stderr[-2000:])
    return done


def surroundings():
    return dict(os.environ, LD_LIBRARY_PATH=str(MODULE.parent))


def mono(options, *command):
    return run(["mono", f"--profile={options}", *command], env=surroundings())


def record(file, options, *command):
    """What the program printed; the recording is in `file`."""
    Path(file).unlink(missing_ok=True)
    done = mono(f"polytrace:{options},file={file}", *command)
    # What another format cannot hold is said there too; that is no complaint.
    complaints = [line for line in done.stderr.splitlines()
                  if line.startswith("polytrace:") and not line.startswith(f"polytrace: {file}: ")]
    check(not complaints, done.stderr)
    check(Path(file).exists(), file, "was not made")
    return done.stdout


def report(file):
    text = run([POLYTRACE, "report", "--json", "--limit", "0", "--show-helpers", "--no-progress",
                file]).stdout
    return {table["key"]: table["rows"] for table in json.loads(text)["tables"]}


def cat(file, *options):
    """The events, one a line."""
    return run([POLYTRACE, "cat", "--no-progress", *options, file]).stdout.splitlines()


def convert(file, output, *options):
    Path(output).unlink(missing_ok=True)
    run([POLYTRACE, "convert", "--no-progress", "--quiet", file, "-o", output, *options])


def column(rows, key, value):
    return {row[key]: row[value] for row in rows}


def calls_of(tables):
    calls = column(tables["methods"], "method", "calls")
    return {name: count for name, count in calls.items() if name not in THREAD_METHODS | POLLING}


def enter_room(*programs):
    """Into a folder with these programs of tests/live/mono, gone at the end of the process."""
    for tool in ("mono", "mcs"):
        if shutil.which(tool) is None:
            skip(f"no {tool} here (Debian: mono-runtime mono-mcs libmono-profiler)")
    if not MODULE.exists():
        skip(f"no {MODULE.name} beside the program")
    room = tempfile.TemporaryDirectory()
    os.chdir(room.name)
    for name in programs:
        run(["mcs", "-optimize+", "-warn:0", HERE / f"{name}.cs", f"-out:{name}.exe"])
    return room
