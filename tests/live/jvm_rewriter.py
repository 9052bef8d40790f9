#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes of the JDK and of the jar files found here, with probes in every method and at every
allocation, pass the VM's verifier: what cannot be linked is the same without the agent. A sample of
them; all with POLYTRACE_LONG=1."""
import os
import subprocess

from jvm_common import LONG, Room


def jars():
    """Of this machine; links to folders are not followed, there are rings of them."""
    return sorted(f"{folder}/{name}" for top in ("/usr/share/java", "/usr/lib")
                  for folder, _, names in os.walk(top) for name in names if name.endswith(".jar"))


JARS = jars() if LONG else []


def link(room, jdk, options):
    """What could not be linked, the number that could, and the stream's settings."""
    every = "1" if LONG else "97"
    agent = [f"-agentpath:{room.agent}={options}"] if options else []
    done = subprocess.run([jdk.tool("java"), *agent, "-Xverify:all", "-Xlog:disable", "-cp",
                           str(room.folder), "Link", every, *JARS],
                          capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    *failed, last = done.stdout.splitlines()
    return failed, last


def test_link(room, jdk):
    plain = link(room, jdk, None)
    path = room.trace()
    probed = link(room, jdk, f"file={path},filter=*,jvm.accessors=yes,events=calls+alloc=sites,"
                  "paused")
    assert probed == plain, set(probed[0]) ^ set(plain[0])
    return plain


def main():
    room = Room("Link")
    for jdk in room.jdks:
        failed, linked = test_link(room, jdk)
        print(f"JDK {jdk.version}: {linked} with probes as without, {len(failed)} cannot be")


main()
