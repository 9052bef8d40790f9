#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every #include in src/ to the floors of the house.

usage: check_floors.py [--self-test]

A room includes only rooms on lower floors, and of a room only its public headers (not *_impl.hpp,
nothing in detail/). Rooms on one floor do not see each other. Each folder of format/ is a room, and
so is each of agent/: those of a runtime see agent/common and agent/control, the latter the former,
and all of them see of format/ only format/native/wire.
"""
import re
import sys
import tempfile
from pathlib import Path

FLOORS = {
    "base": 0, "event": 1, "format": 2, "history": 2, "transform": 2, "slice": 2,
    "analysis": 3, "store": 3, "sql": 4, "exports": 4, "agent": 4, "warehouse": 4, "http": 4,
    "service": 5, "capi": 6, "collector": 6, "fleet": 6, "server": 7, "cli": 8,
}
# Folders of a room, from its lowest floor up; "." is the room's top. A folder includes only lower
# ones. A room that is not named here has no folders, or is listed by the folder that it is.
FOLDERS = {
    "base": ["text", ".", "io", "frames"],
    "event": ["choice .", "text"],
    "history": ["model", "layout", "files", "read csv trace_compass", "write", "."],
    "format/tptp": ["messages", "events", "tbf xml", "."],
    "format/monoblock": ["layout", "read write", "."],
    "format/native": ["wire", "read", "."],
    "format/tracelog": ["lines", "."],
    "format/mlpd": ["records", "."],
    "format/hprof": ["layout", "."],
    "analysis": ["table", ".", "calls threads runtime", "samples", "heap/graph", "heap", "memory",
                 "profile states/gather", "states/derive", "states", "report", "diff"],
    "exports": ["job", "timelines", "profiles", "perfetto jfr ctf snapshots flame", "."],
    "agent/common": ["tools", "options", "memory", "stream", "record", "runtime"],
    "agent/control": ["protocol", "."],
    "agent/mono": ["abi", "plain", "runtime", "stacks", "."],
    "agent/jvm": ["abi", "rewriter/classfile", "rewriter", "facts", "code heap", "."],
    "agent/coreclr": ["names", "runtime", "calls", "code memory", "."],
    "store": ["file", "source", "read/cells", "build", "build/rows read", "build/pass read/events",
              "ask/calls", "ask", "ask/events", "."],
    "sql": ["model", "trace", "tables functions", "sqlite duckdb", "files", "."],
    "service": ["words", "input", "json", "selection", "ask convert",
                "states runtimes index", "record trace sql"],
    "warehouse": ["where", ".", "objects"],
    "collector": ["aggregate", "send foreign", "push keep config", "live target relay thin",
                  "objects", "flow", "door", "hub", "control",
                  "bus pieces", "edge"],
    "server": ["http", ".", "answers", "answers/profile", "answers/sql answers/fleet", "door"],
    "fleet": [".", "moments", "questions operate"],
    "cli": ["show", "frame", "options help store", "convert explain",
            "record history index fleet sql", "fleet/operate fleet/push ui", "."],
}
# An agent lives inside other programs: of the floors below it uses only these.
AGENT_USES = {"base", "event", "format"}
# Of format/ it uses what makes the native stream, and nothing that reads one.
AGENT_FORMAT = "format/native/wire/"
# Of a folder of agent/, the folders of agent/ it sees, by name; "*" is any other.
AGENT_FOLDERS = {"common": set(), "control": {"common"}, "*": {"common", "control"}}
# What a format's folder may use of format/ itself. formats.cpp, the list, sees every descriptor.
FORMAT_COMMON = {"format/format.hpp"}
FORMAT_LIST = "format/formats.cpp"
# Libraries by prefix of their headers, and the rooms that may use them. "*" is every room.
LIBRARIES = {
    "fmt/": "*", "tl/": "*", "tsl/": "*", "zlib.h": "*", "zstd": "*", "xxhash.h": "*",
    "simdjson": "*", "isa-l": "base", "archive": "history", "curl/": "collector warehouse",
    "CLI/": "cli", "sqlite3.h": "sql", "editline/": "cli", "spdlog/": "collector server",
    "boost/": "collector http server", "openssl/": "collector http warehouse",
    "toml++/": "collector", "nats/": "collector", "protozero/": "collector exports",
}
SYSTEM = re.compile(r"^[a-z_0-9]+$|^(sys|netinet|arpa|linux)/[a-z_0-9]+\.h$|^[a-z_0-9]+\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def room_of(path):
    """'format/mlpd' for format/mlpd/x.hpp, 'format' for format/x.hpp, else the top folder."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("format", "agent") and len(parts) > 2 else parts[0]


