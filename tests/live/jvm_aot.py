#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A VM that has to use its archive of classes (CDS, from JDK 25 on an AOT cache) or not start at
all starts with the agent, and calls of archived classes are recorded."""
import subprocess

from jvm_common import Room, Stream, expect_same, short, thread_named

CALLS = 300


def run(room, jdk, *flags):
    return subprocess.run([jdk.tool("java"), *flags, "-cp", "app.jar", "Flood", str(CALLS)],
                          capture_output=True, text=True, timeout=120, cwd=room.folder, check=False)


def make_archive(room, jdk):
    """The flags to use it with; both refuse to start where they cannot."""
    name = f"{jdk.version}.archive"
    aot = jdk.version >= 25
    made = run(room, jdk, f"-XX:{'AOTCacheOutput' if aot else 'ArchiveClassesAtExit'}={name}")
    assert made.returncode == 0 and (room.folder / name).stat().st_size > 0, made.stderr
    if aot:
        return [f"-XX:AOTCache={name}", "-XX:AOTMode=on"]
    return [f"-XX:SharedArchiveFile={name}", "-Xshare:on"]


def expected():
    names = [("zero", "one")[bin(n).count("1") & 1] for n in range(CALLS)]
    return [("enter", "main"), *((what, name) for name in names for what in ("enter", "leave")),
            ("leave", "main")]


def shared(room, log):
    """Classes that came out of the archive, as the VM's log of loading says."""
    lines = (room.folder / log).read_text(encoding="utf-8").splitlines()
    return {line.split(" source: ")[0].split()[-1] for line in lines
            if " source: shared objects file" in line}


def test_archive(room, jdk, flags):
    path = room.trace()
    done = run(room, jdk, *flags, "-Xlog:class+load:file=agent.log",
               f"-agentpath:{room.agent}=file={path},filter=Flood,jvm.accessors=yes")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", ""), done
    stream = Stream(path)
    expect_same(short(stream.calls()[thread_named(stream, "main")]), expected(), f"{flags}")


def main():
    room = Room("Flood")
    subprocess.run([room.jdks[0].tool("jar"), "cf", "app.jar", "Flood.class"], cwd=room.folder,
                   check=True)
    for jdk in room.jdks:
        archive = make_archive(room, jdk)
        run(room, jdk, *archive, "-Xlog:class+load:file=plain.log")
        test_archive(room, jdk, archive)
        plain, agent = shared(room, "plain.log"), shared(room, "agent.log")
        assert "Flood" in plain, "the archive is not used without the agent either"
        # Those that are rewritten are loaded from their class files.
        assert len(agent) > len(plain) / 2, (len(agent), len(plain))
        print(f"JDK {jdk.version}: {len(agent)} of {len(plain)} classes come out of the archive "
              "with the agent; calls are recorded")


main()
