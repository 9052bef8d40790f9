#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heap dumps with names of fields, made by hand: ways and suspects name them, names that fit
exactly come first, two dumps are compared by class. What grew is found by brute force.

$POLYTRACE is the program, $TEST_DATA the folder of test data.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from hprof_maker import HeapFile  # noqa: E402
from pseudo_terminal import on_terminal  # noqa: E402

POLYTRACE, DATA = os.environ["POLYTRACE"], Path(os.environ["TEST_DATA"])


def polytrace(*words, code=0):
    done = subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          timeout=150, check=False)
    assert done.returncode == code, (words, done)
    return done.stdout if code == 0 else done.stderr


def answer(*words):
    return json.loads(polytrace("heap", "--json", "--limit", "0", *words))


def leaking(path, leaked=40):
    """A static field holds a map, whose table holds nodes, each with a value of its own."""
    file = HeapFile()
    file.add_class(0x100, "com.acme.Big", statics={"OTHER": 0, "LEAK": 0x1000})
    file.add_class(0x200, "util.HashMap", ("entries", "table"))
    file.add_class(0x300, "util.Node[]")
    file.add_class(0x400, "util.Node", ("next", "value"))
    file.add_class(0x500, "com.acme.Session", ("payload",))
    file.add_class(0x600, "com.acme.SessionKeeper", ("session",))
    file.add_class(0x700, "byte")
    file.add_root(0x100)
    file.add_object(0x1000, 0x200, 0, 0x2000)
    nodes = [0x10000 + 0x100 * i for i in range(leaked)]
    file.add_array(0x2000, 0x300, 0, 0, *nodes)
    for node in nodes:
        file.add_object(node, 0x400, 0, node + 0x10)
        file.add_object(node + 0x10, 0x500, node + 0x20)
        file.add_array(node + 0x20, 0x300, *[0] * 300)
    # One that retains more than any session, and refers to one of its own.
    file.add_object(0x5000, 0x600, 0x5100)
    file.add_object(0x5100, 0x500, 0x5200)
    file.add_array(0x5200, 0x300, *[0] * 400)
    file.add_root(0x5000)
    return file.write(path)


def fields(folder):
    file = leaking(folder / "leak.hprof")
    way = answer("--path", "0x10510", file)["tables"][0]["rows"]
    assert [step["field"] for step in way] == [
        "static Big.LEAK", "HashMap.table", "[7]", "Node.value", ""], way
    (suspect,) = [row for row in answer("--suspects", file)["tables"][0]["rows"]
                  if "Node[]" in row["class"]][:1]
    assert suspect["reason"].endswith("held by static Big.LEAK > HashMap.table"), suspect
    # A pipe is read once, and told without them.
    with file.open("rb") as stream:
        done = subprocess.run([POLYTRACE, "heap", "--json", "--path", "0x10510", "-"],
                              stdin=stream, capture_output=True, text=True, check=True)
    assert [step["class"] for step in json.loads(done.stdout)["tables"][0]["rows"]] == [
        step["class"] for step in way]


def names(folder):
    file = leaking(folder / "leak.hprof")
    exact = answer("--path", "com.acme.Session", file)["tables"][0]
    assert exact["rows"][-1]["class"] == "com.acme.Session" and not exact["notes"], exact
    part = answer("--path", "Session", file)["tables"][0]
    assert part["rows"][-1]["class"] == "com.acme.SessionKeeper", part
    (note,) = part["notes"]
    assert "com.acme.SessionKeeper" in note, note
    assert f"heap --path com.acme.Session {file}" in note, note
    (note,) = answer("--referrers", "Session", file)["tables"][0]["notes"]
    assert f"heap --referrers com.acme.Session {file}" in note, note
    # Only one has it: nothing to choose from.
    assert not answer("--path", "Keeper", file)["tables"][0]["notes"]
    # A class as the tables call it.
    assert len(answer("--path", "class com.acme.Big", file)["tables"][0]["rows"]) == 1


