# SPDX-License-Identifier: Apache-2.0
"""What a trace tells, as `polytrace report` has it and as files of other tools have it."""
import json
import re
import subprocess
from collections import Counter, defaultdict


class Facts:
    """Counts by name; times in nanoseconds."""

    def __init__(self):
        self.calls = Counter()  # by method
        self.time = Counter()
        self.samples = Counter()  # by innermost method, "?" of none
        self.allocated = Counter()  # objects by class
        self.bytes = Counter()
        self.thrown = Counter()
        self.clauses = 0
        self.collections = 0
        self.contentions = 0
        self.wait = 0

    def call(self, name, duration):
        self.calls[name] += 1
        self.time[name] += duration

    def allocation(self, name, count, size):
        self.allocated[name] += count
        self.bytes[name] += size


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout


def reported(polytrace, trace, *options):
    tables = defaultdict(list)
    for table in json.loads(run(polytrace, "report", "--json", "--limit", "0", "--show-helpers",
                                *options, trace))["tables"]:
        tables[table["key"]] = table["rows"]
    facts = Facts()
    for row in tables["methods"]:
        facts.calls[row["method"]] += row["calls"]
        facts.time[row["method"]] += row["total"]
    for row in tables["sampled_methods"]:
        if row["self"]:
            facts.samples[row["method"]] += row["self"]
    for row in tables["allocations"]:
        facts.allocated[row["class"]] += row["count"]
        facts.bytes[row["class"]] += row["bytes"]
    for row in tables["thrown_classes"]:
        facts.thrown[row["class"]] += row["thrown"]
    facts.clauses = sum(row["count"] for row in tables["clauses"])
    facts.collections = sum(row["count"] for row in tables["collection_generations"])
    for row in tables["monitor_totals"]:
        facts.contentions = row["contentions"]
        facts.wait = row["wait"]
    return facts


# --- Perfetto --------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def message(data):
    """{field: [values]} of one protobuf message; numbers as they stand."""
    fields = defaultdict(list)
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut message"
        else:
            size = 8 if tag & 7 == 1 else 4
            value, at = data[at:at + size], at + size
        fields[tag >> 3].append(value)
    return fields


class Sequence:
    def __init__(self):
        self.names, self.functions, self.frames, self.stacks = {}, {}, {}, {}
        self.track = None
        self.time = 0
        self.incremental = False

    def intern(self, data):
        for name in map(message, data[2]):
            self.names[name[1][0]] = name[2][0].decode()
        for name in map(message, data[5]):
            self.functions[name[1][0]] = name[2][0].decode()
        for frame in map(message, data[6]):
            self.frames[frame[1][0]] = self.functions[frame[2][0]]
        for stack in map(message, data[7]):
            self.stacks[stack[1][0]] = [self.frames[frame] for frame in stack[2]]


def numbers(data):
    """Of a packed field."""
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


class PerfettoHeap:
    """A heap graph, put together from its packets as the trace processor does."""

    def __init__(self):
        self.packets = 0
        self.complete = False
        self.objects = {}  # id: (class's number, size, references)
        self.classes, self.fields = {}, {}
        self.roots = set()

    def packet(self, graph):
        assert not self.complete and graph[6][0] == self.packets, "packets are missing"
        self.packets += 1
        self.complete = not graph[5]
        for one in map(message, graph[2]):
            fields, targets = (numbers(one[i][0]) if one[i] else [] for i in (4, 5))
            assert len(fields) == len(targets) and one[1][0] not in self.objects
            self.objects[one[1][0]] = one[2][0], one[3][0], targets
        self.classes |= {one[1][0]: one[3][0].decode() for one in map(message, graph[9])}
        self.fields |= {one[1][0]: one[2][0].decode() for one in map(message, graph[4])}
        for one in map(message, graph[7]):
            self.roots |= set(numbers(one[1][0]))

    def sums(self):
        """{class: (objects, bytes)}"""
        sums = defaultdict(lambda: (0, 0))
        for number, size, _ in self.objects.values():
            count, total = sums[self.classes[number]]
            sums[self.classes[number]] = count + 1, total + size
        return dict(sums)


