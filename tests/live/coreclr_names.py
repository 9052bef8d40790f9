#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes and methods of every sort are called what reflection calls them."""
from coreclr_common import Room, check


def main():
    room = Room("Names")
    output, stream = room.run("events=jit+classes", "Names")
    told = {"class": set(), "method": set()}
    for line in output.splitlines():
        what, name = line.split(" ", 1)
        told[what].add(name)
    classes = {e.fields["name"] for e in stream.all("Class")}
    methods = {"|".join([e.fields["name"], e.fields.get("returns", ""),
                         e.fields.get("signature", "")]) for e in stream.all("Method")}
    own = sorted(name for name in classes | methods if name.startswith("Names."))
    for name in sorted(told["class"] - classes) + sorted(told["method"] - methods):
        print("not recorded:", name)
        plain = name.split("|", maxsplit=1)[0].split("<", maxsplit=1)[0]
        print("  but:", [other for other in own if other.startswith(plain)])
    check(told["class"] <= classes and told["method"] <= methods, "names differ")
    check(len(told["class"]) >= 28 and len(told["method"]) >= 130,
          "too few names:", len(told["class"]), len(told["method"]))
    print(f".NET {room.sdk.version}: {len(told['class'])} classes, {len(told['method'])} methods")


main()