class Model:
    """Objects by id: (class, size, targets)."""

    CLASSES = ("A", "B", "C", "D")

    def __init__(self, seed, count):
        choose = random.Random(seed)
        self.objects, self.roots = {}, [0x1000, 0x1010]
        ids = [0x1000 + 0x10 * i for i in range(count)]
        for one in ids:
            of = choose.randrange(len(self.CLASSES))
            self.objects[one] = (of, [choose.choice(ids) for _ in range(of)])

    def write(self, path, names):
        file = HeapFile()
        for i, name in enumerate(names):
            file.add_class(0x100 * (i + 1), name, tuple(f"f{n}" for n in range(i)))
        for one, (of, targets) in self.objects.items():
            file.add_object(one, 0x100 * (of + 1), *targets)
        for root in self.roots:
            file.add_root(root)
        return file.write(path)

    def reached(self, without=None):
        seen, waiting = set(), [root for root in self.roots if root != without]
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            waiting += [to for to in self.objects[one][1] if to != without]
        return seen

    def figures(self):
        """{class: (objects, bytes, retained)}; what an object retains is lost without it."""
        everything, out = self.reached(), {}
        size = {one: 16 + 8 * of for one, (of, _) in self.objects.items()}
        for of, name in enumerate(self.CLASSES):
            mine = [one for one, (its, _) in self.objects.items() if its == of]
            held = set().union(*(everything - self.reached(one) for one in mine
                                 if one in everything))
            out[name] = (len(mine), sum(size[one] for one in mine), sum(size[one] for one in held))
        return out


def check_growth(rows, before, after):
    told = {row["class"]: row for row in rows}
    for name in before:
        row = told[name]
        was, now = before[name], after[name]
        assert (row["before_objects"], row["before_bytes"], row["before_retained"]) == was, row
        assert (row["after_objects"], row["after_bytes"], row["after_retained"]) == now, row
        growth = (row["objects_growth"], row["bytes_growth"], row["retained_growth"])
        assert growth == tuple(b - a for a, b in zip(was, now)), row


def growth(folder):
    small, large = Model(1, 60), Model(2, 150)
    files = [small.write(folder / "a.hprof", Model.CLASSES),
             large.write(folder / "b.hprof", Model.CLASSES)]
    told = answer(*files)
    check_growth(told["tables"][0]["rows"], small.figures(), large.figures())
    assert [told["before"]["file"], told["file"]] == [str(file) for file in files], told
    assert str(files[0]) in polytrace("heap", *files).splitlines()[0]
    # Recordings, and both kinds mixed; of a recording, two snapshots or one and itself.
    trace = DATA / "mlpd/heapshot.mlpd.gz"
    rows = answer("--growth", "0,3", trace)["tables"][0]["rows"]
    assert any(row["retained_growth"] for row in rows), rows
    for snapshot, key in ((0, "before"), (3, "after")):
        classes = {row["class"]: row for row in
                   answer("--classes", "--snapshot", snapshot, trace)["tables"][0]["rows"]}
        for row in rows:
            same = classes.get(row["class"], {"objects": 0, "bytes": 0, "retained": 0})
            assert [row[f"{key}_{what}"] for what in ("objects", "bytes", "retained")] == [
                same[what] for what in ("objects", "bytes", "retained")], (row, same)
    mixed = answer(files[0], trace)["tables"][0]["rows"]
    assert {row["class"] for row in mixed} > set(Model.CLASSES)
    assert answer("--growth", "0,3", trace, trace)["tables"][0]["rows"] == rows


def wrong_use(folder):
    file = leaking(folder / "leak.hprof")
    assert "goes with no other question" in polytrace("heap", "--path", "A", file, file, code=2)
    assert "no heap snapshot" in polytrace("heap", file, DATA / "mlpd/locks.mlpd", code=2)
    assert "takes two numbers" in polytrace("heap", "--growth", "1", file, code=2)
    cut = folder / "cut.hprof"
    cut.write_bytes(file.read_bytes()[:-40])
    assert "growth" in subprocess.run([POLYTRACE, "heap", cut, file], capture_output=True,
                                      text=True, check=False).stdout
    polytrace("heap", cut, file, code=4)