class Perfetto:
    """Reads as the trace processor does: what is interned before its use, then all by time."""

    def __init__(self, data):
        self.sequences = defaultdict(Sequence)
        self.tracks = {}  # uuid: (parent, name, is thread)
        self.events = []  # time, track, type, name, event
        self.samples = Counter()
        self.thread_names = {}
        self.heaps = defaultdict(PerfettoHeap)  # by time
        for packet in map(message, message(data)[1]):
            self.packet(packet)
        self.events.sort(key=lambda event: event[0])  # stable

    def packet(self, packet):
        sequence = self.sequences[packet[10][0]]
        if packet[13] and packet[13][0] & 1:
            sequence = self.sequences[packet[10][0]] = Sequence()
        if packet[59]:
            defaults = message(packet[59][0])
            sequence.track = message(defaults[11][0])[11][0]
            sequence.incremental = defaults[58][0] == 64
        for data in packet[12]:
            sequence.intern(message(data))
        for descriptor in map(message, packet[60]):
            name = descriptor[2][0].decode() if descriptor[2] else ""
            for thread in map(message, descriptor[4]):
                name = self.thread_names[thread[2][0]] = thread[5][0].decode()
            parent = descriptor[5][0] if descriptor[5] else None
            self.tracks[descriptor[1][0]] = (parent, name, bool(descriptor[4]))
        if not packet[8]:
            return
        for graph in map(message, packet[56]):
            self.heaps[packet[8][0]].packet(graph)
        sequence.time = packet[8][0] + (sequence.time if sequence.incremental else 0)
        for sample in map(message, packet[66]):
            assert sample[3][0] in self.thread_names or sample[3][0] >= 1 << 24
            leaf = sequence.stacks[sample[4][0]][-1]
            self.samples["?" if leaf == "(no managed frame)" else leaf] += 1
        for event in map(message, packet[11]):
            name = event[23][0].decode() if event[23] else None
            if event[10]:
                name = sequence.names[event[10][0]]
            track = event[11][0] if event[11] else sequence.track
            assert track in self.tracks, "event on a track that nothing describes"
            self.events.append((sequence.time, track, event[9][0], name, event))

    def facts(self):
        facts = Facts()
        facts.samples = self.samples
        open_slices = defaultdict(list)
        for time, track, kind, name, event in self.events:
            if kind == 1:
                open_slices[track].append((name, time))
            elif kind == 2:
                name, start = open_slices[track].pop()
                self.slice(facts, track, name, time - start)
            elif kind == 3:
                self.instant(facts, name, event)
        assert not any(open_slices.values()), "slices without an end"
        return facts

    def slice(self, facts, track, name, duration):
        _, title, is_thread = self.tracks[track]
        if is_thread:
            facts.call(name, duration)
        elif title.startswith("Collections"):
            facts.collections += 1
        elif title == "Waiting for locks":
            facts.contentions += 1
            facts.wait += duration

    @staticmethod
    def instant(facts, name, event):
        category = event[22][0] if event[22] else b""
        if category == b"alloc":
            values = {note[10][0]: note[3][0] for note in map(message, event[4])}
            facts.allocation(name, values.get(b"objects", 1), values[b"bytes"])
        elif category == b"throw":
            facts.thrown[name.removeprefix("throws ")] += 1
        elif category == b"clause":
            facts.clauses += 1


def perfetto(path):
    return Perfetto(path.read_bytes()).facts()


# --- Chrome ----------------------------------------------------------------------------------

def nanoseconds(text):
    """Of microseconds with three decimals, exactly."""
    whole, part = text.lstrip("-").split(".")
    value = int(whole) * 1000 + int(part)
    assert len(part) == 3
    return -value if text.startswith("-") else value


class Chrome:
    def __init__(self, text):
        document = json.loads(text, parse_float=lambda number: number)
        self.events = document["traceEvents"]
        self.other = document["otherData"]
        self.names = {event["tid"]: event["args"]["name"] for event in self.events
                      if event["ph"] == "M" and event["name"] == "thread_name"}

    def facts(self):
        facts = Facts()
        open_slices = defaultdict(list)
        reached = {}  # by thread: the file is in order
        for event in self.events:
            phase = event["ph"]
            if phase not in "BEXi" or (phase == "i" and event["s"] == "p"):
                continue
            tid = event["tid"]
            assert tid in self.names, "event of a thread without a name"
            if phase == "i":
                self.instant(facts, event)
                continue
            time = nanoseconds(event["ts"])
            assert tid >= 1000000 or time >= reached.get(tid, time), "slices run backwards"
            reached[tid] = time
            if phase == "B":
                open_slices[tid].append((event["name"], time))
            elif phase == "E":
                name, start = open_slices[tid].pop()
                self.slice(facts, tid, name, time - start)
            else:
                duration = nanoseconds(event["dur"])
                reached[tid] += duration
                self.slice(facts, tid, event["name"], duration)
        assert not any(open_slices.values()), "slices without an end"
        return facts

    def slice(self, facts, tid, name, duration):
        if tid < 1000000:
            facts.call(name, duration)
        elif ": Collections" in self.names[tid]:
            facts.collections += 1
        elif self.names[tid].endswith(": Waiting for locks"):
            facts.contentions += 1
            facts.wait += duration

    @staticmethod
    def instant(facts, event):
        arguments = event.get("args", {})
        if event["cat"] == "sample":
            name = event["name"]
            facts.samples["?" if name == "(no managed frame)" else name] += arguments.get(
                "weight", 1)
        elif event["cat"] == "alloc":
            facts.allocation(event["name"], arguments.get("objects", 1), arguments["bytes"])
        elif event["cat"] == "throw":
            facts.thrown[event["name"].removeprefix("throws ")] += 1
        elif event["cat"] == "clause":
            facts.clauses += 1


def chrome(path):
    return Chrome(path.read_text()).facts()


