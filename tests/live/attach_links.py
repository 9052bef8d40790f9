#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace attach` talks to the socket of the JVM and to no other, whatever a process that sees
another root has put into its /tmp. The processes are none of Java's: they only look like one."""
import os
import socket
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM = os.environ.get("POLYTRACE",
                         str(Path(__file__).resolve().parents[2] / "build/release/polytrace"))
# Has a libjvm.so mapped, listens to the signal and lives in another root, where it has our folder,
# too.
LOOKS_LIKE_A_JVM = """
import ctypes, mmap, os, signal, sys
folder, root = sys.argv[1:]
library = open(folder + "/libjvm.so", "rb")
mapped = mmap.mmap(library.fileno(), 0, prot=mmap.PROT_READ)
signal.signal(signal.SIGQUIT, lambda number, frame: None)
libc, new_user, new_mounts, bind = ctypes.CDLL(None), 0x10000000, 0x20000, 0x1000
if libc.unshare(new_mounts | (new_user if os.geteuid() != 0 else 0)) != 0:
    sys.exit(77)
private, recursive = 0x40000, 0x4000
libc.mount(None, b"/", None, private | recursive, None)
os.makedirs(root + folder)
if libc.mount(folder.encode(), (root + folder).encode(), None, bind, None) != 0:
    sys.exit(77)
os.chroot(root)
print("ready", flush=True)
sys.stdin.read()
"""


class Listener:
    """A socket that remembers what it was told first."""

    def __init__(self, path, mode=0o600):
        self.told = b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        path.chmod(mode)
        self.socket.listen()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        connection, _ = self.socket.accept()
        self.told = connection.recv(7)
        connection.sendall(b"100\n")
        connection.close()


def attach(place):
    """place(root, outside, process) fills the folders; what the listener that it gives was told,
    and what lies outside afterwards."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        root, outside = Path(folder, "root"), Path(folder, "outside")
        root.mkdir()
        outside.mkdir()
        both = Path(folder, "both")
        both.mkdir()
        for library in ("libjvm.so", "agent.so"):
            (both / library).write_bytes(b"none")
        command = [sys.executable, "-c", LOOKS_LIKE_A_JVM, str(both), str(root)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              cwd="/proc") as process:
            if process.stdout.readline() != "ready\n":
                print("skipped: no process may have another root here")
                sys.exit(77)
            listener = place(root, outside, f".java_pid{process.pid}")
            done = subprocess.run([PROGRAM, "attach", "--duration", "1s", "-o",
                                   str(both / "out.ptrace"), "--agent", str(both / "agent.so"),
                                   str(process.pid)],
                                  capture_output=True, text=True, timeout=150, check=False)
            process.communicate("")
        assert done.returncode != 0 and "process" in done.stderr, done
        return listener.told


def own_folder(root, _, name):
    (root / "tmp").mkdir()
    return Listener(root / "tmp" / name)


def link_within(root, _, name):
    (root / "inner").mkdir()
    (root / "tmp").symlink_to("/inner")
    return Listener(root / "inner" / name)


def link_outside(root, outside, name):
    (root / "tmp").symlink_to(outside)
    return Listener(outside / name)


def link_to_socket(root, outside, name):
    (root / "tmp").mkdir()
    (root / "tmp" / name).symlink_to(outside / "socket")
    return Listener(outside / "socket")


def socket_of_all(root, _, name):
    (root / "tmp").mkdir()
    return Listener(root / "tmp" / name, 0o666)


def main():
    right, wrong = (own_folder, link_within), (link_outside, link_to_socket, socket_of_all)
    with ThreadPoolExecutor() as pool:
        told = dict(zip(right + wrong, pool.map(attach, right + wrong)))
    for place in right:
        assert told[place] == b"1\0load\0", f"{place.__name__}: {told[place]}"
    for place in wrong:
        assert told[place] == b"", f"{place.__name__}: {told[place]}"
    print("the JVM's own socket is found, and no other is spoken to")


main()
