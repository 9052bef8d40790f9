#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles that travel as a tar or zip: the answers of the folder; hostile and damaged ones refused.

$POLYTRACE is the program. The archives are made by Python's tarfile and zipfile.
"""
import gzip
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

PROGRAM = os.environ["POLYTRACE"]
NAMES = ["history.bin", "types.json", "tree.json"]
ROWS = 20000


class Faults:
    def __init__(self):
        self.count = 0

    def expect(self, holds, what):
        if not holds:
            self.count += 1
            print(f"FAILED: {what}", file=sys.stderr)


FAULTS = Faults()


def run(*words, **environment):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, check=False,
                          env={**os.environ, **environment}, timeout=120)


def expect_run(code, *words, says="", **environment):
    done = run(*words, **environment)
    said = done.stderr.decode(errors="replace")
    FAULTS.expect(done.returncode == code and says in said,
                  f"{' '.join(map(str, words))}: code {done.returncode}, not {code}; said: {said}"
                  f" (expected: {says})")
    return done.stdout


# --- making archives ---

def tar_of(path, entries, mode="w", form=tarfile.PAX_FORMAT):
    """entries: (name, bytes) or a ready TarInfo without content."""
    with tarfile.open(path, mode, format=form) as tar:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                tar.addfile(entry)
                continue
            info = tarfile.TarInfo(entry[0])
            info.size = len(entry[1])
            tar.addfile(info, io.BytesIO(entry[1]))
    return path


def zip_of(path, entries, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as packed:
        for name, content in entries:
            packed.writestr(name, content)
    return path


def link(name, target, kind=tarfile.SYMTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, str(target)
    return info


def make_history(folder):
    rows = folder / "rows.csv"
    with rows.open("w", encoding="utf-8") as out:
        out.write("time,path,type,value\n")
        for i in range(ROWS):
            out.write(f"{i * 10},P/{i % 50},int,{i * i % 1009}\n")
            out.write(f"{i * 10 + 3},T/{i % 7},string,text {i * i % 97}\n")
    expect_run(0, "history", "import", rows, "-o", folder / "app.history")
    expect_run(0, "history", "snapshot", folder / "app.history", "--at", "50%", "-o",
               folder / "middle.snapshot")
    return folder / "app.history"


def contents(folder):
    return [(name, (folder / name).read_bytes()) for name in NAMES]


def within(folder, entries):
    return [(f"{folder}/{name}", content) for name, content in entries]


# --- the same answers ---

QUESTIONS = [
    ["query", "--at", "50%"],
    ["query", "--from", "10%", "--to", "12%", "--path", "T/*"],
    ["query", "--from", "0%", "--to", "100%", "--samples", "9", "--path", "P/3"],
    ["info", "--paths"],
    ["check"],
    ["export", "-o", "-"],
    ["export", "--form", "keys", "-o", "-"],
]


def answers(source, folder):
    told = []
    for verb, *options in QUESTIONS:
        out = expect_run(0, "history", verb, source, *options)
        told.append(out.replace(os.fsencode(source), b"FILE"))
        if verb != "export":
            out = expect_run(0, "history", verb, source, *options, "--json")
            told.append(json.dumps({**json.loads(out), "file": ""}))
    made = folder / "made"
    for verb, *options in (["snapshot", "--at", "1000"], ["convert", "--layout", "segmented"]):
        expect_run(0, "history", verb, source, *options, "-o", made)
        told.append({file.name: file.read_bytes() for file in sorted(made.iterdir())
                     if file.suffix == ".json"})
        shutil.rmtree(made, ignore_errors=True)
    return told


def check_same(history, folder):
    files = contents(history)
    mode = {"tar": "w", "tar.gz": "w:gz"}
    sources = {
        "top.tar": tar_of(folder / "top.tar", files, mode["tar"]),
        "dots.tar": tar_of(folder / "dots.tar", within(".", files), form=tarfile.USTAR_FORMAT),
        "folder.tar": tar_of(folder / "folder.tar", within("app.history", files),
                             form=tarfile.GNU_FORMAT),
        "deep.tar.gz": tar_of(folder / "deep.tar.gz", within("a/b/c", files), mode["tar.gz"]),
        "umlaut.tar": tar_of(folder / "umlaut.tar", within("Gr\u00f6\u00dfe", files)),
        "no.ending": zip_of(folder / "no.ending", files),
        "stored.zip": zip_of(folder / "stored.zip", within("app", files), zipfile.ZIP_STORED),
        "history.bin": tar_of(folder / "history.bin", files),
    }
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", sources["top.tar"]], check=True)
        sources["top.tar.zst"] = folder / "top.tar.zst"
    expected = answers(history, folder)
    for name, source in sources.items():
        FAULTS.expect(answers(source, folder) == expected, f"{name} answers otherwise")
    snapshot = folder / "middle.snapshot"
    entries = [(file.name, file.read_bytes()) for file in snapshot.iterdir()]
    sources = [snapshot, zip_of(folder / "snapshot.zip", within("x", entries)),
               tar_of(folder / "snapshot.tar", entries)]
    exported = []
    for number, source in enumerate(sources):
        expect_run(0, "history", "import", source, "-o", folder / f"began{number}")
        exported.append(expect_run(0, "history", "export", folder / f"began{number}", "-o", "-"))
    FAULTS.expect(exported == [exported[0]] * 3 and len(exported[0]) > 1000,
                  "a snapshot in an archive becomes another history")


# --- what else may be inside ---

def check_hostile(history, folder):
    files = contents(history)
    query = ["--at", "50%", "--json"]
    expected = json.loads(expect_run(0, "history", "query", history, *query))["table"]
    evil = ("../x", b"evil"), ("/tmp/polytrace-evil", b"evil"), ("a/../../x", b"evil")
    secret = folder / "secret"
    secret.write_bytes(dict(files)["history.bin"])
    cases = {
        "escaping.tar": (tar_of(folder / "escaping.tar", [*evil, *files]), "../x"),
        "escaping.zip": (zip_of(folder / "escaping.zip", [*evil, *files]), "../x"),
        "escaping-known.tar": (tar_of(folder / "escaping-known.tar", [
            ("../history.bin", b"evil"), *files, ("../tree.json", b"evil")]), "../history.bin"),
        "links.tar": (tar_of(folder / "links.tar", [
            link("state.json", "/etc/passwd"), *files, link("history.bin", secret),
            link("types.json", "../secret", tarfile.LNKTYPE)]), "state.json"),
        "device.tar": (tar_of(folder / "device.tar", [
            link("tree.json", "", tarfile.FIFOTYPE), *files]), "tree.json"),
        "control.tar": (tar_of(folder / "control.tar", [("a\x1b[2Jb", b""), *files]), "a\\"),
    }
    for name, (source, others) in cases.items():
        out = expect_run(0, "history", "query", source, *query, says="they were ignored")
        FAULTS.expect(json.loads(out)["table"] == expected, f"{name} answers otherwise")
        expect_run(0, "history", "info", source, says=others)
        FAULTS.expect(b"\x1b" not in run("history", "info", source).stderr, f"{name}: control")
    for stray in (folder / "x", folder.parent / "x", Path("/tmp/polytrace-evil")):
        FAULTS.expect(not stray.exists(), f"{stray} was written")

    only_link = [link("history.bin", secret), *files[1:]]
    expect_run(3, "history", "query", tar_of(folder / "only-link.tar", only_link), *query,
               says="no history.bin")
    linked = zipfile.ZipInfo("history.bin")
    linked.create_system, linked.external_attr = 3, 0o120777 << 16
    expect_run(3, "history", "query", zip_of(folder / "linked.zip", [(linked, str(secret))]),
               *query, says="no history.bin")
    expect_run(3, "history", "query", tar_of(folder / "none.tar", files[1:]), *query,
               says="no history.bin")
    expect_run(3, "history", "query", zip_of(folder / "none.zip", [("README", b"")]), *query,
               says="no history.bin")
    both = within("a", files) + within("b", files)
    two = tar_of(folder / "two.tar", both)
    expect_run(3, "history", "query", two, *query, says="more than one")
    expect_run(3, "history", "query", folder / "rows.csv", *query)
    mixed = [*within("middle", [("state.json", b"{}"), files[1]]), *within("app", files)]
    out = expect_run(0, "history", "query", tar_of(folder / "mixed.tar", mixed), *query)
    FAULTS.expect(json.loads(out)["table"] == expected, "a history beside a snapshot is not found")
    # As tar means it, a later file of the same name replaces an earlier one.
    twice = [("history.bin", b"old"), *files]
    out = expect_run(0, "history", "query", tar_of(folder / "twice.tar", twice), *query)
    FAULTS.expect(json.loads(out)["table"] == expected, "the last of two files does not count")


def encrypt(path):
    """Sets the bit that says so: nobody gets as far as the missing key."""
    packed = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = packed.find(mark)
        while place >= 0:
            packed[place + at] |= 1
            place = packed.find(mark, place + 4)
    path.write_bytes(packed)
    return path


# --- damage ---

def check_half(folder):
    """What stands before the damage is there."""
    numbers = random.Random(1)
    changes = "".join(f"{i},P,int,{numbers.randrange(1000)}\n" for i in range(300_000))
    (folder / "long.csv").write_text("time,path,type,value\n" + changes, encoding="utf-8")
    expect_run(0, "history", "import", folder / "long.csv", "--layout", "stream", "-o",
               folder / "long")
    whole = zip_of(folder / "long.zip", contents(folder / "long")).read_bytes()
    expected = expect_run(0, "history", "export", folder / "long.zip", "-o", "-").splitlines()
    half = folder / "half.zip"
    half.write_bytes(whole[:len(whole) // 2])
    found = expect_run(4, "history", "export", half, "-o", "-", says="(history.bin): archive")
    found = found.splitlines()
    FAULTS.expect(len(expected) > 290_000 and 50_000 < len(found) < 200_000 and
                  set(found) <= set(expected),
                  f"{len(found)} rows of {len(expected)} in half an archive")


def check_damage(history, folder):
    files = contents(history)
    query = ["--at", "0%", "--json"]
    size = len(files[0][1])
    encrypted = encrypt(zip_of(folder / "encrypted.zip", files, zipfile.ZIP_STORED))
    expect_run(3, "history", "query", encrypted, *query, says="encrypted")
    whole = tar_of(folder / "whole.tar", files).read_bytes()
    cut = folder / "cut.tar"
    cut.write_bytes(whole[:512 + size * 9 // 10])
    expect_run(4, "history", "info", cut, says="cut.tar")
    expect_run(4, "history", "check", cut)
    out = run("history", "info", cut, "--json").stdout
    notices = json.loads(out)["notices"]
    FAULTS.expect([n for n in notices if n["code"] == "archive-damaged"] != [],
                  "a cut archive is not told")
    cut.write_bytes(whole[:512 + 50])
    expect_run(3, "history", "query", cut, *query, says="Truncated tar archive; of history.bin")
    expect_run(3, "history", "convert", cut, "--layout", "stream", "-o", folder / "of-cut",
               says="Truncated tar archive; of history.bin")
    state = (folder / "middle.snapshot" / "state.json").read_bytes()
    snapshot = tar_of(folder / "state.tar", [("state.json", state)]).read_bytes()
    cut.write_bytes(snapshot[:512 + len(state) // 2])
    expect_run(4, "history", "import", cut, "-o", folder / "of-half-state",
               says="(state.json): archive ends early")
    cut.write_bytes(snapshot[:512 + 4])
    expect_run(3, "history", "import", cut, "-o", folder / "of-cut-state",
               says="Truncated tar archive; of state.json")
    # Cut in tree.json: what is asked is in history.bin.
    short = tar_of(folder / "short.tar", files).read_bytes()
    place = short.rfind(b'"format":"state-tree"')
    cut.write_bytes(short[:place + 200])
    out = expect_run(4, "history", "query", cut, *query, says="tree.json")
    FAULTS.expect(json.loads(out)["table"]["rows"] != [], "a whole history in a cut archive")
    check_half(folder)
    packed = zip_of(folder / "packed.zip", files).read_bytes()
    seen = set()
    for part in range(1, 20):
        cut.write_bytes(packed[:len(packed) * part // 20])
        done = run("history", "query", cut, *query)
        seen.add(done.returncode)
        FAULTS.expect(done.returncode in (3, 4), f"zip cut at {part}/20: {done.returncode}")
        FAULTS.expect(b"cut.tar: " in done.stderr, f"zip cut at {part}/20: {done.stderr}")
    FAULTS.expect(seen == {3, 4} or seen == {4}, f"cut zips end with {seen}")
    squeezed = gzip.compress(whole)
    for part in range(1, 20):
        cut.write_bytes(squeezed[:len(squeezed) * part // 20])
        done = run("history", "query", cut, *query)
        FAULTS.expect(done.returncode in (3, 4), f"gzip cut at {part}/20: {done.returncode}")
    flipped = bytearray(packed)
    flipped[len(packed) // 3] ^= 0x40
    cut.write_bytes(flipped)
    done = run("history", "check", cut)
    FAULTS.expect(done.returncode in (3, 4), f"a wrong bit in a zip: {done.returncode}")


def check_bombs(history, folder):
    files = contents(history)
    query = ["--at", "50%"]
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    zeros = io.BytesIO()
    with zipfile.ZipFile(zeros, "w", zipfile.ZIP_DEFLATED) as packed:
        with packed.open("history.bin", "w") as entry:
            for _ in range(400):
                entry.write(bytes(1 << 20))
    bomb = folder / "bomb.zip"
    bomb.write_bytes(zeros.getvalue())
    expect_run(6, "history", "query", bomb, *query, says="unpacks to more than", **environment)
    # One that says it is small.
    lying = zeros.getvalue().replace((400 << 20).to_bytes(4, "little"), bytes([100, 0, 0, 0]))
    FAULTS.expect(lying != zeros.getvalue(), "no size to lie about")
    bomb.write_bytes(lying)
    expect_run(6, "history", "query", bomb, *query, says="unpacks to more than", **environment)
    # Only a header that claims a size which no disk has.
    info = tarfile.TarInfo("history.bin")
    info.size = 1 << 60
    claim = folder / "claim.tar"
    claim.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    expect_run(6, "history", "query", claim, *query, says="unpacks to more than", **environment)
    # A sparse one that is a hole of 2^60 bytes.
    sparse = tarfile.TarInfo("history.bin")
    sparse.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1",
                          "GNU.sparse.name": "history.bin", "GNU.sparse.size": str(1 << 60),
                          "GNU.sparse.numblocks": "1", "GNU.sparse.map": f"{(1 << 60) - 1},1"}
    sparse.size = 1
    hole = folder / "hole.tar"
    with tarfile.open(hole, "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(sparse, io.BytesIO(b"x"))
    expect_run(6, "history", "query", hole, *query, says="unpacks to more than", **environment)
    # Something else that is huge costs no memory and no disk.
    aside = folder / "aside.tar.gz"
    with gzip.open(aside, "wb", compresslevel=1) as out:
        large = tarfile.TarInfo("core")
        large.size = 1 << 40
        out.write(large.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    expect_run(6, "history", "query", aside, *query, **environment)
    FAULTS.expect(list(temporary.iterdir()) == [], "temporary files stay")
    good = tar_of(folder / "good.tar", files)
    expect_run(0, "history", "query", good, *query, **environment)
    FAULTS.expect(list(temporary.iterdir()) == [], "temporary files of a good archive stay")
    expect_run(1, "history", "query", good, *query, TMPDIR=str(folder / "nowhere"), says="nowhere")


def check_killed(history, folder):
    """Whenever it ends, no file stays."""
    temporary = folder / "temporary"
    good = tar_of(folder / "killed.tar.gz", contents(history), "w:gz")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        for delay in (0.002, 0.005, 0.01):
            asked = subprocess.Popen([PROGRAM, "history", "export", good, "-o", "-"],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                     env={**os.environ, "TMPDIR": str(temporary)})
            time.sleep(delay)  # wait: moments of a signal, any will do
            asked.send_signal(number)
            asked.communicate(timeout=150)
            FAULTS.expect(list(temporary.iterdir()) == [], f"signal {number}: files stay")


def check_writing(history, folder):
    good = tar_of(folder / "kept.tar", contents(history))
    before = good.read_bytes()
    rows = folder / "rows.csv"
    for words in (["repair", good], ["import", rows, "-f", "-o", good],
                  ["import", rows, "-o", good],
                  ["snapshot", history, "--at", "50%", "-f", "-o", good],
                  ["convert", history, "--layout", "stream", "-f", "-o", good]):
        expect_run(2, "history", *words, says="is an archive; a history is written")
    expect_run(2, "history", "repair", rows, says="is a file; a history is written")
    FAULTS.expect(good.read_bytes() == before, "an archive was changed")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "inner"
        folder.mkdir()
        history = make_history(folder)
        checks = [check_same, check_hostile, check_damage, check_bombs, check_writing]
        if os.environ.get("POLYTRACE_LONG") == "1":
            checks.append(check_killed)  # kills at moments that the machine's speed decides
        for check in checks:
            check(history, folder)
    return 1 if FAULTS.count else 0


if __name__ == "__main__":
    sys.exit(main())