def folder_of(path):
    """The folder of its room that a file is in, and the room's floors; "." is the room's top."""
    room = room_of(path)
    folder = path[len(room) + 1:].rpartition("/")[0]
    return folder or ".", FOLDERS.get(room, ["."])


def fault_among_folders(source, target):
    """Both in one room."""
    (here, floors), (there, _) = folder_of(source), folder_of(target)
    floor = {folder: i for i, folders in enumerate(floors) for folder in folders.split()}
    for folder in (here, there):
        if folder not in floor:
            return f"folder {folder} of {room_of(source)} stands on no floor"
    if here == there or floor[there] < floor[here]:
        return None
    return f"folder {here} (floor {floor[here]}) sees {there} (floor {floor[there]})"


def is_private(path):
    return path.endswith("_impl.hpp") or "/detail/" in path


def fault_of(source, target):
    """Why `source` may not include `target` (both relative to src/), or None."""
    here, there = room_of(source), room_of(target)
    if here == there:
        return fault_among_folders(source, target)
    top_here, top_there = here.split("/")[0], there.split("/")[0]
    for room in (top_here, top_there):
        if room not in FLOORS:
            return f"room '{room}' stands on no floor"
    if top_here == top_there == "format":
        return fault_among_formats(source, target)
    if top_here == top_there == "agent":
        return fault_among_agents(here, there)
    if FLOORS[top_there] >= FLOORS[top_here]:
        return f"{here} (floor {FLOORS[top_here]}) sees {there} (floor {FLOORS[top_there]})"
    if top_here == "agent" and top_there not in AGENT_USES:
        return f"an agent uses only {', '.join(sorted(AGENT_USES))}"
    if top_here == "agent" and top_there == "format" and not target.startswith(AGENT_FORMAT):
        return f"an agent sees of format/ only {AGENT_FORMAT}"
    if is_private(target):
        return f"{target} is private to {there}"
    return None


def fault_among_formats(source, target):
    here, there = room_of(source), room_of(target)
    if there == "format":
        allowed = target in FORMAT_COMMON
        return None if allowed else f"a format sees only {', '.join(sorted(FORMAT_COMMON))}"
    if here != "format":
        return f"{here} and {there} stand on one floor"
    name = there.split("/")[1]
    if source == FORMAT_LIST and target == f"{there}/{name}.hpp":
        return None
    return f"only {FORMAT_LIST} sees a format, and of it only the descriptor"


def fault_among_agents(here, there):
    folder = here.split("/")[-1]
    seen = AGENT_FOLDERS.get(folder, AGENT_FOLDERS["*"])
    if there.split("/")[-1] in seen:
        return None
    return f"{here} sees of agent/ only: {', '.join(sorted(seen)) or 'itself'}"


def library_fault(source, header):
    room = source.split("/")[0]
    for prefix, rooms in LIBRARIES.items():
        if header.startswith(prefix):
            # An agent lives inside other programs and brings no library along.
            allowed = room in rooms.split() or (rooms == "*" and room != "agent")
            return None if allowed else f"<{header}> belongs to: {rooms}"
    return None if SYSTEM.match(header) else f"<{header}> is no library of this project"


def includes(file):
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def check_file(src, file, graph):
    source = file.relative_to(src).as_posix()
    for number, own, header in includes(file):
        if not own:
            fault = library_fault(source, header)
        elif header.endswith(".inc"):
            continue  # a table that the build makes
        elif not (src / header).is_file():
            fault = f'no file src/{header} (write the path from src/)'
        else:
            fault = fault_of(source, header)
            graph.setdefault(source, []).append(header)
        if fault:
            yield f"src/{source}:{number}: {fault}"


def cycles(graph):
    """Headers that include each other in a ring."""
    done, path, found = set(), [], []

    def visit(node):
        if node in path:
            found.append(" -> ".join(path[path.index(node):] + [node]))
            return
        if node in done:
            return
        path.append(node)
        for target in graph.get(node, []):
            visit(target)
        path.pop()
        done.add(node)

    for node in sorted(graph):
        visit(node)
    return found


def check(src):
    files = sorted(f for f in src.rglob("*") if f.suffix in (".hpp", ".cpp", ".h", ".def"))
    graph, faults = {}, []
    for file in files:
        faults += check_file(src, file, graph)
    return faults + [f"ring of includes: {ring}" for ring in cycles(graph)], len(files)


