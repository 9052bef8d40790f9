#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The questions of docs/guide.md, each by its one command, on recordings of the shop in Java, Mono
and .NET: the answer stands on the first screen of a terminal of 80 columns and 24 lines, and is
what the program itself says or what a replay of its events gives."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/cli/support"))
from pseudo_terminal import on_terminal  # noqa: E402 pylint: disable=wrong-import-position

POLYTRACE = Path(os.environ["POLYTRACE"]).resolve()
DAYS, CUSTOMERS, ORDERS, ARTICLES = 12, 4, 10, 400  # of the shop: see its sources
COLUMNS, LINES = 80, 24
EVENTS = "calls,threads,gc,monitors,exceptions,alloc=sites"


def java(folder):
    if not shutil.which("javac"):
        return None
    subprocess.run(["javac", "-d", folder, *sorted((ROOT / "examples/shop/java").glob("*.java"))],
                   check=True)
    return ["java", "-cp", folder, "Shop"], ["--option", "heapdump=end"]


def mono(folder):
    if not shutil.which("mcs") or not shutil.which("mono"):
        return None
    subprocess.run(["mcs", "-optimize+", *sorted((ROOT / "examples/shop/csharp").glob("*.cs")),
                    f"-out:{folder}/shop.exe"], check=True, capture_output=True)
    return ["mono", f"{folder}/shop.exe"], ["--option", "heapdump=end"]


def dotnet(folder):
    library = Path(folder, "shop.dll")
    done = subprocess.run([sys.executable, HERE / "coreclr_compile.py", library,
                           *sorted((ROOT / "examples/shop/csharp").glob("*.cs"))], check=False)
    return (["dotnet", library], []) if done.returncode == 0 else None


def record(folder, name, program, options):
    """The recording, and what the program says: how many bought, how many could not."""
    done = subprocess.run([POLYTRACE, "record", "-q", "-o", name, "--events", EVENTS, *options,
                           *map(str, program)], cwd=folder, capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0 and "agent" in done.stderr:
        return None
    assert done.returncode == 0, (program, done.returncode, done.stderr)
    return [int(word) for word in re.findall(r"\d+", done.stdout.splitlines()[-1])]


def screen(folder, command):
    """The first screen that a command fills."""
    words = [POLYTRACE if word == "polytrace" else word for word in command]
    code, lines = on_terminal(words, COLUMNS, LINES, folder, subprocess.DEVNULL)
    assert code == 0, (command, code, lines[:5])
    wide = [line for line in lines[:LINES]
            if len(line) > COLUMNS and "polytrace report" not in line]
    assert not wide, (command, wide)
    return "\n".join(lines[:LINES])


def doing(folder, recording, seconds):
    """The recorded calls that each thread is in at that time, out of the events themselves."""
    cat = subprocess.run([POLYTRACE, "cat", recording], cwd=folder, check=True,
                         capture_output=True, text=True)
    names, stacks, first = {}, {}, None
    for line in cat.stdout.splitlines():
        time, thread, kind, *rest = line.split(" ", 3)
        told = rest[0] if rest else ""
        method = re.match(r"method=(0x[0-9a-f]+)", told)
        if kind == "method" and method:
            name = re.search(r'name="([^"]*)"', told)
            names[method[1]] = name[1] if name else ""
        if not re.fullmatch(r"-?\d+", time):
            continue
        first = int(time) if first is None else min(first, int(time))
        if kind in ("enter", "leave", "unwind") and thread != "-":
            stacks.setdefault(thread, []).append((int(time), kind, method[1]))
    at, open_calls = first + int(seconds * 1e9), {}
    for thread, events in stacks.items():
        stack = []
        for time, kind, method in events:
            if time > at:
                break
            if kind == "enter":
                stack.append(method)
            elif method in stack:
                del stack[len(stack) - 1 - stack[::-1].index(method):]
        if stack:
            open_calls[thread] = [re.split("[:.]", names.get(method, ""))[-1].split(" ")[0]
                                  for method in stack]
    return open_calls


def expected(runtime, said):
    """What the screens must show, as patterns by the question's first words."""
    _, _, refused = said
    orders = DAYS * CUSTOMERS * ORDERS
    calls = f"{orders * ARTICLES:,}"
    days = {"java": rf"\s{DAYS} .*Order\.<init>"}.get(runtime, rf"\s{DAYS} .*Till::?Close")
    left_out = {"java": r"methods of java\.\*", "mono": "compiled\\s+ahead",
                "dotnet": r"modules of \.NET"}[runtime]
    return {
        "Why is it slow": rf"hot method +Catalog[.:]+[sS]imilarity(.|\n)*{calls}",
        "Who allocates": rf"Order[.:]+\S+ .* {orders} ",
        "Why is the heap": days,
        "Does it leak": r"(leak|growing heap) +(heap|Order|System\.Byte\[\])",
        "Which lock": r"Till[.:]+[pP]ay",
        "What changed": r"hot method +new +Catalog[.:]+[sS]imilarity",
        "What went on": None,
        "Who calls": rf"{calls} +Catalog[.:]+[fF]ind",
        "Where do exceptions": rf" {refused * 5:,} .*(AmountOf|amountOf|parseInt)",
        "Where is the time": r"Till[.:]+[pP]ay",
        "Which code": left_out,
    }


def questions():
    rows = re.findall(r"^\| ([A-Z][^|]*\?) \| `(polytrace [^`]*)` \|$",
                      (ROOT / "docs/guide.md").read_text(encoding="utf-8"), re.M)
    assert len(rows) == 11, rows
    return rows


def ask(folder, runtime, said):
    wanted = expected(runtime, said)
    for question, command in questions():
        pattern = next(value for key, value in wanted.items() if question.startswith(key))
        name = "customer-*" if "--thread" in command else "imilarity"
        shown = screen(folder, [name if word == "NAME" else word for word in command.split()])
        if pattern is None:
            for thread, methods in doing(folder, "app.ptrace", 0.35).items():
                # Its first column names it; other rows may name it as an owner.
                row = re.search(rf"^  (?:\S[^()\n]*\({thread}\)|{thread}) .*(?:\n {{20,}}.*)*",
                                shown, re.M)
                assert row, (runtime, question, thread, methods, shown)
                words = [*methods, "blocked", "waiting"]
                assert any(word in row[0] for word in words), (methods, shown)
            continue
        assert re.search(pattern, shown), f"{runtime}: {question} {command}\n{pattern}\n{shown}"


def main():
    asked = []
    for runtime in (java, mono, dotnet):
        with tempfile.TemporaryDirectory() as folder:
            program = runtime(folder)
            if program is None:
                continue
            command, options = program
            said = record(folder, "app.ptrace", [*command, str(DAYS)], options)
            if said is None:
                continue
            record(folder, "before.ptrace", [*command, str(DAYS), "repaired"], options)
            ask(folder, runtime.__name__, said)
            asked.append(runtime.__name__)
    if not asked:
        print("skipped: no runtime that can be recorded here")
        sys.exit(77)
    print("eleven questions answered on one screen:", ", ".join(asked))


if __name__ == "__main__":
    main()
