#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every record of a TraceLog, as CoreProfiler's variables ask for it, against what the program
counts. The log is read here by itself, line by line."""
import os
import re
import signal
import subprocess
from collections import Counter

from coreclr_common import POLYTRACE, Room, check, equal, truth_of

ALL = {"PROF_COLLECT_METHOD": "Sampling", "PROF_SAMPLING_TIMEOUT": "0x5",
       "PROF_EXECUTION_TRACE": "on", "PROF_MEMORY_TRACE": "Yes", "PROF_GC_TRACE": "1",
       "PROF_CPU_TRACE": "enabled", "PROF_CPU_TRACE_PROC": "TRUE", "PROF_CPU_TRACE_THREAD": "true",
       "PROF_CPU_TRACE_TIMEOUT": "20", "PROF_LINE_TRACE": "true"}
CONFIGURATION = {
    "CollectionMethod": "Sampling", "SamplingTimeoutMs": "5", "HighGranularityEnabled": "T",
    "TracingSuspendedOnStart": "F", "LineTraceEnabled": "T", "CpuTraceProcessEnabled": "T",
    "CpuTraceThreadEnabled": "T", "CpuTraceTimeoutMs": "20", "ExecutionTraceEnabled": "T",
    "MemoryTraceEnabled": "T", "StackTrackingEnabled": "T", "GcTraceEnabled": "T"}
MILLISECOND = 1000


class Log:
    """The lines by key, their fields; names by number; stacks put together again."""

    def __init__(self, path):
        self.lines, self.of_key = [], {}
        for line in path.read_text(encoding="utf-8").splitlines():
            key, fields = line[:7], line[8:]
            is_setting = key == "prf cfg"
            fields = fields.split(" ", 1) if is_setting else re.findall(r'"[^"]*"|\S+', fields)
            self.lines.append((key, fields))
            self.of_key.setdefault(key, []).append(fields)
        self.methods = {int(f[0], 16): f[1].strip('"') for f in self.all("fun nam")}
        self.classes = {int(f[0], 16): f[1].strip('"') for f in self.all("cls nam")}

    def all(self, key):
        return self.of_key.get(key, [])

    def stacks(self):
        """Key, fields and the thread's stack then, as (method, place), of each sample."""
        stacks = {}
        for key, fields in self.lines:
            if key == "thr dst":
                stacks.pop(fields[0], None)
            if key not in ("sam str", "sam mem"):
                continue
            stack = stacks.setdefault(fields[0], [])
            if key == "sam str":
                prefix, size, *place = fields[3].split(":")
                check(int(size) == len(stack), "a stack of", len(stack), "is told as", fields)
                del stack[int(prefix):]
                if place:
                    stack[-1] = (stack[-1][0], place[0])
                for frame in fields[4:]:
                    method, *place = frame.split(":")
                    stack.append((int(method, 16), place[0] if place else None))
            yield key, fields, stack


def record(room, program, options="", **variables):
    path = room.folder / "trace.log"
    path.unlink(missing_ok=True)
    done = subprocess.run(
        room.command(program), capture_output=True, text=True, timeout=250, cwd=room.folder,
        env=room.surroundings(options, POLYTRACE=str(POLYTRACE), PROF_TRACE_FILENAME=str(path),
                              **variables), check=False)
    check(done.returncode == 0, done.stdout, done.stderr)
    check_whole(path)
    return done.stdout, Log(path)


def check_whole(path):
    done = subprocess.run([POLYTRACE, "check", "--strict", path], capture_output=True, text=True,
                          timeout=150, check=False)
    check(done.returncode == 0, done.stdout, done.stderr)


def check_configuration(log):
    told = dict(log.all("prf cfg"))
    equal("configuration", {name: told.get(name) for name in CONFIGURATION}, CONFIGURATION)
    check(log.lines[0][0] == "prf stm", "first line:", log.lines[0])
    check((log.methods[0], log.methods[1]) == ("<UNMANAGED>", "<JIT>"), "pseudo functions")


def check_loader(log):
    modules = {fields[0]: fields for fields in log.all("mod ldf")}
    attached = dict(log.all("mod ata"))
    assemblies = {fields[0]: fields[4].strip('"') for fields in log.all("asm ldf")}
    mine = [module for module, fields in modules.items() if fields[4].endswith('/Records.dll"')]
    check(len(mine) == 1 and assemblies[attached[mine[0]]] == "Records", "module", modules)
    domains = {fields[0] for fields in log.all("apd crf")}
    check({fields[1] for fields in log.all("asm ldf")} <= domains, "domains", domains)
    loaded = {int(fields[1], 16): fields for fields in log.all("cls ldf")}
    kept = next(number for number, name in log.classes.items() if name == "Records.Kept")
    check(loaded[kept][2] == mine[0] and loaded[kept][3].startswith("0x02"), loaded[kept])


