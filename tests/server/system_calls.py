#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `polytrace ui` asks of the system while it answers every endpoint: it writes into its own
folders only, listens on loopback only and connects to nobody, and starts no program but the browser
if it is asked to. strace tells; where it is missing or may not trace, the test is skipped."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
from ui import EXAMPLE, Server, skip_without_page  # noqa: E402

TRACED = ("trace=%file,socket,bind,listen,connect,accept,accept4,sendto,execve,execveat,"
          "ftruncate,fchmod")
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
CHANGES = ("rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir link linkat symlink "
           "symlinkat chmod fchmod fchmodat chown fchownat lchown truncate ftruncate utimensat "
           "mknod mknodat setxattr").split()
CALL = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed>)(.*) = (-?\d+)(?:<(.*?)>)?(?: .*)?$")


def skip_without_strace():
    if not shutil.which("strace"):
        print("skipped: there is no strace")
        sys.exit(77)
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True,
                           check=False)
    if tried.returncode != 0:
        print("skipped: strace may not trace here:", tried.stderr.strip().splitlines()[-1])
        sys.exit(77)


def traced(*words, more=None):
    """(home, calls) of a run that answered: calls are (name, arguments, result, its path)."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "calls"
        leaks = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # which traces by itself
        under = ("strace", "-f", "-y", "-s", "4096", "-o", str(log), "-e", TRACED)
        with Server(*words, under=under,
                    more={"ASAN_OPTIONS": leaks.strip(":"), **(more or {})}) as server:
            server.ask_everything()
            home = server.home.name
        return home, calls_of(log.read_text(errors="replace"))


def calls_of(text):
    """Of calls that another thread's came between, the parts are put together."""
    begun, calls = {}, []
    for line in text.splitlines():
        thread = line.split(" ", 1)[0]
        if line.endswith(" <unfinished ...>"):
            begun[thread] = line.removesuffix(" <unfinished ...>")
            continue
        resumed = re.match(r"^\d+ +<\.\.\. \w+ resumed>(.*)$", line)
        if resumed:
            line = begun.pop(thread) + resumed[1]
        call = CALL.match(line)
        if call:
            calls.append((call[1], call[2], int(call[3]), call[4] or ""))
    return calls


def writes_below_its_home(home, calls):
    own = (home + "/cache", home + "/state", home + "/tmp")
    written = []
    for name, told, result, path in calls:
        if name == "creat" or (name in ("open", "openat", "openat2") and WRITES.search(told)):
            if result >= 0:
                written.append(path)
        elif name in CHANGES and result >= 0:
            found = re.findall(r'"((?:[^"\\]|\\.)*)"', told) or re.findall(r"^\d+<(.*?)>", told)
            found = found[-1:] if name.startswith("link") else found  # of links what comes to be
            folder = re.match(r"\d+<(.*?)>", told)
            written += [os.path.join(folder[1] if folder else "/", at) for at in found]
    strange = [path for path in written if not path.startswith(own) and path != "/dev/null"]
    assert not strange, strange
    assert any(path.endswith("index.pti") or "/cache/" in path for path in written), written
    assert any("/state/" in path for path in written), written


def speaks_on_loopback_only(calls):
    kinds = {told.split(",")[0] for name, told, result, _ in calls
             if name == "socket" and result >= 0}
    assert kinds <= {"AF_INET", "AF_INET6"}, kinds
    bound = [told for name, told, result, _ in calls if name == "bind" and result >= 0]
    assert bound, "no address is bound"
    for told in bound:
        assert 'inet_addr("127.0.0.1")' in told or '"::1"' in told, told
    assert not [told for name, told, _, _ in calls if name in ("connect", "sendto") and
                "sin" in told], calls
    assert any(name in ("accept", "accept4") and result >= 0 for name, _, result, _ in calls)


def programs(calls):
    return [re.search(r'"([^"]*)"', told)[1].rsplit("/", 1)[-1] for name, told, result, _ in calls
            if name in ("execve", "execveat") and result == 0]


def main():
    skip_without_page()
    skip_without_strace()
    home, calls = traced(EXAMPLE)
    writes_below_its_home(home, calls)
    speaks_on_loopback_only(calls)
    started = programs(calls)
    assert started == ["polytrace", "polytrace-ui"], started
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(shutil.which("true"), folder + "/xdg-open")
        path = folder + ":" + os.environ.get("PATH", "/usr/bin:/bin")
        home, calls = traced("--open", EXAMPLE, more={"PATH": path})
        writes_below_its_home(home, calls)
        speaks_on_loopback_only(calls)
        assert programs(calls)[2:] == ["xdg-open"], programs(calls)


if __name__ == "__main__":
    main()