# --- JFR -------------------------------------------------------------------------------------

def type_name(type_object):
    return type_object["name"].replace("/", ".") if type_object else "(class not recorded)"


def jfr_duration(text):
    """Of ISO 8601, as the JDK prints it: PT0.000012S, PT1M2.5S."""
    total = 0
    for number, unit in re.findall(r"(-?[\d.]+)([HMS])", text):
        whole, _, part = number.partition(".")
        sign = -1 if whole.startswith("-") else 1
        scale = {"H": 3600, "M": 60, "S": 1}[unit]
        total += scale * (int(whole) * 10**9 + sign * int(part.ljust(9, "0")[:9]))
    return total


def method_name(method):
    """As the file has it, without what tells classes from methods."""
    name = method["type"]["name"]
    return plain_name(f"{name}.{method['name']}" if name else method["name"], "")


def plain_name(name, mark=":"):
    """As method_name(), of a name as polytrace has it: Type:Method or Type::Method."""
    if mark and mark in name:
        at = name.index(mark)
        name = name[:at] + "." + name[at:].removeprefix("::" if name[at:at + 2] == "::" else ":")
    return name.replace("/", ".")


def plain(facts):
    """The facts with names as JFR has them."""
    for attribute in ("calls", "time", "samples", "allocated", "bytes", "thrown"):
        names = Counter()
        for name, value in getattr(facts, attribute).items():
            names[plain_name(name)] += value
        setattr(facts, attribute, names)
    return facts


def jfr(path, tool="jfr"):
    facts = Facts()
    printed = json.loads(run(tool, "print", "--json", "--stack-depth", "1", "--events",
                             "MethodCall,ExecutionSample,ObjectAllocationSample,GarbageCollection,"
                             "JavaMonitorEnter,JavaExceptionThrow,Clause", path))
    for event in printed["recording"]["events"]:
        values = event["values"]
        match event["type"].rpartition(".")[2]:
            case "MethodCall":
                facts.call(method_name(values["method"]), jfr_duration(values["duration"]))
            case "ExecutionSample":
                leaf = method_name(values["stackTrace"]["frames"][0]["method"])
                facts.samples["?" if leaf == "(no managed frame)" else leaf] += 1
            case "ObjectAllocationSample":
                facts.allocation(type_name(values["objectClass"]), values["objects"],
                                 values["weight"])
            case "GarbageCollection":
                facts.collections += 1
            case "JavaMonitorEnter":
                facts.contentions += 1
                facts.wait += jfr_duration(values["duration"])
            case "JavaExceptionThrow":
                facts.thrown[type_name(values["thrownClass"])] += 1
            case "Clause":
                facts.clauses += 1
    return plain(facts)


# --- CTF -------------------------------------------------------------------------------------

TEXT = r'"(?:[^"\\]|\\.)*"'
VALUE = re.compile(rf"(\w+) = (?:\( ({TEXT})[^)]*? : container = \d+ \)|({TEXT}|[^\s,{{}}\[\]]+))")
EVENT = re.compile(r"^\[(\d+)\.(\d{9})\] (\w+): (.*)$")


def unquoted(text):
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def ctf_values(text):
    """{name: value} of the parts babeltrace2 prints in braces; enumerations by their label."""
    values = {}
    for name, label, plain_value in VALUE.findall(text):
        values.setdefault(name, unquoted(label or plain_value))
    return values


def ctf(path):
    facts = Facts()
    open_calls = defaultdict(list)
    waiting = {}
    for line in run("babeltrace2", "--clock-seconds", "--no-delta", path).decode().splitlines():
        found = EVENT.match(line)
        assert found, line
        time, kind = int(found[1]) * 10**9 + int(found[2]), found[3]
        values = ctf_values(found[4])
        thread = values["thread"]
        match kind:
            case "enter":
                open_calls[thread].append((values["method"], time))
            case "leave":
                name, start = open_calls[thread].pop()
                assert name == values["method"], "calls do not nest"
                facts.call(name, time - start)
            case "sample":
                if values["mode"] != "change":
                    frames = re.findall(rf"\[\d+\] = \( ({TEXT})",
                                        found[4].split(", natives_length")[0])
                    leaf = unquoted(frames[-1]) if frames else "?"
                    facts.samples["?" if leaf == "(not told)" else leaf] += max(
                        int(values["weight"]), 1)
            case "alloc":
                weight = max(int(values["weight"]), 1)
                facts.allocation(values["class"], weight, weight * int(values["size"]))
            case "alloc_summary":
                facts.allocation(values["class"], int(values["count"]), int(values["bytes"]))
            case "throw":
                facts.thrown["all"] += 1  # the class of the object is not in the event
            case "clause":
                facts.clauses += 1
            case "gc":
                facts.collections += values["phase"] == "start"
            case "monitor" if values["stage"] == "contended":
                facts.contentions += 1
                waiting[thread] = time
            case "monitor" if thread in waiting:
                facts.wait += time - waiting.pop(thread)
    assert not any(open_calls.values()), "calls without an end"
    return facts
