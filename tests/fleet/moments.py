#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From an aggregate to the exact call: a program makes one slow call and measures it itself, from
inside and from outside. The moment that the store has of it lies between; the trace that is fetched
around it has the call, with exactly the moment's length."""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import collect  # noqa: E402
import counting  # noqa: E402
from json_schemas import fits  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
TOKEN = "0123456789abcdef" * 4
SLOW = 400  # milliseconds
# While the slow call waits, another thread fills more blocks than fleet get asks for at first.
CROWD = 1_500_000

# Words: rounds, pause. Prints what it measured.
JAVA = """
public class Counts {
  static volatile long leaves;
  static void leaf() { leaves++; }
  static void crowd(int calls) { for (int i = 0; i < calls; i++) leaf(); }
  static long slow(int milliseconds) throws Exception {
    long begin = System.nanoTime();
    Thread.sleep(milliseconds);  // wait: a call that lasts
    return System.nanoTime() - begin;
  }
  public static void main(String[] words) throws Exception {
    int rounds = Integer.parseInt(words[0]);
    for (int i = 0; i < rounds; i++) slow(1);
    Thread other = new Thread(() -> crowd(CROWD));
    long before = System.nanoTime();
    other.start();
    long inside = slow(SLOW);
    long outside = System.nanoTime() - before;
    other.join();
    for (int i = 0; i < rounds; i++) slow(1);
    System.out.println("inside " + inside + " outside " + outside + " leaf " + leaves);
  }
}
"""
CSHARP = """
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
public class Counts {
  static long leaves;
  [MethodImpl(MethodImplOptions.NoInlining)] static void leaf() { leaves++; }
  [MethodImpl(MethodImplOptions.NoInlining)] static void crowd(int calls) {
    for (int i = 0; i < calls; i++) leaf(); }
  static long now() {
    return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency)); }
  [MethodImpl(MethodImplOptions.NoInlining)] static long slow(int milliseconds) {
    long begin = now();
    Thread.Sleep(milliseconds);  // wait: a call that lasts
    return now() - begin; }
  public static void Main(string[] words) {
    int rounds = int.Parse(words[0]);
    for (int i = 0; i < rounds; i++) slow(1);
    var other = new Thread(() => crowd(CROWD));
    long before = now();
    other.Start();
    long inside = slow(SLOW);
    long outside = now() - before;
    other.Join();
    for (int i = 0; i < rounds; i++) slow(1);
    Console.WriteLine("inside " + inside + " outside " + outside + " leaf " + leaves);
  }
}
"""


def with_numbers(source):
    return source.replace("CROWD", str(CROWD)).replace("SLOW", str(SLOW))