def check_threads(log, truth):
    begun = [fields[1] for fields in log.all("thr crt")]
    check(len(begun) == len(set(begun)), "threads are told twice", begun)
    numbers = dict(log.all("thr aos"))
    check(set(begun) == set(numbers), "numbers of the system:", numbers, "threads", begun)
    check({fields[0] for fields in log.all("thr dst")} <= set(begun), "ends of unknown threads")
    check(len(log.all("thr dst")) >= 1, "no thread ended")
    times = [int(fields[1]) for fields in log.all("prc cpu")]
    used = {}
    for thread, _, microseconds in log.all("thr cpu"):
        used[thread] = used.get(thread, 0) + int(microseconds)
    process = sum(times)
    printed = truth["cpu"]["process"]
    # The runtime's own threads are none of these; reading clocks one after the other takes time.
    check(0 < sum(used.values()) <= process + 50 * MILLISECOND, used, process)
    check(process >= printed / 4, "CPU:", process, "of", printed)


def check_functions(log):
    code, maps = {}, {}
    for fields in log.all("fun inf"):
        number = int(fields[0], 16)
        for item in fields[5:]:
            parts = [int(part, 16) for part in item.split(":")]
            if len(parts) == 2:
                code.setdefault(number, []).append((parts[0], parts[0] + parts[1]))
            else:
                check(parts[1] <= parts[2], "range", fields)
                maps.setdefault(number, []).append(parts)
    names = {name: number for number, name in log.methods.items()}
    for method in ("Allocate", "Hold", "Spin", "Main"):
        number = names[f"Records.Program::{method}"]
        check(code.get(number) and maps.get(number), method, "has no code or map")
        check(any(il == 0xfffffffe and begin == 0 for il, begin, _ in maps[number]),
              method, "has no prologue", maps[number])
    return code


def check_jit(log):
    for start, end in (("jit cms", "jit cmf"), ("jit css", "jit csf")):
        starts = Counter((f[0], f[2]) for f in log.all(start))
        ends = Counter((f[0], f[2]) for f in log.all(end))
        check(sum((ends - starts).values()) == 0, end, "without", start, ends - starts)
        check(sum((starts - ends).values()) <= 2, start, "without", end, starts - ends)
    runtime_ids = {f[1]: log.methods.get(int(f[0], 16)) for f in log.all("fun inf")}
    compiled = {runtime_ids.get(f[2]) for f in log.all("jit cmf") if f[3] == "0x00000000"}
    check({f"Records.Program::{name}" for name in ("Allocate", "Hold", "Spin", "Main")} <= compiled,
          "compiled:", compiled)


def check_collections(log, truth):
    letters = [fields[3] for fields in log.all("gch gcs")]
    check(len(letters) == len(log.all("gch gcf")), "starts and ends of collections")
    counts = {f"gen{i}": sum("t" in word[i:3] for word in letters) for i in range(3)}
    equal("collections", counts, truth["collections"])
    check(sum(fields[2] == "induced" for fields in log.all("gch gcs")) == 1, "induced", letters)
    check(len(log.all("gch alt")) == len(letters), "a table for each collection")
    table = {log.classes[int(item.split(":")[0], 16)]: item.split(":")[1:]
             for item in log.all("gch alt")[-1][1:]}
    check(table["Records.Kept"][0] == str(truth["kept"]["Records.Kept"]), table["Records.Kept"])
    check("Records.Dropped" not in table, "the dead are in the table", table)


def check_allocations(log, truth, code):
    made, size = Counter(), Counter()
    for key, fields, stack in log.stacks():
        if key != "sam mem":
            continue
        for item in fields[2:]:
            number, count, size_of, *ip = item.split(":")
            name = log.classes[int(number, 16)]
            made[name] += int(count)
            size[name] += int(size_of)
            if name not in truth["made"]:
                continue
            names = [log.methods[method] for method, _ in stack]
            check(names[-1] == "Records.Program::Allocate", name, "made in", names)
            check("Records.Program::Main" in names, names)
            at = int(ip[0], 16)
            check(any(begin <= at <= end for begin, end in code[stack[-1][0]]), "place", item)
    equal("objects", {name: made[name] for name in truth["made"]}, truth["made"])
    check(size["Records.Kept"] == 32 * made["Records.Kept"], "bytes", size["Records.Kept"])


