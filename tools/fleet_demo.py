#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small fleet to try out, on this machine alone: a store, a collector, and the shop of
examples/shop as some processes of two versions. The second version has a fault; the questions that
find it are asked, and the commands that lead to one exact slow call are run.

usage: fleet_demo.py [--processes N] [--days N]     with the program in $POLYTRACE

All of it lies in a folder of its own and listens on 127.0.0.1 or in that folder. It ends by itself,
also on Ctrl-C; nothing is left. Where something that it needs is not here it says what, and ends
with 77.
"""
import argparse
import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/fleet/support"))
import clickhouse  # noqa: E402

POLYTRACE = Path(os.environ["POLYTRACE"]).resolve()
AGENT = POLYTRACE.parent / "libpolytrace-jvm.so"
AT_ONCE = 2       # processes that run
PATIENCE = 300    # seconds: what takes longer hangs
SIGNS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
FIRST_LINES = 14  # of an answer
DIFF = ["diff", "--base", "version=1", "--where", "version=2"]
SLOWEST = ["moments", "--kind", "call", "--method", "Catalog.find", "--where", "version=2"]
REPAIR = "if (Shop.repaired) return byName.get(wanted);"  # in Catalog.find
# Calls of the shop's own classes.
FILTER = "".join(f",filter={path.stem}"
                 for path in sorted((ROOT / "examples/shop/java").glob("*.java")))


def say(text):
    print(text, flush=True)


def wait_for(what, true):
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise RuntimeError(f"waited in vain for {what}")
        time.sleep(0.1)


class Demo:
    def __init__(self, folder, store):
        self.folder = Path(folder)
        self.children = []
        self.environment = dict(os.environ, POLYTRACE_STORE=f"{store}/demo", NO_COLOR="1",
                                POLYTRACE_CACHE=f"{folder}/cache")

    def start(self, words, **streams):
        """A child in a session of its own: Ctrl-C is ours to hand on."""
        # Interrupted between the two, it would be a child that nobody ends.
        open_signs = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNS)
        try:
            child = subprocess.Popen([str(word) for word in words], cwd=self.folder,
                                     stdin=subprocess.DEVNULL, start_new_session=True,
                                     env=self.environment, preexec_fn=lambda:
                                     signal.pthread_sigmask(signal.SIG_SETMASK, open_signs),
                                     **streams)
            self.children.append(child)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, open_signs)
        return child

    def end(self):
        for child in reversed(self.children):
            if child.poll() is None:
                child.kill()
            child.wait()

    def ask(self, *words):
        """Runs polytrace and gives what it answers as JSON."""
        done = subprocess.run([POLYTRACE, *words, "--json"], cwd=self.folder, check=True,
                              env=self.environment, stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    def tables(self, *question):
        """The rows of the first table of an answer."""
        return self.ask("fleet", *question)["tables"][0]["rows"]

    def show(self, command):
        """Runs a command line as somebody would type it, and shows how its answer begins."""
        say(f"\n$ {command}")
        words = shlex.split(command)
        done = subprocess.run([POLYTRACE, *words[1:]], cwd=self.folder, check=True, text=True,
                              env=self.environment, stdout=subprocess.PIPE)
        lines = done.stdout.splitlines()
        for line in lines[:FIRST_LINES]:
            say(line)
        if len(lines) > FIRST_LINES:
            say(f"... {len(lines) - FIRST_LINES} more lines")
        return done.stdout

    def collect(self):
        token = self.folder / "token"
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        self.log = self.folder / "collect.log"
        self.start([POLYTRACE, "collect", "--to", self.environment["POLYTRACE_STORE"], "--socket",
                    self.folder / "run/collect.sock", "--folder", self.folder / "state", "--port",
                    0, "--token-file", token, "--json"], stdout=self.log.open("wb"))
        wait_for("the collector", lambda: self.told("started"))
        self.port = int(self.told("started")[0]["text"].split("127.0.0.1:")[1].split("/")[0])

    def told(self, what):
        lines = self.log.read_text("utf-8").split("\n")[:-1]
        return [event for event in map(json.loads, lines) if event["what"] == what]

    def figure(self, name):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        text = opener.open(f"http://127.0.0.1:{self.port}/metrics", timeout=PATIENCE).read()
        return next(int(line.rsplit(" ", 1)[1]) for line in text.decode().splitlines()
                    if line.startswith(f"polytrace_{name} "))

    def shop(self, number, version, days):
        options = (f"file={self.folder}/shop-{number}.ptrace,control=none,"
                   f"connect={self.folder}/run/collect.sock,drain=60s,events=calls+gc+exceptions,"
                   f"label=service:shop,label=version:{version}{FILTER}")
        return self.start(["java", "-XX:TieredStopAtLevel=1", f"-agentpath:{AGENT}={options}",
                           "-cp", self.folder / f"classes-{version}", "Shop", days, "repaired"],
                          stdout=subprocess.DEVNULL)

    def compile(self):
        """The shop without its faults; of version 2 one is back."""
        for version in (1, 2):
            sources = self.folder / f"sources-{version}"
            shutil.copytree(ROOT / "examples/shop/java", sources)
            if version == 2:
                catalog = sources / "Catalog.java"
                text = catalog.read_text("utf-8")
                assert REPAIR in text
                catalog.write_text(text.replace(REPAIR, ""), "utf-8")
            subprocess.run(["javac", "-d", self.folder / f"classes-{version}",
                            *sorted(sources.glob("*.java"))], check=True)

    def record(self, processes, days):
        """Half of them are of each version; a few at once."""
        waiting = [(number, 1 + number % 2) for number in range(processes)]
        running = []
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                running.append(self.shop(*waiting.pop(0), days))
            for one in [one for one in running if one.poll() is not None]:
                if one.returncode != 0:
                    raise RuntimeError(f"a shop ended with {one.returncode}")
                running.remove(one)
            time.sleep(0.05)
        wait_for("the ends of all streams", lambda: len(self.told("ended")) >= processes)
        wait_for("the store", lambda: self.tables(*DIFF) and
                 len([row for row in self.tables("series") if row["events"]]) == processes)


def play(demo, processes, days):
    say("starting a collector")
    demo.collect()
    say(f"recording {processes} processes of the shop, versions 1 and 2, {AT_ONCE} at a time")
    begin = time.monotonic()
    demo.record(processes, days)
    say(f"recorded in {time.monotonic() - begin:.0f} s: {demo.figure('events_total')} events "
        f"became {demo.figure('rows_total')} rows")
    say("\nVersion 2 has a fault: Catalog.find asks similarity() of every article.\n"
        "What got slower?")
    demo.show(f"polytrace fleet {shlex.join(DIFF)} --limit 3")
    worst = demo.tables(*DIFF)[0]["method"]
    say(f"\nThe first line is {worst}. Its caller's slowest calls, and one of them exactly:")
    demo.show(f"polytrace fleet {shlex.join(SLOWEST)} --limit 3")
    slowest = demo.tables(*SLOWEST)[0]
    get = (f"polytrace fleet get {slowest['moment']} --edge http://127.0.0.1:{demo.port} "
           f"--token-file token -o slow.ptrace")
    shown = demo.show(get)
    for command in (line.strip() for line in shown.splitlines() if line.startswith("  polytrace")):
        demo.show(command)
    return 0 if "similarity" in worst or "find" in worst else 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--days", type=int, default=3)
    options = parser.parse_args()
    for program in ("java", "javac"):
        if not shutil.which(program):
            say(f"no {program} here: ./dev setup live installs it")
            return 77
    if not AGENT.is_file():
        say(f"no agent here: {AGENT}")
        return 77
    for sign in SIGNS - {signal.SIGINT}:
        signal.signal(sign, lambda *_: sys.exit(130))
    say("starting a store")
    with clickhouse.Server() as server, \
            tempfile.TemporaryDirectory(prefix="polytrace-demo-") as folder:
        demo = Demo(folder, server.url)
        try:
            demo.compile()
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply"], check=True,
                           env=demo.environment, stdout=subprocess.DEVNULL)
            return play(demo, options.processes, options.days)
        finally:
            demo.end()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nstopped; nothing is left", file=sys.stderr)
        sys.exit(130)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as fault:
        sys.exit(f"fleet demo: {fault}")