class Fleet:
    def __init__(self, folder, server, collector, token):
        self.folder = Path(folder)
        self.store = f"{server.url}/fleet"
        self.collector = collector
        self.token = token

    def run(self, *words, code=0):
        done = subprocess.run([POLYTRACE, *map(str, words)], cwd=self.folder, capture_output=True,
                              env=dict(os.environ, POLYTRACE_CACHE=f"{self.folder}/cache"),
                              text=True, timeout=collect.HANGS, check=False)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done

    def moments(self, *words):
        told = json.loads(self.run("fleet", "moments", *words, "--store", self.store,
                                   "--json").stdout)
        fits(told, "fleet.json", "fleet moments")
        return told["tables"][0]["rows"]

    def edge(self):
        return ["--edge", f"http://127.0.0.1:{self.collector.port}", "--token-file", self.token]

    def get(self, moment, file, *where, code=0):
        return self.run("fleet", "get", moment, "-o", file, "--store", self.store, *where,
                        code=code)

    def ask(self, path, token=None):
        """What the collector's port says: status, text, blocks that are gone."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        question = urllib.request.Request(f"http://127.0.0.1:{self.collector.port}{path}",
                                          headers=headers)
        try:
            with opener.open(question, timeout=collect.HANGS) as answer:
                return answer.status, answer.read(), answer.headers.get("Polytrace-Gone")
        except urllib.error.HTTPError as fault:
            return fault.code, fault.read(), None


def call_at(fleet, file, thread, begin):
    """How long the call of that thread lasted that began then: a dozen lines of another program."""
    stack = []
    calls = fleet.run("cat", "--jsonl", "--kind", "enter,leave,unwind", file).stdout
    for line in calls.split("\n"):
        if not line or int((event := json.loads(line))["thread"], 0) != thread:
            continue
        if event["kind"] == "enter":
            stack.append(int(event["time"]))
        elif stack and stack.pop() == begin:
            return int(event["time"]) - begin
    raise AssertionError(f"no call at {begin} in {file}")


def test_slow_call(fleet, programs, name):
    program = programs.start(name, fleet.collector.socket, 40, 0)
    told = program.counts()
    assert told["leaf"] == CROWD
    who = program.process.pid
    collect.wait_for(f"the end of {who}'s stream", lambda: any(
        f" {who}" in event["who"] for event in fleet.collector.told("ended")))
    where = ["--where", f"instance={who}", "--kind", "call", "--method", "slow"]
    # Two clocks, which may differ by a thousandth. The short calls before it may come first.
    low, high = 0.999 * told["inside"], 1.001 * told["outside"]
    collect.wait_for("its moment", lambda: any(
        row["took"] >= low for row in fleet.moments(*where)))
    slowest = fleet.moments(*where)[0]
    assert low <= slowest["took"] <= high, (slowest, told)
    assert "slow" in slowest["subject"] and slowest["kind"] == "call", slowest
    # Others of the process: main is the longest of all, and nothing is longer than it.
    lengths = [row["took"] for row in fleet.moments("--where", f"instance={who}")]
    assert lengths == sorted(lengths, reverse=True) and slowest["took"] in lengths, lengths

    file = f"{name}.ptrace"
    done = json.loads(fleet.get(slowest["moment"], file, *fleet.edge(), "--json").stdout)
    fits(done, "fleet-get.json", "fleet get")
    assert done["begins"] and done["took_ns"] == slowest["took"], done
    assert call_at(fleet, file, done["thread"], done["at"]) == slowest["took"]
    for command in done["next"]:
        words = shlex.split(command)
        assert words[0] == "polytrace", command
        assert "slow" in fleet.run(*words[1:]).stdout, command
    # The collector's folder has the same.
    state = fleet.collector.folder / "state"
    fleet.get(slowest["moment"], "folder.ptrace", "-f", "--folder", state)
    assert (fleet.folder / file).read_bytes() == (fleet.folder / "folder.ptrace").read_bytes()
    test_kept(fleet, slowest, done, who)
    return slowest["moment"]


def test_kept(fleet, slowest, done, who):
    """A folder that stays has the same trace, and the store knows where."""
    folder = fleet.folder / f"kept-{who}"
    folder.mkdir()
    words = ["fleet", "get", slowest["moment"], "--store", fleet.store, *fleet.edge(), "--keep"]
    kept = json.loads(fleet.run(*words, folder, "--json").stdout)
    file = Path(kept["file"])
    assert file.parent == folder and file.name.startswith(slowest["moment"].split("-")[0]), kept
    assert file.read_bytes() == (fleet.folder / done["file"]).read_bytes()
    test_nothing_twice(fleet, [*words, folder], file)
    fleet.run(*words, folder)  # again: it replaces itself
    fleet.run(*words, folder, "-o", "x.ptrace", code=2)
    told = json.loads(fleet.run("fleet", "traces", "--where", f"instance={who}", "--store",
                                fleet.store, "--json").stdout)
    fits(told, "fleet.json", "fleet traces")
    rows = told["tables"][0]["rows"]
    assert [row["place"] for row in rows] == [f"file:{file}"], rows
    assert rows[0]["bytes"] == file.stat().st_size and slowest["moment"] in rows[0]["why"], rows
    happened = sum(1 for line in fleet.run("cat", "--jsonl", "--kind", "enter,leave,unwind",
                                           file).stdout.splitlines() if line)
    assert rows[0]["events"] >= happened > 0, (rows, happened)


def test_nothing_twice(fleet, words, file):
    """More blocks are fetched until the call begins in them, none of them twice; what comes is what
    one question for all of them gets."""
    before = len(fleet.collector.told("piece"))
    fleet.run(*words)
    texts = [event["text"] for event in fleet.collector.told("piece")[before:]]
    counts = [int(text.rsplit(": ", 1)[1].split()[0].replace(",", "")) for text in texts]
    stream, first, last = file.stem.split("-")
    status, whole, _ = fleet.ask(f"/v1/traces/{stream}/{first}-{last}", TOKEN)
    assert status == 200 and whole == file.read_bytes(), (status, texts)
    last_text = fleet.collector.told("piece")[-1]["text"]
    assert last_text.endswith(f": {sum(counts):,} blocks"), (last_text, texts)
    for had in ("", "1", "-", "1-2-3", "5-x", "0-5000"):
        assert fleet.ask(f"/v1/traces/{stream}/{first}-{last}?had={had}", TOKEN)[0] == 400, had


def test_doors(fleet, moment):
    stream, block, _ = moment.split("-")
    path = f"/v1/traces/{stream}/{max(int(block) - 1, 0)}-{block}"
    status, trace, gone = fleet.ask(path, TOKEN)
    assert status == 200 and gone is None and trace[:8] == b"\x89PTRACE\n", (status, trace[:99])
    assert fleet.ask(path)[0] == 401
    for token in ("", TOKEN[:-1], TOKEN + "0", TOKEN[:-1] + "e"):
        assert fleet.ask(path, token)[0] == 401, token
    for wrong in ("", "/", "/../../../etc/passwd", f"/{stream}", f"/{stream}/1", f"/{stream}/2-1",
                  f"/{stream}/0-1024", f"/{stream}/-1-3", f"/{stream}/1-99999999999999999999",
                  f"/{stream[:-1]}/1-2", f"/{stream}/1-2/", f"/{stream}/../1-2"):
        assert fleet.ask(f"/v1/traces/{wrong.lstrip('/')}", TOKEN)[0] == 400, wrong
    status, said, _ = fleet.ask("/v1/traces/00000000000000aa/1-2", TOKEN)
    assert status == 404 and b"no other of that stream" in said, said
    status, said, _ = fleet.ask(f"/v1/traces/{stream}/9000000-9000001", TOKEN)
    assert status == 404 and b"the nearest is " in said, said
    assert fleet.ask("/v1/traces")[0] == 404 and fleet.ask("/metrics")[0] == 200


def test_refusals(fleet, moment):
    kept = fleet.folder / "kept.ptrace"
    kept.write_text("mine")
    assert "exists already" in fleet.get(moment, kept, *fleet.edge(), code=1).stderr
    assert kept.read_text() == "mine"
    readable = fleet.folder / "readable"
    readable.write_text(TOKEN)
    readable.chmod(0o644)
    edge = fleet.edge()[:2]
    for words, code, part in (
            ([*edge, "--token-file", readable], 1, "mode 0600"),
            (["--edge", "http://127.0.0.1:1", "--token-file", fleet.token], 1, "127.0.0.1:1"),
            (["--folder", fleet.folder / "nowhere"], 1, "no folder of a collector"),
            ([], 2, "--token-file"), ([*fleet.edge(), "--folder", fleet.folder], 2, "--folder")):
        stderr = fleet.get(moment, "none.ptrace", *words, code=code).stderr
        assert part in stderr and TOKEN not in stderr, stderr
    other = fleet.folder / "other"
    other.write_text(TOKEN[::-1])
    other.chmod(0o600)
    assert "401" in fleet.get(moment, "none.ptrace", *edge, "--token-file", other, code=1).stderr
    assert "is no moment" in fleet.get("1-2-3", "none.ptrace", *fleet.edge(), code=2).stderr
    unknown = moment.rsplit("-", 1)[0] + "-5"
    assert "has no moment" in fleet.get(unknown, "none.ptrace", *fleet.edge(), code=2).stderr
    assert not (fleet.folder / "none.ptrace").exists()
    assert not list(fleet.folder.glob("*none*"))


def test_without_token(fleet, moment):
    """Nobody is answered, whatever they show; everything else goes on."""
    config = fleet.collector.file
    text = config.read_text()
    config.write_text(text.replace(f'token_file = "{fleet.token}"\n', ""))
    assert fleet.collector.end() == 0
    fleet.collector.start()
    stream, block, _ = moment.split("-")
    for token in (None, "", TOKEN):
        assert fleet.ask(f"/v1/traces/{stream}/{block}-{block}", token)[0] == 403, token
    assert fleet.ask("/healthz")[0] == 200
    assert "403" in fleet.get(moment, "none.ptrace", *fleet.edge(), code=1).stderr
    # A token file that others can read is none.
    assert fleet.collector.end() == 0
    Path(fleet.token).chmod(0o640)
    config.write_text(text)
    done = subprocess.run([POLYTRACE, "collect", "--config", config], capture_output=True,
                          text=True, timeout=collect.HANGS, check=False)
    assert done.returncode == 1 and "mode 0600" in done.stderr, done
    assert TOKEN not in done.stderr


def main():
    with tempfile.TemporaryDirectory(prefix="polytrace-moments-") as folder, \
            clickhouse.Server() as server:
        (Path(folder) / "programs").mkdir()
        programs = counting.Programs(Path(folder) / "programs", with_numbers(JAVA),
                                     with_numbers(CSHARP))
        if not programs.names:
            print("no runtime whose agent can be loaded here")
            sys.exit(77)
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/fleet"],
                       check=True, stdout=subprocess.DEVNULL)
        token = Path(folder) / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        collector = collect.Collector(folder, server.url)
        collector.file.write_text(collector.file.read_text() + f'token_file = "{token}"\n')
        fleet = Fleet(folder, server, collector, str(token))
        try:
            collector.start()
            moment = None
            for name in programs.names:
                begin = time.monotonic()
                moment = test_slow_call(fleet, programs, name)
                print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
            test_doors(fleet, moment)
            test_refusals(fleet, moment)
            assert TOKEN not in collector.words()
            test_without_token(fleet, moment)
        finally:
            collector.kill()


if __name__ == "__main__":
    main()