def check_calls(room):
    """Instrumentation: a call is a frame that is put on the stack."""
    output, log = record(room, "Records", "filter=Records.*",
                         PROF_COLLECT_METHOD="Instrumentation", PROF_EXECUTION_TRACE="1")
    calls, before = Counter(), {}
    for _, fields, stack in log.stacks():
        check(fields[2] == "0", "no tick passes", fields)
        if len(stack) > before.get(fields[0], 0):
            calls[tuple(log.methods[method] for method, _ in stack[-2:])] += 1
        before[fields[0]] = len(stack)
    allocate, made = "Records.Program::Allocate", truth_of(output)["made"]
    expected = {(allocate, f"{name}::{method}"): made[name] for name in made
                for method in (".ctor", "Sum") if (name, method) != ("Records.Finalized", "Sum")}
    expected["Records.Finalized::Finalize",] = made["Records.Finalized"]
    expected["Records.Program::Main", allocate] = 1
    equal("calls", {names: calls[names] for names in expected}, expected)
    check(not any(before.values()), "calls do not end", before)
    check(dict(log.all("prf cfg"))["CollectionMethod"] == "Instrumentation", "method")


def check_sizes(room):
    """In later logs each collection has the sizes of its generations."""
    _, log = record(room, "Records", "format=tracelog:later", PROF_GC_TRACE="1")
    check(len(log.all("gch gen")) == len(log.all("gch gcs")) > 0, "sizes", log.all("gch gen"))
    for fields in log.all("gch gen"):
        names = [item.split(":")[0] for item in fields[1:]]
        check(names == ["loh", "gen2", "gen1", "gen0", "poh"], names)
        check(all(int(used) <= int(all_) for _, used, all_ in (i.split(":") for i in fields[1:])),
              fields)


def check_pauses(room):
    """Signals pause and resume; what happens meanwhile is not told."""
    path = room.folder / "trace.log"
    path.unlink(missing_ok=True)
    with subprocess.Popen(
            room.command("Records", "wait"), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=room.folder,
            env=room.surroundings("", POLYTRACE=str(POLYTRACE), PROF_TRACE_FILENAME=str(path),
                                  PROF_DELAYED_START="1", PROF_CPU_TRACE="1",
                                  PROF_CPU_TRACE_PROC="1", PROF_CPU_TRACE_THREAD="1")) as program:
        answer = program.stdout.readline()
        check(answer == "ready\n", answer)
        for number in (signal.SIGRTMIN + 8, signal.SIGRTMIN + 7, signal.SIGRTMIN + 8):
            os.kill(program.pid, number)
            program.stdin.write("100\n")
            program.stdin.flush()
            check(program.stdout.readline() == "spun\n", "no answer")
        program.stdin.close()
        check(program.wait(150) == 0, "exit code", program.returncode)
    check_whole(path)
    log = Log(path)
    marks = [(key, int(f[0])) for key, f in log.lines if key in ("prf tps", "prf trs")]
    check([key for key, _ in marks] == ["prf tps", "prf trs", "prf tps", "prf trs"], marks)
    for fields in log.all("prc cpu"):
        at = int(fields[0])
        told = marks[1][1] <= at <= marks[2][1] or marks[3][1] <= at
        check(told, "CPU time at", at, "while paused:", marks)


def check_native(room):
    """What a log has no place for is in the stream."""
    output, stream = room.run("events=gc,coreclr.handles=yes,coreclr.finalizers=yes", "Records")
    truth, made, freed = truth_of(output), {}, Counter()
    for event in sorted(stream.all("Handle"), key=lambda e: e.tick):
        kind = event.fields.get("type", 0)
        if event.fields.get("stage", 0) == 0:
            made[event.id] = kind
            continue
        check(made.pop(event.id) == kind, "a handle ends as another kind", event)
        freed[kind] += 1
    # The runtime may free some of its own.
    handles = truth["handles"]["all"]
    check(freed[0] >= (handles + 1) // 2 and freed[2] >= handles // 2, "freed by kind:", freed)
    stages = Counter(e.fields.get("stage", 0) for e in stream.all("Finalize"))
    check(stages[0] == stages[1] > 0, "rounds of finalization", stages)
    check(stages[2] >= truth["finalized"]["Records.Finalized"], "finalized objects", stages)


def check_locks(room):
    """Who waits is told of what class the lock is, and who holds it."""
    _, stream = room.run("events=monitors", "Locks")
    classes = {e.id: e.fields["name"] for e in stream.all("Class")}
    main = min(e.id for e in stream.all("Thread"))
    waits = [e for e in stream.all("Monitor") if e.fields.get("stage", 0) == 0]
    told = Counter((classes[e.fields["class_id"]], e.fields["owner"]) for e in waits)
    check(told["System.Object", main] == 5, "contentions by class and owner:", told)


def main():
    room = Room("Records", "Locks")
    output, log = record(room, "Records", **ALL)
    truth = truth_of(output)
    check_configuration(log)
    check_loader(log)
    check_threads(log, truth)
    check_allocations(log, truth, check_functions(log))
    check_jit(log)
    check_collections(log, truth)
    check_calls(room)
    check_sizes(room)
    check_pauses(room)
    check_native(room)
    check_locks(room)
    print(f".NET {room.sdk.version}: {len(log.lines)} lines of {len(log.of_key)} kinds, all right")


main()
