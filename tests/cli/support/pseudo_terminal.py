# SPDX-License-Identifier: Apache-2.0
"""What a command shows on a terminal."""
import fcntl
import os
import pty
import struct
import subprocess
import termios


def on_terminal(words, columns, rows, cwd=None, stderr=None, typed="", **variables):
    """Its exit code, and all that it says there, as lines; standard error, too, unless it goes
    elsewhere. `typed` is what somebody types, less than 4 KiB. Variables that are None are not
    set; without any there is no pager."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    surroundings = dict(os.environ, NO_COLOR="1", TERM="xterm", LC_ALL="C.UTF-8", PAGER="")
    surroundings.update(variables)
    surroundings = {name: value for name, value in surroundings.items() if value is not None}
    done = subprocess.Popen([*map(str, words)], cwd=cwd, stdin=theirs, stdout=theirs,
                            stderr=theirs if stderr is None else stderr, env=surroundings)
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return done.wait(150), shown.decode().replace("\r\n", "\n").splitlines()
