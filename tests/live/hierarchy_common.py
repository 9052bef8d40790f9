# SPDX-License-Identifier: Apache-2.0
"""What tests of the runtimes' agents share: a recording as TPTP XML, straight and by way of TBF,
all of whose elements a hierarchical loader places. How many there are, the stream itself says."""
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli/support")]
from hierarchy import Loader  # noqa: E402
from ptrace import Stream  # noqa: E402

LIVES = ("begin", "name", "end")
# Elements, and the events that become them.
COUNTED = {
    "methodEntry": lambda e: e.kind == "Enter",
    "methodExit": lambda e: e.kind in ("Leave", "Unwind"),
    "objAlloc": lambda e: e.kind in ("Alloc", "SiteAlloc"),
    "classDef": lambda e: e.kind == "Class" and not e.fields.get("life"),
    "methodDef": lambda e: e.kind == "Method",
    "threadEnd": lambda e: e.kind == "Thread" and LIVES[e.fields.get("life", 0)] == "end",
    "option": lambda e: e.kind == "Setting",
    "filter": lambda e: e.kind == "FilterRule",
}


def gaps(stream):
    """Exits from methods that were not entered (others end what was entered in between), and the
    method 0, which stands for code of no method."""
    threads, found = {}, Counter()
    for event in stream.all("Enter", "Leave", "Unwind", "Method"):
        if event.kind == "Method":
            found["methodId"] += event.id == 0
            continue
        open_calls = threads.setdefault(event.thread, [])
        if event.kind == "Enter":
            open_calls.append(event.id)
        elif event.id in open_calls:
            while open_calls.pop() != event.id:
                pass
        else:
            found["entry"] += 1
    return +found


def thread_starts(stream):
    """Each thread once, whatever is told of it later: a name, or where its id comes again."""
    known, count = {}, 0
    for event in stream.all("Thread"):
        life, before = LIVES[event.fields.get("life", 0)], known.get(event.id)
        if life != "end" and (before in (None, "end") or before == life == "begin"):
            count += 1
        if life != "name" or before in (None, "end"):
            known[event.id] = life
    return count


def expect_placed(stream, document):
    loader = Loader(gaps=True).load(document)
    for element in ("node", "processCreate", "agentCreate", "traceStart", "traceEnd",
                    "agentDestroy"):
        assert loader.placed[element] == 1, (element, loader.placed)
    for element, becomes in COUNTED.items():
        count = sum(map(becomes, stream.events))
        assert loader.placed[element] == count, (element, loader.placed[element], count)
    starts = thread_starts(stream)
    assert loader.placed["threadStart"] == starts, (loader.placed["threadStart"], starts)
    assert loader.gaps == gaps(stream), (loader.gaps, gaps(stream))
    assert loader.entered and 0 not in loader.entered, "calls in no class"
    return loader.placed


def convert(polytrace, file, form, output):
    done = subprocess.run([polytrace, "convert", "--quiet", "--force", "--to", form, file, "-o",
                           output], capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, (file, form, done.stderr)


def expect_hierarchy(polytrace, recording, folder):
    """How many elements of each kind were placed."""
    stream = Stream(recording)
    straight, binary, around = (Path(folder) / name for name in ("straight", "binary", "around"))
    convert(polytrace, recording, "trcxml", straight)
    convert(polytrace, recording, "tbf", binary)
    convert(polytrace, binary, "trcxml", around)
    placed = expect_placed(stream, straight)
    assert expect_placed(stream, around) == placed, "other elements by way of TBF"
    return placed
