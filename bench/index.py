# SPDX-License-Identifier: Apache-2.0
"""Making an index and asking it, beside reading the trace, a streaming report and a database.

usage: index.py POLYTRACE BENCH_INDEX FOLDER RUNS
       index.py --huge BENCH_INDEX_HUGE FOLDER MILLIONS
Prints medians of runs in turn; building and reading are on one core.
"""
import importlib.util
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

from measure import bound, run, show

# Trace: events a second at least, of what reading alone reaches (None: an absolute figure counts),
# and bytes an event at most.
SHAPES = {"calls": (30e6, None, 1.5), "deep": (10e6, None, 3.5), "objects": (None, None, 8),
          "calls.trcbin": (None, 0.8, 8), "calls.trcxml": (None, 0.8, 8),
          "large": (30e6, None, 1.5)}
QUESTIONS = 200
RANGE_MS = {"calls": 5, "large": 5, "deep": 500}


def told(command, cores=None):
    keep = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=keep)
    return {name: float(value) for name, value in
            (line.rsplit(" ", 1) for line in done.stdout.splitlines())}


def medians(runs):
    return {name: statistics.median(one[name] for one in runs) for name in runs[0]}


def at_most(what, value, most, form="{:.2f}"):
    bound(what, value, f"<= {most}" if most else "", form)


