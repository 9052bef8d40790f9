#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows hostile traces on a pseudo terminal with every command: of what a terminal would obey, only
the program's own styles, line breaks and tabs may come, and nothing that turns writing around.

$POLYTRACE is the program, $TEST_DATA the folder of test data.
"""
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"]) / "hostile"
TRACES = [DATA / "names-escape.ptrace", DATA / "names-c1.ptrace"]
STYLES = re.compile("\x1b\\[(0|1|2|33|1;31|32)m")
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

# Each command's ways to show text. FILE, OTHER and TTY are put in. None: it shows no trace.
SHOWN = {
    "record": None, "attach": None, "control": None, "doctor": None, "formats": None,
    "help": None, "version": None, "completion": None, "man": None, "ui": None,
    "push": None,  # needs a store: tests/fleet/push.py
    "collect": None,  # and so does this: tests/fleet/collect.py
    "report": [f"--limit 0 --format {form} FILE" for form in ("text", "json", "csv", "md", "tsv")],
    "info": ["FILE", "--json FILE"],
    "check": ["FILE", "--json FILE"],
    "cat": ["FILE", "--json FILE"],
    "heap": ["FILE", "--classes FILE", "--format csv FILE", "--json FILE"],
    "diff": [f"--format {form} --limit 0 FILE OTHER" for form in ("text", "csv", "tsv", "md")],
    "state": ["--at 50% FILE", "--at 50% --json FILE"],
    "flame": ["FILE -o TTY -f"],
    "export": [f"--to {to} FILE -o TTY -f"
               for to in ("folded", "callgrind", "speedscope", "chrome", "firefox")],
    "convert": [f"--to {to} FILE -o TTY -f" for to in ("trcxml", "tracelog")],
    "cut": ["FILE --from 10% -o FOLDER/part -f"],
    "merge": ["--to trcxml FILE OTHER -o TTY -f"],
    "anonymize": ["--to trcxml FILE -o TTY -f"],
    "repair": ["FILE -o FOLDER/repaired"],
    "history": ["build FILE -o FOLDER/h -f", "info --paths FOLDER/h", "query FOLDER/h --at 50%",
                "export FOLDER/h -o TTY -f"],
    "sql": [f"--format {form} FILE SELECT/**/name/**/FROM/**/{table}"
            for form in ("table", "csv", "md", "json") for table in ("method", "thread", "class")],
    "index": ["build FILE", "info FILE", "list", "verify --full FILE", "drop FILE"],
    "fleet": ["schema --print --store http://127.0.0.1:8123/shop", "plan", "plan --json"],
}


def commands():
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.search(r"^Commands:\n(.*?)\n\n", text, re.S | re.M)
    return re.findall(r"^  ([a-z]+) ", listed.group(1), re.M)


def shown(words):
    """All that comes out of it, on a terminal."""
    process, end = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", COLUMNS="200", PAGER="")
        os.execv(PROGRAM, [PROGRAM, *words])
    text = b""
    try:
        while piece := os.read(end, 65536):
            text += piece
    except OSError:  # its other end is closed
        pass
    os.close(end)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return text.decode("utf-8").replace("\r\n", "\n"), code


def main():
    faults = []
    listed = commands()
    if set(listed) != set(SHOWN):
        faults.append(f"commands that this test does not know, or that are gone: "
                      f"{sorted(set(listed) ^ set(SHOWN))}")
    seen = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POLYTRACE_CACHE"] = f"{folder}/cache"
        def words_of(line, trace):
            put_in = {"FILE": str(trace), "OTHER": str(TRACES[0]), "TTY": "/dev/tty"}
            return [put_in.get(word, word).replace("FOLDER", folder) for word in line.split()]

        runs = [[command, *words_of(line, trace)] for trace in TRACES
                for command, lines in SHOWN.items() for line in lines or []]
        xml = str(DATA / "encoding-escape.trcxml")
        runs += [["info", xml], ["report", xml], ["check", xml], ["cat", "\x1b[31mnone"]]
        for words in runs:
            quiet = [] if words[0] in ("history", "index", "fleet") else ["--no-progress"]
            text, code = shown([*words, *quiet])
            rest = STYLES.sub("", text)
            seen += "\\x" in rest or "\\u" in rest
            if found := OBEYED.search(rest):
                around = rest[max(0, found.start() - 40):found.end() + 40]
                faults.append(f"{' '.join(words)}: {found.group()!r} in {around!r}")
            if code in (2, 70) or code < 0:
                faults.append(f"{' '.join(words)}: exit code {code}: {text[-300:]}")
    if seen < 20:
        faults.append(f"only {seen} of {len(runs)} showed anything hostile")
    print("\n".join(faults) or f"{len(runs)} runs, {seen} of them with hostile text: all readable")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
