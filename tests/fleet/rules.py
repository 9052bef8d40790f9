#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules keep what matters: a real program waits once for long, the collector keeps the blocks
around that, as an object in a folder or in S3 (which checks signatures itself), through kill -9, a
store of objects that is away, and a disk without room. What is kept is held against the whole
stream, and that against what the program itself counted."""
import collections
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import collect  # noqa: E402
import counting  # noqa: E402
import s3  # noqa: E402
from json_schemas import fits  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
TOKEN = "fedcba9876543210" * 4
WAIT = 2000  # milliseconds that a lock is held: enough for who comes late to wait for it

# Word: the file that ends it. Two threads want one lock, once for long.
JAVA = """
public class Counts {
  static final Object lock = new Object();
  static volatile long leaves;
  static volatile boolean held;
  static void leaf() { leaves++; }
  static void turn() throws Exception {
    for (int i = 0; i < 20; i++) leaf();
    Thread.sleep(20); }  // wait: pace of its work
  static void hold() {
    synchronized (lock) { held = true;
      try { Thread.sleep(WAIT); } catch (InterruptedException e) { } } }  // wait: for a lock
  static long want() { long begin = System.nanoTime();
    synchronized (lock) { return System.nanoTime() - begin; } }
  public static void main(String[] words) throws Exception {
    java.io.File end = new java.io.File(words[words.length - 1]);
    long until = System.currentTimeMillis() + 3000;
    while (System.currentTimeMillis() < until) turn();
    Thread other = new Thread(Counts::hold);
    other.start();
    while (!held) Thread.sleep(1);  // wait: for a state
    long waited = want();
    other.join();
    while (!end.exists()) turn();
    System.out.println("waited " + waited + " leaf " + leaves);
  }
}
""".replace("WAIT", str(WAIT))
RULE = """
[[rule]]
name = "{name}"
when = "wait_ns > 200ms"
do = "keep {keep}s"
per_hour = {per_hour}
"""


class Programs(counting.Programs):
    def make_mono(self):
        return "one runtime is enough here"

    make_dotnet = make_mono

    def begin(self, socket):
        """With waits for locks; ends when it is told."""
        self.number += 1
        sign = self.folder / f"end-{self.number}"
        options = (f"file={self.folder}/own-{self.number}.ptrace,control=none,connect={socket},"
                   "drain=20s,events=calls+threads+monitors,filter=Counts,"
                   "jvm.accessors=yes")
        return counting.Program(["java", f"-agentpath:{self.jvm}={options}", "-cp", self.folder,
                                 "Counts", sign], {}, self.folder, sign)


class Fleet:
    def __init__(self, folder, server, objects, more="", pinned="1g", keep=8, per_hour=2):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.database = self.folder.name.replace("-", "_")
        self.server, self.objects, self.more = server, objects, more
        self.store = f"{server.url}/{self.database}"
        token = self.folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        self.token = str(token)
        self.collector = collect.Collector(self.folder, server.url)
        text = self.collector.file.read_text().replace("/fleet\"", f"/{self.database}\"")
        text = text.replace("[store]", f'pinned = "{pinned}"\n[store]')
        text += f'token_file = "{token}"\n'
        if objects:
            text += f'[objects]\nto = "{objects}"\n{more}'
        self.collector.file.write_text(
            text + RULE.format(name="long wait", keep=keep, per_hour=per_hour))
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", self.store],
                       check=True, stdout=subprocess.DEVNULL)

    def run(self, *words, code=0):
        done = subprocess.run([POLYTRACE, *map(str, words)], cwd=self.folder, capture_output=True,
                              env=dict(os.environ, POLYTRACE_CACHE=f"{self.folder}/cache"),
                              text=True, timeout=collect.HANGS, check=False)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done

    def rows(self, command, *words):
        told = json.loads(self.run("fleet", command, *words, "--store", self.store,
                                   "--json").stdout)
        fits(told, "fleet.json", f"fleet {command}")
        return told["tables"][0]["rows"]

    def traces(self):
        return self.rows("traces", "--last", "1h")

    def get(self, moment, file, *where, code=0):
        return self.run("fleet", "get", moment, "-f", "-o", file, "--store", self.store, *where,
                        code=code)

    def edge(self):
        return ["--edge", f"http://127.0.0.1:{self.collector.port}", "--token-file", self.token]

    def pins(self):
        return list((self.folder / "state/pinned").glob("*"))


def events_of(fleet, file, *words):
    """Time, thread, kind and method of what happened; times of the wall."""
    lines = fleet.run("cat", "--jsonl", "--kind", "clock,enter,leave,unwind", file,
                      *words).stdout.splitlines()
    zero, all_of = None, []
    for event in map(json.loads, lines):
        if event["kind"] == "clock":
            zero = int(event["wall"]) - int(event["time"]) if zero is None else zero
        else:
            all_of.append((int(event["time"]) + zero, event["thread"], event["kind"],
                           event["method"]))
    return sorted(all_of)


def run_program(fleet, programs):
    """Until the rule has seen the wait."""
    program = programs.begin(fleet.collector.socket)
    collect.wait_for("the rule", lambda: any("long wait" in event["text"]
                                             for event in fleet.collector.told("rule")))
    return program


def end_of(fleet, program):
    program.end()
    counts = program.counts()
    who = f" {program.process.pid}"
    collect.wait_for("the end of its stream", lambda: any(
        who in event["who"] for event in fleet.collector.told("ended")))
    return counts


def whole_stream(fleet, row, counts):
    """All its events, as the ring has them: as many calls as the program counted."""
    file = fleet.folder / "whole.ptrace"
    stream = row["place"].split("/")[3]
    file.write_bytes(ask(fleet, f"/v1/traces/{stream}/0-1023"))
    own = events_of(fleet, file)
    calls = collections.Counter(event[3] for event in own if event[2] == "enter")
    assert calls.most_common(1)[0][1] == counts["leaf"], (calls, counts)
    return own


def check_kept(fleet, counts, row, where):
    """What was kept is what the stream has of that time, and the moment is in it."""
    assert row["why"] == "long wait", row
    def ask_moments():
        return fleet.rows("moments", "--kind", "lock", "--last", "1h")
    collect.wait_for("the moment", ask_moments)  # its rows may come behind those of traces
    moments = ask_moments()
    # Within what the program measured around it, which on a busy machine is more.
    took, waited = moments[0]["took"], counts["waited"]
    assert waited // 2 <= took <= waited + waited // 10, (took, waited)
    done = json.loads(fleet.get(moments[0]["moment"], "kept.ptrace", *where, "--json").stdout)
    fits(done, "fleet-get.json", "fleet get")
    assert done["begins"] and "of stream" in done["note"], done
    file = fleet.folder / "kept.ptrace"
    kept, own = events_of(fleet, file), whole_stream(fleet, row, counts)
    assert kept and set(kept) <= set(own), (len(kept), len(own))
    # Exactly the window: its 10 s, and half of what the rule says before and behind.
    begin = done_window(moments[0]) - 4_000_000_000
    end = begin + 18_000_000_000
    inside = [event for event in own if begin <= event[0] < end]
    missing = set(inside) - set(kept)
    assert not missing, (len(missing), len(inside), min(missing), begin, end)
    # Blocks are whole: what is beside is no more than they have, some seconds of them.
    assert all(begin - 6_000_000_000 <= event[0] < end + 8_000_000_000 for event in kept)
    assert row["events"] >= len(kept), (len(kept), row)
    return file


def done_window(moment):
    """The window of 10 s in which the wait ended."""
    stream, block, at = moment["moment"].split("-")
    return (int(at) + moment["took"]) // 10_000_000_000 * 10_000_000_000


def test_folder(folder, server, programs):
    """Kept in a folder, in the tenant's part of it; the same from there as from the collector."""
    place = Path(folder) / "objects"
    place.mkdir(mode=0o700)
    fleet = Fleet(f"{folder}/of-folder", server, f"folder:{place}")
    fleet.collector.start()
    try:
        program = run_program(fleet, programs)
        counts = end_of(fleet, program)
        collect.wait_for("an object", lambda: fleet.collector.figure("objects_total") == 1)
        collect.wait_for("its row", lambda: any("ptrace.zst" in row["place"]
                                                for row in fleet.traces()))
        rows = fleet.traces()
        assert len(rows) == 1, rows
        file = place / rows[0]["place"]
        parts = rows[0]["place"].split("/")
        assert parts[0] == "default" and len(parts) == 5 and file.is_file(), rows
        assert file.stat().st_mode & 0o777 == 0o600, file
        assert all(path.stat().st_mode & 0o777 == 0o700 for path in file.parents
                   if place in path.parents), file
        where = ["--objects", f"folder:{place}"]
        kept = check_kept(fleet, counts, rows[0], where)
        assert kept.stat().st_size == rows[0]["bytes"], rows
        unpacked = subprocess.run(["zstd", "-dcq", file], capture_output=True, check=True).stdout
        assert unpacked == kept.read_bytes()
        # The collector gives the same for these blocks.
        stream = parts[3]
        first, last = parts[4].split(".")[0].split("-")
        from_edge = ask(fleet, f"/v1/traces/{stream}/{first}-{last}")
        (fleet.folder / "edge.ptrace").write_bytes(from_edge)
        assert from_edge == unpacked
        collect.wait_for("no links", lambda: not fleet.pins())
        check_damage(fleet, file, where)
        check_prune(fleet, file, where)
    finally:
        fleet.collector.kill()


