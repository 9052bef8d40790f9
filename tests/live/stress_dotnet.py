# SPDX-License-Identifier: Apache-2.0
"""What the runs of large programs of .NET share: sets of events, and a hook within the program that
counts exceptions, collections and bytes."""
from coreclr_common import Room, check, equal, sources_of, truth_of
from stress_common import tables

INTERVAL = 512 * 1024  # of samples
EVERYTHING = ("events=calls+threads+gc+monitors+exceptions+jit+classes+alloc=sites+samples,"
              "coreclr.handles=yes,coreclr.finalizers=yes,cpu=yes,filter=*")
SETS = ("events=calls+threads", "events=threads+gc+monitors+exceptions",
        "events=gc+exceptions,coreclr.census=yes", "events=gc+jit+classes,coreclr.handles=yes,"
        "coreclr.finalizers=yes,cpu=yes", "events=gc+exceptions+samples=1ms,coreclr.wall-clock=yes",
        "events=exceptions+alloc=sampled", "events=exceptions+alloc=sites",
        "events=exceptions+alloc=objects,coreclr.stacks=no", EVERYTHING)


class Told:
    """A room with the hook."""

    def __init__(self):
        self.room = Room()
        self.folder, self.file = self.room.folder, self.room.folder / "told"
        self.room.sdk.compile(self.folder / "Hook.dll", *sources_of("Hook"),
                              flags=["-target:library"])

    def surroundings(self, options, **more):
        """Of a bare run, where there are no options."""
        hook = {"DOTNET_STARTUP_HOOKS": str(self.folder / "Hook.dll"), "TOLD": str(self.file)}
        environment = self.room.surroundings(options or "", **hook, **more)
        if not options:
            environment["CORECLR_ENABLE_PROFILING"] = "0"
        return environment

    def check(self, path, options):
        """What the hook told of the run is what was recorded."""
        truth = truth_of(self.file.read_text(encoding="utf-8"))
        if "gc" in options:
            generations = [row["generation"] for row in tables(path, "collections")["collections"]]
            equal("collections", {f"of {g}": sum(one >= g for one in generations)
                                  for g in range(3)}, truth["collections"])
        if "exceptions" in options:
            rows = tables(path, "exceptions")["thrown_classes"]
            equal("exceptions", {row["class"]: row["thrown"] for row in rows},
                  truth.get("throw", {}))
        if "alloc=" in options and "gc" not in options:
            # The runtime's session of events, for collections, allocates 600 KB before the program
            # begins. What is allocated while it tells, and boxes of code that was compiled ahead;
            # of samples 6 standard errors.
            mine = sum(row["bytes"] for row in tables(path, "allocations")["allocations"])
            theirs = truth["bytes"]["allocated"]
            off = 6 * (theirs * INTERVAL) ** 0.5 if "alloc=sampled" in options else theirs / 200
            check(abs(mine - theirs) < off, mine, "bytes are recorded,", theirs, "told")
        return truth
