# SPDX-License-Identifier: Apache-2.0
"""What tests wait by: for a condition, however busy the machine is, never for a fixed time."""
import fcntl
import signal
import struct
import termios
import time
from pathlib import Path

SECONDS = 150  # what takes longer hangs, however busy the machine is
SHORTEST, LONGEST = 0.002, 0.05  # seconds between two looks


def wait_until(condition, what, seconds=SECONDS, process=None):
    """The condition's value, once it holds. `what` names it where it never does: a text, or a
    function that makes one then. `process`: one that does not end meanwhile."""
    end, pause = time.monotonic() + seconds, SHORTEST
    while not (value := condition()):
        ended = process is not None and process.poll() is not None
        if ended and (value := condition()):
            return value
        if ended or time.monotonic() > end:
            told = what() if callable(what) else what
            why = f"{process.args} ended with {process.returncode}" if ended else f"{seconds} s"
            raise AssertionError(f"waited in vain ({why}): {told}")
        time.sleep(pause)
        pause = min(1.2 * pause, LONGEST)
    return value


def status_of(process):
    """What the kernel tells of a process, by name; nothing of one that is gone."""
    try:
        text = Path(f"/proc/{process}/status").read_text("utf-8", "replace")
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def has_signal(process, number, which):
    """`which`: SigCgt, those that the process handles; ShdPnd, those that it has yet to take."""
    return int(status_of(process).get(which, "0"), 16) >> (number - 1) & 1 == 1


def left_in(pipe):
    """Bytes that were written to the pipe, and that nobody has read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def wait_for_reader(process, pipe):
    """Until the process handles Ctrl-C, has read all of the pipe, and sleeps."""
    wait_until(lambda: left_in(pipe) == 0 and has_signal(process.pid, signal.SIGINT, "SigCgt")
               and status_of(process.pid).get("State", "X")[0] == "S",
               "a process that waits for input", process=process)


def send_taken(process, number):
    """Sends a signal, and waits until the process has taken it, or has ended."""
    process.send_signal(number)
    wait_until(lambda: process.poll() is not None
               or not has_signal(process.pid, number, "ShdPnd"), "a signal that is taken")