def ask(fleet, path):
    asked = urllib.request.Request(f"http://127.0.0.1:{fleet.collector.port}{path}",
                                   headers={"Authorization": f"Bearer {TOKEN}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(asked, timeout=collect.HANGS) as answer:
        return answer.read()


def check_damage(fleet, file, where):
    """A byte of an object changes: it is told, not believed; the collector has it still."""
    moment = fleet.rows("moments", "--kind", "lock", "--last", "1h")[0]["moment"]
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    good = file.read_bytes()
    file.write_bytes(data)
    assert "not those that were kept" in fleet.get(moment, "x.ptrace", *where, code=4).stderr
    fleet.get(moment, "x.ptrace", *where, *fleet.edge())
    file.unlink()
    assert file.name in fleet.get(moment, "x.ptrace", *where, code=1).stderr
    assert "--objects" in fleet.get(moment, "x.ptrace", code=2).stderr
    file.write_bytes(good)


def check_prune(fleet, file, where):
    """Objects go with the rows that tell of them."""
    words = ["fleet", "prune", "--store", fleet.store, "--keep", "traces=1s", "--dry-run", "--json"]
    told = json.loads(fleet.run(*words, *where).stdout)
    fits(told, "fleet-operation.json", "fleet prune")
    assert told["figures"]["objects_removed"] == 0 and file.exists(), told  # the day is not over
    old = int(time.time()) - 40 * 86400
    fleet.server.ask(
        f"INSERT INTO {fleet.database}.traces SELECT series, stream, first_block, last_block, "
        f"toDateTime({old}), first_ns, last_ns, events, bytes, lost, why, place, digest, version "
        f"FROM {fleet.database}.traces")
    words = ["fleet", "prune", "--store", fleet.store, "--json", "--force"]
    left = json.loads(fleet.run(*words, "--dry-run").stdout)
    assert any("--objects" in note for note in left["notes"]), left
    told = json.loads(fleet.run(*words, *where).stdout)
    assert told["figures"]["objects_removed"] == 1 and not file.exists(), told
    assert not file.parents[2].exists(), file  # nor empty folders


def test_s3(folder, server, programs):
    """S3 is away at first; the collector is killed between holding and writing; a wrong key is
    told."""
    bucket = s3.S3(f"{folder}/bucket")
    key = bucket.key_file(f"{folder}/key")
    more = f'region = "{bucket.region}"\nkey_file = "{key}"\n'
    fleet = Fleet(f"{folder}/of-s3", server, bucket.place, more)
    bucket.away = True
    fleet.collector.start()
    try:
        program = run_program(fleet, programs)
        # It is whole once the stream has passed it, not at the program's end.
        collect.wait_for("a refused try", lambda: any(
            status == 503 for _, _, status in bucket.asked))
        counts = end_of(fleet, program)
        assert fleet.pins() and not bucket.names()
        fleet.collector.kill()
        assert fleet.pins()
        bucket.key_file(key, "wrong")
        bucket.away = False
        fleet.collector.start()
        collect.wait_for("a wrong key", lambda: any(
            "403 SignatureDoesNotMatch" in event["text"]
            for event in fleet.collector.told("rule")))
        assert fleet.collector.get("/healthz")[0] == 200 and not bucket.names()
        fleet.collector.kill()
        bucket.key_file(key)
        fleet.collector.start()
        collect.wait_for("an object", lambda: len(bucket.names()) == 1)
        collect.wait_for("its row", lambda: [row["place"] for row in fleet.traces()]
                         == bucket.names())
        where = ["--objects", bucket.place, "--objects-key", key, "--objects-region",
                 bucket.region]
        check_kept(fleet, counts, fleet.traces()[0], where)
        collect.wait_for("no links", lambda: not fleet.pins())
        assert s3.SECRET not in fleet.collector.words()
        told = fleet.get(fleet.rows("moments", "--kind", "lock", "--last", "1h")[0]["moment"],
                         "x.ptrace", *where[:2], "--objects-key", key, code=1).stderr
        assert "403" in told and s3.SECRET not in told, told
        # A restart makes nothing twice.
        puts = sum(method == "PUT" and status == 200 for method, _, status in bucket.asked)
        assert fleet.collector.end() == 0
        fleet.collector.start()
        assert fleet.collector.end() == 0
        assert puts == sum(method == "PUT" and status == 200 for method, _, status in bucket.asked)
    finally:
        fleet.collector.kill()
        bucket.end()


def test_no_room(folder, server, programs):
    """Not one file of the spool may be held: nothing is kept, it is counted, and `fleet traces`
    says so; the sums are right all the same."""
    fleet = Fleet(f"{folder}/no-room", server, None, pinned="1k")
    fleet.collector.start()
    try:
        program = programs.begin(fleet.collector.socket)
        collect.wait_for("a refusal", lambda: fleet.collector.figure("windows_refused_total") >= 1)
        counts = end_of(fleet, program)
        collect.wait_for("its row", fleet.traces)
        row = fleet.traces()[0]
        assert row["place"].startswith("nowhere: more than ") and row["why"] == "long wait", row
        assert not fleet.pins() and fleet.collector.figure("windows_kept_total") == 0
        collect.wait_for("all its calls", lambda: [
            row["calls"] for row in fleet.rows("methods", "--last", "1h")
            if "leaf" in row["method"]] == [counts["leaf"]])
    finally:
        fleet.collector.kill()


def test_edge_keeps(folder, server, programs):
    """Without objects the blocks stay with the collector, and the store says with which."""
    fleet = Fleet(f"{folder}/of-edge", server, None)
    fleet.collector.start()
    try:
        program = run_program(fleet, programs)
        end_of(fleet, program)
        collect.wait_for("its row", lambda: any(row["place"].startswith("edge:")
                                                for row in fleet.traces()))
        assert fleet.pins(), "nothing is held"
        assert fleet.collector.end() == 0
        # The ring has dropped everything.
        for file in (fleet.folder / "state/raw").glob("spool-*"):
            file.unlink()
        fleet.collector.start()
        row = fleet.traces()[0]
        moment = fleet.rows("moments", "--kind", "lock", "--last", "1h")[0]
        fleet.get(moment["moment"], "edge.ptrace", *fleet.edge())
        assert (fleet.folder / "edge.ptrace").stat().st_size > 0
        assert row["why"] == "long wait" and row["place"].startswith("edge:"), row
    finally:
        fleet.collector.kill()


def test_wrong_rules(folder):
    """Told with line and cause before anything begins."""
    for text, part in (
            ('name="a"\nwhen="pause_mx_ns > 5ms"\ndo="keep 60s"', 'mean "pause_max_ns"'),
            ('name="a"\nwhen="pause_max_ns > 5"\ndo="keep 60s"', "a time such as"),
            ('name="a"\nwhen="pause_max_ns"\ndo="keep 60s"', "no comparison"),
            ('name="a"\nwhen="waits > 5"\ndo="drop"', "keep TIME"),
            ('name="a"\nwhen="waits > 5"\ndo="keep 60s"\nper_our=3', 'no key "rule.per_our"')):
        file = Path(folder) / "wrong.toml"
        file.write_text(f"[[rule]]\n{text}\n")
        done = subprocess.run([POLYTRACE, "collect", "--check", "--config", file],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2 and part in done.stderr, (text, done.stderr)
        assert "wrong.toml:" in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory(prefix="polytrace-rules-") as folder:
        test_wrong_rules(folder)
        with clickhouse.Server() as server:
            (Path(folder) / "programs").mkdir()
            programs = Programs(Path(folder) / "programs", JAVA)
            if "java" not in programs.names:
                print("no JVM whose agent can be loaded here")
                sys.exit(77)
            for test in (test_folder, test_s3, test_no_room, test_edge_keeps):
                begin = time.monotonic()
                test(folder, server, programs)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