# Each bad example: the including file, what it includes, a word of the fault.
BAD = [
    ("collector/send/a.cpp", '"fleet/fleet.hpp"', "floor"),
    ("base/a.hpp", '"event/event.hpp"', "floor"),
    ("event/a.cpp", '"format/format.hpp"', "floor"),
    ("format/one/a.cpp", '"format/two/two.hpp"', "one floor"),
    ("format/one/a.cpp", '"format/formats.hpp"', "only format/format.hpp"),
    ("format/detect.cpp", '"format/one/one.hpp"', "only format/formats.cpp"),
    ("format/formats.cpp", '"format/one/reader.hpp"', "descriptor"),
    ("history/a.cpp", '"format/format.hpp"', "floor"),
    ("analysis/a.cpp", '"store/store.hpp"', "floor"),
    ("analysis/a.cpp", '"format/one/one_impl.hpp"', "private"),
    ("cli/a.cpp", '"base/detail/x.hpp"', "private"),
    ("agent/jvm/a.cpp", '"analysis/calls/calls.hpp"', "agent"),
    ("agent/jvm/a.cpp", '"agent/mono/mono.hpp"', "only"),
    ("agent/jvm/a.cpp", '"format/format.hpp"', "only format/native/wire/"),
    ("agent/common/a.cpp", '"format/native/reader.hpp"', "only format/native/wire/"),
    ("agent/common/a.cpp", '"agent/control/control.hpp"', "itself"),
    ("agent/jvm/a.cpp", "<fmt/format.h>", "belongs"),
    ("attic/a.cpp", '"base/a.hpp"', "no floor"),
    ("base/a.cpp", '"cursor.hpp"', "no file"),
    ("base/a.cpp", "<CLI/CLI.hpp>", "belongs"),
    ("event/a.cpp", "<nlohmann/json.hpp>", "no library"),
    ("agent/mono/a.cpp", "<mono/metadata/profiler.h>", "no library"),
    ("base/ring.hpp", '"base/ring.hpp"', "ring"),
]
GOOD = [
    ("event/a.cpp", '"base/a.hpp"'), ("format/one/a.cpp", '"format/one/one_impl.hpp"'),
    ("format/one/a.cpp", '"format/format.hpp"'), ("format/formats.cpp", '"format/one/one.hpp"'),
    ("analysis/a.cpp", '"format/formats.hpp"'), ("cli/a.cpp", '"analysis/calls/calls.hpp"'),
    ("agent/jvm/a.cpp", '"agent/common/common.hpp"'),
    ("agent/common/a.cpp", '"format/native/wire/wire.hpp"'),
    ("agent/mono/a.cpp", '"agent/control/control.hpp"'),
    ("agent/control/a.cpp", '"agent/common/common.hpp"'),
    ("cli/a.cpp", '"agent/common/common.hpp"'), ("cli/a.cpp", "<CLI/CLI.hpp>"),
    ("base/a.cpp", "<sys/mman.h>"), ("base/a.cpp", "<zlib.h>"),
]
SHELVES = [
    "base/a.hpp", "base/detail/x.hpp", "event/event.hpp", "format/format.hpp", "format/formats.hpp",
    "format/one/one.hpp", "format/one/reader.hpp", "format/one/one_impl.hpp", "format/two/two.hpp",
    "format/native/reader.hpp", "format/native/wire/wire.hpp", "store/store.hpp",
    "analysis/calls/calls.hpp", "agent/common/common.hpp", "agent/control/control.hpp",
    "agent/mono/mono.hpp", "fleet/fleet.hpp",
]


def faults_of_example(source, header):
    with tempfile.TemporaryDirectory() as folder:
        src = Path(folder)
        for name in [*SHELVES, source]:
            (src / name).parent.mkdir(parents=True, exist_ok=True)
            (src / name).write_text("")
        (src / source).write_text(f"#include {header}\n")
        return check(src)[0]


def self_test():
    for source, header, word in BAD:
        faults = faults_of_example(source, header)
        assert faults and all(word in fault for fault in faults), (source, header, faults)
    for source, header in GOOD:
        assert not faults_of_example(source, header), (source, header)
    print(f"floors: {len(BAD)} bad examples refused, {len(GOOD)} good ones let pass")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:]:
        sys.exit(__doc__)
    faults, files = check(Path("src"))
    print("\n".join(faults) if faults else f"floors: {files} files, no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
