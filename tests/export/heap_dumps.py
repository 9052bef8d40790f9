#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heap snapshots of every format as heap dumps: VisualVM's library reads the objects, classes and
references that `polytrace heap` has."""
import glob
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))
from hprof import Heap  # noqa: E402
from readers import DATA, HERE, POLYTRACE, Skip, main, polytrace, program, run

LIBRARY = Path("/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar")
EVERYTHING = HERE.parents[1] / "examples/everything.mlpd"
# A trace of every format that tells snapshots, and of which one.
SNAPSHOTS = [(EVERYTHING, None), (DATA / "mlpd/heapshot.mlpd.gz", None),
             (DATA / "mlpd/heapshot.mlpd.gz", 0), (DATA / "tbf/shop_big.trcbin", None),
             (DATA / "monoblock/shipped10.mprof", None)]


def chosen(snapshot):
    return [] if snapshot is None else ["--snapshot", str(snapshot)]


def export(trace, output, *options):
    return json.loads(polytrace("export", "--json", "--to", "hprof", *options, trace, "-o",
                                output))["outputs"][0]


def rows(trace, *options):
    return json.loads(polytrace("heap", "--json", "--limit", "0", *options,
                                trace))["tables"][0]["rows"]


def read_by_visualvm(file):
    """{id: (class, retained bytes)}."""
    if not LIBRARY.exists():
        raise Skip("no VisualVM (./dev setup readers)")
    jars = ":".join([str(LIBRARY), *glob.glob("/usr/share/java/org-openide-util*.jar")])
    lines = run(program("java"), "-cp", jars, HERE.parent / "live/java/Retained.java",
                file).splitlines()
    return {int(one) % 2**64: (name, int(retained))
            for one, _, retained, name in (line.split("\t") for line in lines)}


def visualvm(folder):
    for trace, snapshot in SNAPSHOTS:
        file = folder / f"{trace.name}.{snapshot}.hprof"
        export(trace, file, *chosen(snapshot))
        seen = read_by_visualvm(file)
        objects = sum(row["objects"] for row in rows(trace, "--classes", *chosen(snapshot)))
        assert len(seen) == objects > 0, (trace.name, len(seen), objects)
        for row in rows(trace, "--dominators", *chosen(snapshot)):
            name, _ = seen[int(row["object"], 16)]
            assert name == row["class"], (trace.name, name, row)
        if trace == EVERYTHING:
            continue  # two threads in a circle with their start: VisualVM counts a part twice
        # Sizes are those of classes there, so that only what was written is compared.
        for row in rows(file, "--dominators"):
            if int(row["object"], 16) in seen:
                assert seen[int(row["object"], 16)][1] == row["retained"], (trace.name, row)


def sizes(folder):
    """As another reader adds them up, the bytes of a class are those in the trace."""
    for trace, snapshot in SNAPSHOTS:
        file = folder / f"{trace.name}.{snapshot}.hprof"
        export(trace, file, *chosen(snapshot))
        heap = Heap(file)
        told = rows(trace, "--classes", *chosen(snapshot))
        assert sum(row["bytes"] for row in told) > 0, trace
        for row in told:
            name = row["class"]
            name = f"[L{name[:-2]};" if name.endswith("[]") else name
            assert heap.bytes[name] == row["bytes"], (trace.name, row, heap.bytes[name])
        # Each of its own, not only together.
        strings = {size for size, name in heap.sizes.values() if name == "System.String"}
        assert len(strings) != 1, strings


def as_heap_writes_it(folder):
    export(EVERYTHING, folder / "one")
    polytrace("heap", "--hprof", folder / "other", EVERYTHING)
    assert (folder / "one").read_bytes() == (folder / "other").read_bytes()


def account(folder):
    """What a dump does not hold is told; other targets of the same pass have their own."""
    trace = SNAPSHOTS[1][0]
    told = json.loads(polytrace("export", "--json", "--to", "hprof,ctf", "--from", "1%", trace,
                                "-o", folder / "both"))["outputs"]
    assert [one["target"] for one in told] == ["hprof", "ctf"]
    assert told[0]["left_out"]["gc"] > 0 and "dump_object" not in told[0]["left_out"], told[0]
    assert told[1]["events_left_out"] == 0, told[1]
    notes = " ".join(told[0]["notes"])
    assert "Snapshot 3 of 4: " in notes and "3 other snapshots" in notes, notes
    assert "no time and no thread cuts it" in notes, notes


def wrong_use(folder):
    def refused(*words):
        done = subprocess.run([POLYTRACE, "export", *map(str, words), "-o", folder / "out"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2, (words, done)
        return done.stderr

    without = DATA / "mlpd/locks.mlpd"
    assert "no heap snapshot; while a program is recorded, polytrace control PID heap-dump" in (
        refused("--to", "hprof", without))
    done = subprocess.run([POLYTRACE, "heap", "--hprof", folder / "out", without],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no heap snapshot" in done.stderr, done
    assert "there are 4 snapshots" in refused("--to", "hprof", "--snapshot", "4", SNAPSHOTS[1][0])
    assert "takes a number" in refused("--to", "hprof", "--snapshot", "last", without)
    assert "no target of --to" in refused("--to", "folded", "--snapshot", "0", without)
    assert not list(folder.iterdir()), "nothing is left of what failed"


if __name__ == "__main__":
    main([visualvm, sizes, as_heap_writes_it, account, wrong_use])
