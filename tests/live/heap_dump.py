#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heap dumps of a real JVM: counts against an independent reader, retained sizes against VisualVM's
heap library, the planted leak of the shop, and dumps of other formats written for VisualVM."""
import csv
import glob
import io
import os
import subprocess
import tempfile
from pathlib import Path

from hprof import Heap
from jvm_common import HERE, find_jdks

ROOT = HERE.parent.parent
PROGRAM = os.environ.get("POLYTRACE", str(ROOT / "build/release/polytrace"))
LIBRARY = "/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar"
SHOP = ROOT / "examples/shop/java"
DUMP = """
import java.io.File;
public class Dump {
  public static void main(String[] arguments) throws Exception {
    Dump.class.getAnnotations();  // then the dump tells how large references are
    Shop.main(new String[] {"10"});
    String process = Long.toString(ProcessHandle.current().pid());
    String jcmd = System.getProperty("java.home") + "/bin/jcmd";
    new ProcessBuilder(jcmd, process, "GC.heap_dump", new File(arguments[0]).getAbsolutePath())
        .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start().waitFor();
  }
}
"""


def heap(path, *arguments):
    done = subprocess.run([PROGRAM, "heap", "--limit", "0", "--format", "csv", *arguments,
                           str(path)], capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def make_dump(folder, jdk):
    (folder / "Dump.java").write_text(DUMP)
    sources = [str(folder / "Dump.java"), *map(str, SHOP.glob("*.java"))]
    if not (folder / "Dump.class").exists():  # by the oldest JDK
        subprocess.run([jdk.tool("javac"), "-d", str(folder), *sources], check=True)
    path = folder / f"shop{jdk.version}.hprof"
    subprocess.run([jdk.tool("java"), "-Xmx256m", "-cp", str(folder), "Dump", str(path)],
                   check=True, stdout=subprocess.DEVNULL, timeout=150)
    return path


def test_counts(path):
    expected = Heap(path).counts
    counts = {row["class"]: int(row["objects"]) for row in heap(path, "--classes")}
    # The other reader names arrays as the file does, and counts no classes.
    arrays = {"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long",
              "F": "float", "D": "double"}
    for name, count in expected.items():
        element = name.lstrip("[")
        depth = len(name) - len(element)
        if depth:
            element = arrays.get(element) or element[1:-1]
        ours = counts.pop(element + "[]" * depth)
        assert ours == count or element == "java.lang.Class", (name, count, ours)
    assert not [name for name in counts if name != "java.lang.Class"], counts


def test_leak(path):
    """The planted leak is the first thing that is said."""
    done = subprocess.run([PROGRAM, "heap", str(path)], capture_output=True, text=True, check=True)
    first = done.stdout.splitlines()[5]
    fields = ["static Shop.TILL", "Till.orders", "ArrayList.elementData"]
    assert "400 Order" in first and " > ".join(fields) in first, done.stdout
    way = heap(path, "--path", "Order")
    assert [row["class"] for row in way][-4:] == ["Till", "java.util.ArrayList",
                                                  "java.lang.Object[]", "Order"], way
    assert [row["field"] for row in way][-5:-2] == fields, way


def sizes_of_visualvm(folder, jdk, path):
    jars = [LIBRARY, *glob.glob("/usr/share/java/org-openide-util*.jar")]
    classes = ":".join([*jars, str(folder)])
    if not (folder / "Retained.class").exists():
        subprocess.run([jdk.tool("javac"), "-cp", classes, "-d", str(folder),
                        str(HERE / "java/Retained.java")], check=True)
    done = subprocess.run([jdk.tool("java"), "-cp", classes, "Retained", str(path)],
                          capture_output=True, text=True, timeout=200, check=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines, done.stderr
    return {int(one) % 2**64: (int(size), int(retained), name)
            for one, size, retained, name in lines}


def compare(folder, jdk, path):
    """How many objects there are, and the classes of those that retain something else here."""
    rows = heap(path, "--dominators", "--soft-is-weak")
    ours = {int(row["object"], 16): row for row in rows}
    count, others = 0, []
    for one, (size, retained, name) in sizes_of_visualvm(folder, jdk, path).items():
        if one not in ours:
            assert retained == 0 or size == retained, f"{name} {one:#x} is not reached here"
            continue
        count += 1
        assert int(ours[one]["bytes"]) == size, f"{name} {one:#x}: {size}, {ours[one]}"
        if int(ours[one]["retained"]) != retained:
            others.append(name)
    return count, others


def test_visualvm(folder, jdk, path):
    if not Path(LIBRARY).exists():
        print("not compared with VisualVM: it is not installed (Debian: visualvm)")
        return
    count, others = compare(folder, jdk, path)
    # There, weak references to what has several referrers count after all: docs/heap.md.
    assert count > 10_000 and len(others) < count // 50, f"{len(others)} of {count} differ"
    assert not {"Till", "Order", "Article", "Catalog"} & set(others), others
    # Written anew without such, all are the same.
    written = folder / "written.hprof"
    subprocess.run([PROGRAM, "heap", "--hprof", str(written), "--force",
                    str(ROOT / "tests/data/mlpd/heapshot.mlpd.gz")], check=True)
    count, others = compare(folder, jdk, written)
    assert count > 1000 and not others, (count, others)


def main():
    jdks = find_jdks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for jdk in jdks:
            path = make_dump(folder, jdk)
            test_counts(path)
            test_leak(path)
        test_visualvm(folder, jdks[0], folder / f"shop{jdks[0].version}.hprof")


if __name__ == "__main__":
    main()
