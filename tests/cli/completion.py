#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Presses Tab in real shells on a pseudo terminal, and looks at the words that the line then has.

$POLYTRACE is the program, $TEST_DATA the folder of test data. Shells that are not here are left
out, and told.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ["POLYTRACE"]
TRACE = Path(os.environ["TEST_DATA"]) / "mlpd" / "calls.mlpd"
# As long as the name that it replaces, with what shells read themselves.
NAME, HOSTILE = b"Finalizer", b"a b'c$d\"e"
READY = "ready>"
PATIENCE = 60  # seconds; only a shell that hangs needs them

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"PS1='{READY}'"),
    "zsh": (["zsh", "-f", "-i"], f"PS1='{READY}'; unsetopt beep; autoload -U compinit; compinit -u -D"),
    "fish": (["fish", "--no-config", "-i"],
             f"set fish_greeting; function fish_prompt; echo -n '{READY}'; end"),
}
# What is typed, and the last word of the line after Tab.
LINES = [
    ("rep", None),  # two commands: repair, report
    ("anon", "anonymize"),
    ("history quer", "query"),
    ("export --to specks", "specks"),
    ("export --to speedsc", "speedscope"),
    ("export --to folded,pp", "folded,pprof"),
    ("report --sections calls,callers,samp", "calls,callers,samples"),
    ("report --sort contended_", None),
    ("report --subtract gc,wa", "gc,waits"),
    ("convert --to trc", "trcxml"),
    ("convert --byte-order li", "little"),
    ("cat --kind enter,unw", "enter,unwind"),
    ("diff --weight samp", "samples"),
    ("record mo", "mono"),
    ("record --events calls,moni", "calls,monitors"),
    ("record --policy ri", "ring"),
    ("control 4711 ann", "annotate"),
    ("help exit", "exit-codes"),
    ("report strange.mlpd --thread a", HOSTILE.decode()),
    ("report 'a trace.mlpd' --thread a", HOSTILE.decode()),
    ("report none.mlpd --thread a", "a"),
    ("report stra", "strange.mlpd"),
    ("report a", "a trace.mlpd"),
    ("history info fol", "folder/"),
]


class Terminal:
    """A shell on a pseudo terminal. What it prints is read until it says that it is ready."""

    def __init__(self, words, folder):
        self.seen = ""
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            place = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": folder, "TERM": "xterm",
                     "LC_ALL": "C.UTF-8", "COLUMNS": "500"}
            os.execvpe(words[0], words, place)

    def until(self, pattern):
        while not (found := re.search(pattern, self.seen)):
            if not select.select([self.end], [], [], PATIENCE)[0]:
                raise TimeoutError(self.seen[-500:])
            self.seen += os.read(self.end, 65536).decode(errors="replace")
        self.seen = self.seen[found.end():]
        return found

    def type(self, text):
        os.write(self.end, text.encode())

    def close(self):
        os.close(self.end)
        os.waitpid(self.pid, 0)


def words_of(terminal, line):
    """The words of the line after Tab: printf, put before them, tells how the shell reads them."""
    terminal.type(f"polytrace {line}\t")
    terminal.type("\x05 '' \x01printf '<%s>' \x05\n")
    told = terminal.until(r"<polytrace>((?:<[^\n]*>)?)<>")
    terminal.until(READY)
    return re.findall(r"<(.*?)>(?=<|$)", told[1])


def try_shell(shell, folder):
    words, begin = SHELLS[shell]
    faults = []
    terminal = Terminal(words, folder)
    terminal.type(begin + "\n")
    terminal.until(rf"{READY}(?!')")
    terminal.type(f". {folder}/{shell}\n")
    terminal.until(READY)
    for line, wanted in LINES:
        got = words_of(terminal, line)
        if wanted is None:
            wanted = line.split()[-1]
        if not got or got[-1] != wanted:
            faults.append(f"{shell}: polytrace {line}<Tab>: {got}, not {wanted}")
    terminal.close()
    return faults


def main():
    faults, left_out = [], []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "bin").mkdir()
        (place / "folder").mkdir()
        (place / "bin" / "polytrace").symlink_to(Path(PROGRAM).resolve())
        content = TRACE.read_bytes()
        assert NAME in content
        for name in ("strange.mlpd", "a trace.mlpd"):
            (place / name).write_bytes(content.replace(NAME, HOSTILE))
        for shell in SHELLS:
            if shutil.which(shell) is None:
                left_out.append(shell)
                continue
            script = subprocess.run([PROGRAM, "completion", shell], capture_output=True, check=True)
            (place / shell).write_bytes(script.stdout)
            faults += try_shell(shell, folder)
    for shell in left_out:
        print(f"*** NOT TRIED: {shell} is not installed ***")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