def of_allocations(_):
    """A snapshot that tells references alone: classes and sizes are those of the allocations."""
    for trace in (DATA / "trcxml/shop.trcxml", DATA / "tbf/shop_big.trcbin"):
        allocated, mentioned, names = {}, {}, {}
        for line in polytrace("cat", "--jsonl", trace).splitlines():
            event = json.loads(line)
            if event["kind"] == "class":
                names[event["class"]] = event["name"]
            elif event["kind"] == "alloc":
                allocated[event["object"]] = (event["class"], event["size"])
            elif event["kind"] == "root":
                mentioned[event["object"]] = allocated.get(event["object"], (event["class_id"], 0))
            elif event["kind"] == "dump_object":
                for one in [event["object"], *(ref["target"] for ref in event["refs"])]:
                    mentioned[one] = mentioned.get(one) or allocated[one]
        rows = answer("--dominators", trace)["tables"][0]["rows"]
        assert {row["object"]: (row["class"], row["bytes"]) for row in rows} == {
            one: (names[of], size) for one, (of, size) in mentioned.items()}, (trace, rows)
        (listed,) = [table for table in answer(trace)["tables"] if table["key"] == "heap_snapshots"]
        assert listed["rows"][0]["outside"] == 0, listed


def chained(path, links):
    """A static field holds a queue: nodes, each of which holds the next and a session."""
    file = HeapFile()
    file.add_class(0x100, "com.acme.Big", statics={"TODO": 0x1000})
    file.add_class(0x200, "util.Queue", ("head",))
    file.add_class(0x400, "util.Node", ("next", "value"))
    file.add_class(0x500, "com.acme.Session", ("payload",))
    file.add_root(0x100)
    nodes = [0x10000 + 0x100 * i for i in range(links)]
    file.add_object(0x1000, 0x200, nodes[0])
    for node, after in zip(nodes, [*nodes[1:], 0]):
        file.add_object(node, 0x400, after, node + 0x40)
        file.add_object(node + 0x40, 0x500, 0)
    return file.write(path)


def chains(folder):
    """Of 32 bytes each node and 24 each session; the queue and 2 classes beside it are small."""
    for links in (5, 2000):
        file = chained(folder / "chain.hprof", links)
        (suspect,) = answer("--suspects", file)["tables"][0]["rows"]
        assert suspect["class"] == "util.Node" and suspect["object"] == "0x10000", suspect
        assert suspect["retained"] == links * (32 + 24), suspect
        assert suspect["reason"].startswith(f"a chain of {links:,} util.Node; "), suspect
        assert suspect["reason"].endswith("held by static Big.TODO > Queue.head"), suspect
    text = polytrace("report", file)
    assert "full heap" in text and "a chain of 2,000 util.Node" in text, text
    # The whole sentence, however narrow the terminal.
    code, lines = on_terminal([POLYTRACE, "heap", "--suspects", file], columns=80, rows=24)
    assert code == 0 and max(map(len, lines)) <= 80, lines
    shown = " ".join(line.strip() for line in lines)
    for word in suspect["reason"].split():
        assert word in shown, (word, lines)


def owners(folder):
    """A local variable of a thread; the stack tells innermost frames first."""
    file = HeapFile()
    file.add_class(0x100, "java.lang.Thread")
    file.add_class(0x200, "com.acme.Shop")
    file.add_class(0x300, "com.acme.Row[]")
    file.add_thread(3, 0x1000, "worker-14", [("wait", "Object.java", -2), ("sell", "Shop.java", 4)],
                    of=0x200)
    file.add_object(0x1000, 0x100)
    file.add_array(0x2000, 0x300, *[0] * 20000)
    file.add_local(0x2000, thread=3, frame=1)
    file.add_local(0x1000, thread=3, frame=0)
    dump = file.write(folder / "local.hprof")
    owner = "Java frame of thread worker-14, in com.acme.Shop.sell (Shop.java:4)"
    (step,) = answer("--path", "0x2000", dump)["tables"][0]["rows"]
    assert step["root"] == owner, step
    (row,) = answer("--referrers", "0x2000", dump)["tables"][0]["rows"]
    assert row["class"] == f"(root: {owner})", row
    (suspect,) = answer("--suspects", dump)["tables"][0]["rows"]
    assert suspect["reason"] == f"it is that large itself; held by {owner}", suspect
    # Its stack is that of one moment.
    text = polytrace("report", dump)
    assert owner in " ".join(text.split()), text
    assert "1 stack of threads" in text, text


