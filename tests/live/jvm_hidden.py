#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes that the VM names by an address (lambdas) have the same names in every run, wherever the
VM puts them, so that two recordings can be compared."""
from jvm_common import Room

PLACES = ((), ("-XX:CompressedClassSpaceSize=64m", "-Xmx3g"), ("-Xshare:off",))


def names(stream):
    used = {stream.classes[e.fields["class_id"]] for e in stream.all("Method")}
    used |= {stream.classes[e.id] for e in stream.all("Alloc")}
    return {name for name in used if name.startswith("Hidden")}, set(stream.classes.values())


def main():
    room = Room("Hidden")
    for jdk in room.jdks:
        runs = []
        for flags in PLACES:
            _, stream = room.run(
                jdk, "events=calls+exceptions+alloc=objects,filter=Hidden*", "Hidden",
                flags=("-Xlog:disable", *flags))
            own, everything = names(stream)
            assert not [name for name in everything if "0x" in name], everything
            runs.append(own)
        assert all(run == runs[0] for run in runs), runs
        assert runs[0] == {"Hidden", "Hidden$Other", "Hidden$$Lambda", "Hidden$Other$$Lambda"}, runs
        print(f"JDK {jdk.version}: hidden classes have the same names in {len(runs)} runs")


main()
