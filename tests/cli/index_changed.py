#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An index never answers for another content: of each byte that was changed anywhere, however the
times were put back, every answer is that of the file as it is now. A copy and a moved file keep
their index; who finds an index being built waits for it."""
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from waiting import wait_until  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
END, PIECE, PIECES = 65536, 4096, 62  # docs/formats/index.md: what a fingerprint is of
OUTPUT = "OUTPUT"
QUESTIONS = [
    ["report", "--json", "--limit", "0", "FILE"],
    ["flame", "--folded", "FILE", "-o", OUTPUT],
    ["sql", "--json", "FILE", "SELECT count(*), sum(ts) FROM event"],
    ["sql", "--json", "FILE", "SELECT name, calls, self FROM method ORDER BY name, self"],
    ["state", "--at", "70%", "--json", "FILE"],
    ["export", "--to", "folded", "FILE", "-o", OUTPUT],
    ["heap", "--json", "FILE"],
]


def run(*words):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    return done.returncode, done.stdout


def answer(words, file, folder, *more):
    output = folder / "output"
    output.unlink(missing_ok=True)
    code, out = run(*[{"FILE": file, OUTPUT: output}.get(word, word) for word in words], *more)
    return code, out, output.read_bytes() if output.exists() else None


def figures(answered):
    """Without notices: that an index was not used is said, and costs nothing."""
    code, out, written = answered
    try:
        told = json.loads(out)
    except ValueError:
        return answered
    for name in ("notices", "partial"):
        told.pop(name, None)
    return code, told, written


def answers(file, folder, *more):
    return [figures(answer(words, file, folder, *more)) for words in QUESTIONS]


def truth(file, folder):
    """Of a folder without any index or history."""
    kept = os.environ["POLYTRACE_CACHE"]
    with tempfile.TemporaryDirectory() as empty:
        os.environ["POLYTRACE_CACHE"] = empty
        told = answers(file, folder, "--no-index")
    os.environ["POLYTRACE_CACHE"] = kept
    return told


def is_seen(size, at):
    """Whether a byte is in a fingerprint."""
    step = (size - 2 * END - PIECE) // (PIECES - 1)
    return at < END or at >= size - END or any(
        END + i * step <= at < END + i * step + PIECE for i in range(PIECES))


def digit_of_a_call(content, at):
    """The milliseconds of the next end of a call, in seconds with ten digits before the point."""
    at = content.index(b'time="', content.index(b"<methodExit", at)) + len(b'time="') + 13
    assert content[at:at + 1].isdigit()
    return at


def places(content):
    """Two between the pieces, and one that a fingerprint has."""
    size, hidden, seen, at = len(content), [], [], END
    while len(hidden) < 2 or not seen:
        at = digit_of_a_call(content, at)
        kind = seen if is_seen(size, at) else hidden
        if len(kind) < 2:
            kind.append(at)
    return [*hidden, seen[0]]


def changed(content, at):
    digit = b"%d" % ((int(content[at:at + 1]) + 5) % 10)
    return content[:at] + digit + content[at + 1:]


def write_over(file, content, times):
    """In place, of equal size, and the time of the last change put back."""
    with open(file, "r+b") as stream:
        stream.write(content)
    os.utime(file, ns=times)


def times_of(file):
    status = os.stat(file)
    return status.st_atime_ns, status.st_mtime_ns


def no_change_is_missed(folder, trace, content):
    old = truth(trace, folder)
    for at in places(content):
        write_over(trace, content, times_of(trace))
        assert run("index", "build", trace)[0] == 0
        assert answers(trace, folder) == old, "the index answers"
        # Now in the same moment, and with the time of the last change as it was.
        write_over(trace, changed(content, at), times_of(trace))
        assert state_of(trace)[0] in ("stale", "none"), at
        new = truth(trace, folder)
        assert new != old, (at, "this byte changes nothing")
        assert answers(trace, folder) == new, (at, is_seen(len(content), at))
        assert state_of(trace)[0] == "current", "sql has made another one"
        assert answers(trace, folder) == new, at


def a_change_a_moment_later_is_seen(folder, content):
    """However often: whatever the clock of the file system says in between."""
    at = places(content)[0]
    other, place = changed(content, at), folder / "moment.trcxml"
    place.write_bytes(content)
    for number in range(8):
        now = (other, content)[number % 2]
        assert run("index", "build", place)[0] == 0
        write_over(place, now, times_of(place))
        words = ["sql", "--json", place, "SELECT sum(ts) FROM event"]
        assert run(*words)[1] == run(*words, "--no-index")[1], number


def state_of(file):
    told = json.loads(run("index", "info", "--json", file)[1])["indexes"][0]
    return told["state"], Path(told["folder"])


def copies_and_moved_files_keep_it(folder, trace):
    assert run("index", "build", trace)[0] == 0
    _, place = state_of(trace)
    copy = folder / "copy.trcxml"
    shutil.copyfile(trace, copy)
    os.utime(copy, (1, 1))
    moved = folder / "moved.trcxml"
    for file in (copy, trace):
        assert state_of(file) == ("current", place), file
        os.rename(file, moved)
        assert state_of(moved) == ("current", place), file
        os.utime(place / "used", (1, 1))
        run("report", moved)
        assert (place / "used").stat().st_mtime != 1, "its index is not used"
        os.rename(moved, file)


def is_asleep(process):
    """In nanosleep or clock_nanosleep, as a builder that waits is."""
    try:
        told = Path(f"/proc/{process.pid}/syscall").read_text(encoding="ascii").split()
    except OSError:
        return False
    return told[:1] in (["35"], ["230"])


def one_builds_and_the_others_wait(folder, trace):
    """The test has the lock of a builder, and puts a finished index there while four wait."""
    assert run("index", "build", trace)[0] == 0
    _, place = state_of(trace)
    aside = folder / "aside.pti"
    words = [POLYTRACE, "sql", "--json", str(trace), "SELECT count(*) FROM event"]
    with open(place / "lock", "a", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(place / "index.pti", aside)
        waiting = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for _ in range(4)]
        for process in waiting:
            wait_until(lambda: is_asleep(process), "a builder that waits", process=process)
        os.rename(aside, place / "index.pti")
    was = (place / "index.pti").stat().st_ino
    told = {process.communicate()[0] for process in waiting}
    assert told == {run("sql", "--json", "--no-index", trace, words[-1])[1]}, told
    assert all(process.returncode == 0 for process in waiting)
    assert (place / "index.pti").stat().st_ino == was, "somebody built another one"


def check_and_cat_read_the_trace(trace):
    _, place = state_of(trace)
    os.utime(place / "used", (1, 1))
    for words in (["check", trace], ["cat", "--kind", "thread", trace]):
        assert run(*words)[0] == 0
        assert (place / "used").stat().st_mtime == 1, words


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["POLYTRACE_CACHE"] = f"{name}/cache"
        trace = folder / "app.trcxml"
        assert run("convert", EXAMPLE, "-o", trace)[0] in (0, 4)
        content = trace.read_bytes()
        assert len(content) > 1_000_000
        no_change_is_missed(folder, trace, content)
        a_change_a_moment_later_is_seen(folder, content)
        copies_and_moved_files_keep_it(folder, trace)
        one_builds_and_the_others_wait(folder, trace)
        check_and_cat_read_the_trace(trace)
    print("ok")


main()