def without_class_roots(folder):
    """Classes of the boot loader are never unloaded, though the dump calls none of them a root."""
    for roots in (False, True):
        file = HeapFile()
        file.add_class(0x100, "com.acme.Big", statics={"ALL": 0x1000})
        file.add_class(0x200, "com.acme.Node", ("next",))
        file.add_object(0x1000, 0x200, 0)
        if roots:
            file.add_root(0x200)
        dump = file.write(folder / "classes.hprof")
        rows = answer("--unreachable", dump)["tables"][0]["rows"]
        assert ("com.acme.Node" in [row["class"] for row in rows]) == roots, rows
    assert not answer("--path", "0x1000", dump)["tables"][0]["rows"]


def report(folder):
    file = leaking(folder / "leak.hprof")
    text = polytrace("report", file)
    assert "full heap" in text and "util.Node[]" in text, text
    assert f"heap --path 'util.Node[]' {file}" in text, text
    rows = json.loads(polytrace("report", "--json", "--sections", "suspects", file))
    (first, *_) = rows["tables"][0]["rows"]
    (same, *_) = answer("--suspects", file)["tables"][0]["rows"]
    assert first["fault"] == "full heap" and first["what"] == same["class"], (first, same)
    small = leaking(folder / "small.hprof", 1)
    assert "full heap" not in polytrace("report", small)
    # Of objects whose allocations tell their sizes, the same figures.
    trace = DATA / "tbf/shop_big.trcbin"
    rows = json.loads(polytrace("report", "--json", "--sections", "heap", trace))["tables"]
    (told,) = [table["rows"] for table in rows if table["key"] == "heap_classes"]
    tables = answer(trace)["tables"]
    (known,) = [table["rows"] for table in tables if table["key"] == "heap_classes"]
    assert {row["class"]: (row["objects"], row["bytes"]) for row in told} == {
        row["class"]: (row["objects"], row["bytes"]) for row in known}, (told, known)
    assert not answer("--suspects", DATA / "trcxml/shop.trcxml")["tables"][0]["rows"][0]["retained"]


def in_zip_files(folder):
    """The first trace of a zip file is read, what else it holds is said."""
    file = leaking(folder / "leak.hprof")
    rows = answer("--classes", file)["tables"][0]["rows"]
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(folder / "leak.zip", "w", packing) as packed:
            packed.writestr("readme.txt", "a heap dump")
            packed.write(file, "dumps/leak.hprof")
            packed.write(leaking(folder / "other.hprof", 1), "dumps/other.hprof")
        told = subprocess.run([POLYTRACE, "heap", "--json", "--limit", "0", "--classes",
                               folder / "leak.zip"], capture_output=True, text=True, check=True)
        assert json.loads(told.stdout)["tables"][0]["rows"] == rows, told
        assert "readme.txt" in told.stdout, told


def of_two_loaders(folder):
    """Classes of one name are two rows where two loaders have them."""
    file = HeapFile()
    for number, objects in ((0x200, 3), (0x300, 5)):
        file.add_class(number, "shop.Item", ("next",))
        for i in range(objects):
            file.add_object(number * 0x100 + 0x10 * i, number, 0)
            file.add_root(number * 0x100 + 0x10 * i)
    rows = answer("--classes", file.write(folder / "two.hprof"))["tables"][0]["rows"]
    assert sorted(row["objects"] for row in rows if row["class"] == "shop.Item") == [3, 5], rows


if __name__ == "__main__":
    for test in (fields, names, chains, owners, without_class_roots, growth, of_allocations,
                 wrong_use, report, in_zip_files, of_two_loaders):
        with tempfile.TemporaryDirectory() as name:
            test(Path(name))