def two_at_once(bench, trace, index):
    """How long both take, each on a core of its own: what two cores of this machine are worth."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    began = time.monotonic()
    builds = [subprocess.Popen([bench, "build", trace, f"{index}.{core}", "0"],
                               stdout=subprocess.DEVNULL,
                               preexec_fn=lambda core=core: os.sched_setaffinity(0, {core}))
              for core in cores]
    codes = [one.wait() for one in builds]
    took = time.monotonic() - began
    for core in cores:
        os.remove(f"{index}.{core}")
    assert codes == [0, 0], codes
    return took


def build(bench, trace, index, runs, name):
    one = {min(os.sched_getaffinity(0))}
    pairs = [(told([bench, "build", trace, index, "0"], one), told([bench, "read", trace], one),
              told([bench, "build", trace, index, "1"])) for _ in range(runs)]
    built, read, both = (medians([pair[i] for pair in pairs]) for i in range(3))
    rate, share, most_bytes = SHAPES[name]
    speed = built["events"] / built["cpu"]
    bound(f"{name}: indexed, M events/s", speed / 1e6, f">= {rate / 1e6:.0f}" if rate else "",
          "{:.1f}")
    part = read["cpu"] / built["cpu"]
    bound(f"{name}: of the speed of reading", part, f">= {share}" if share else "")
    times = statistics.median(a["wall"] / c["wall"] for a, _, c in pairs)
    wants = name in ("calls", "large")
    alone = statistics.median(2 * a["wall"] / two_at_once(bench, trace, index)
                              for a, _, _ in pairs)
    show(f"{name}: two builds that share nothing, of one", f"{alone:.2f}")
    bound(f"{name}: faster with two threads", times, ">= 1.7" if wants else "")
    at_most(f"{name}: bytes an event", built["bytes"] / built["events"], most_bytes)
    at_most(f"{name}: memory, MiB", built["mebibytes"], 256, "{:.0f}")
    return built


def ask(tool, bench, trace, index, runs, name):
    opened = medians([told([bench, "open", index]) for _ in range(runs)])
    at_most(f"{name}: opened, ms", opened["open ms"], 100)
    at_most(f"{name}: opened, whole profile, ms", opened["open and profile ms"], None)
    asked = medians([told([bench, "ask", index, str(QUESTIONS)]) for _ in range(runs)])
    for figure, most in (("methods of a range median ms", None),
                         ("methods of a range p95 ms", RANGE_MS.get(name)),
                         ("stack at a moment median ms", 0.2), ("stack at a moment p95 ms", None)):
        at_most(f"{name}: {figure.replace(' ms', ', ms')}", asked[figure], most, "{:.3f}")
    speed = asked["events read, M/s"]
    bound(f"{name}: all events read, M/s", speed, ">= 20", "{:.1f}")
    folder = index + ".folder"
    run([tool, "index", "build", "--no-progress", "--index", folder, trace])
    for sections in "calls", "tree":
        for what, used in (("streaming", ["--no-index"]), ("indexed", ["--index", folder])):
            took = statistics.median(
                run([tool, "report", "--no-progress", "--sections", sections, "--from", "40%",
                     "--to", "60%", *used, trace])["wall"] for _ in range(runs))
            show(f"{name}: {what} report of {sections} of a range, ms", f"{took * 1000:.0f}")
    shutil.rmtree(folder)


QUESTION = """SELECT method, count(*), sum(min(stop, ?2) - max(start, ?1)) FROM calls
WHERE start < ?2 AND stop >= ?1 GROUP BY method"""


def database(bench, trace, folder):
    """The same calls as rows with an index on their starts."""
    path = os.path.join(folder, "calls.sqlite")
    if os.path.exists(path):
        os.remove(path)
    lines = subprocess.run([bench, "calls", trace], capture_output=True, text=True, check=True)
    rows = [tuple(map(int, line.split(","))) for line in lines.stdout.splitlines()]
    began = time.process_time()
    data = sqlite3.connect(path)
    data.execute("CREATE TABLE calls(thread, method, start, stop, own)")
    data.executemany("INSERT INTO calls VALUES(?, ?, ?, ?, ?)", rows)
    data.execute("CREATE INDEX by_start ON calls(start, stop, method)")
    data.commit()
    took = time.process_time() - began
    first, last = min(row[2] for row in rows), max(row[3] for row in rows)
    stretch = (first + (last - first) * 2 // 5, first + (last - first) * 3 // 5)
    began = time.monotonic()
    data.execute(QUESTION, stretch).fetchall()
    asked = time.monotonic() - began
    show("fewer: SQLite, M events/s", f"{2 * len(rows) / took / 1e6:.1f}")
    show("fewer: SQLite, bytes an event", f"{os.path.getsize(path) / 2 / len(rows):.1f}")
    show("fewer: SQLite, methods of a range, ms", f"{asked * 1000:.0f}")
    if importlib.util.find_spec("duckdb") is None:
        print("(DuckDB is not installed)")
        return
    import duckdb  # pylint: disable=import-error,import-outside-toplevel
    duck = duckdb.connect(config={"threads": 1})
    duck.execute(f"ATTACH '{path}' AS file (TYPE sqlite); CREATE TABLE calls AS FROM file.calls")
    began = time.monotonic()
    duck.execute(QUESTION.replace("min(", "least(").replace("max(", "greatest("),
                 stretch).fetchall()
    show("fewer: DuckDB in memory, methods of a range, ms",
         f"{(time.monotonic() - began) * 1000:.0f}")


def huge(bench, folder, millions):
    """A trace that is made while it is indexed, by a rule that gives its figures, too."""
    index = os.path.join(folder, "huge.pti")
    try:
        made = told([bench, index, millions, "1"])
    finally:
        for path in (index, index + ".new"):
            if os.path.exists(path):
                os.remove(path)
    show("one run", "figure", "target")
    speed = made["events"] / made["cpu"]
    show("huge: events, M", f"{made['events'] / 1e6:.0f}")
    bound("huge: indexed, M events/s of CPU", speed / 1e6, ">= 30", "{:.1f}")
    at_most("huge: bytes an event", made["bytes"] / made["events"], 1.5)
    at_most("huge: memory, MiB", made["mebibytes"], 256, "{:.0f}")
    at_most("huge: opened, ms", made["open ms"], 300)
    at_most("huge: wrong answers of 400", made["wrong answers"], 0.5, "{:.0f}")
    for what, most in (("methods of a range", 5), ("500 buckets of a thread", 5),
                       ("500 buckets of activity", 5)):
        at_most(f"huge: {what}, median ms", made[what + " median ms"], None, "{:.3f}")
        at_most(f"huge: {what}, p95 ms", made[what + " p95 ms"], most, "{:.3f}")


def main():
    if sys.argv[1] == "--huge":
        huge(*sys.argv[2:5])
        return
    tool, bench, folder, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    show(f"medians of {runs} runs", "figure", "target")
    for name in SHAPES:
        trace = os.path.join(folder, name if "." in name else name + ".mlpd")
        if not os.path.exists(trace):
            continue
        index = os.path.join(folder, name + ".pti")
        build(bench, trace, index, runs, name)
        if name in RANGE_MS:
            ask(tool, bench, trace, index, runs, name)
        os.remove(index)
    database(bench, os.path.join(folder, "fewer.mlpd"), folder)


if __name__ == "__main__":
    main()
