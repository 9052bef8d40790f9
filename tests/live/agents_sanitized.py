#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agents with sanitizers in them survive the example programs in Java and C#, with all events,
commands and a heap dump, and have nothing to say. Builds these agents, in build/agents-*, and runs
only with POLYTRACE_LONG=1: minutes."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from jvm_common import HERE, LONG, find_jdks, skip
from waiting import wait_until

ROOT = HERE.parent.parent
POLYTRACE = os.environ["POLYTRACE"]
BAD = ("ERROR: AddressSanitizer", "runtime error:", "WARNING: ThreadSanitizer", "FATAL:")
# Runtimes handle their own faults; what they leave behind at the end is theirs.
SANITIZERS = {
    "address": ("address,undefined", "libasan.so", {
        "ASAN_OPTIONS": "handle_segv=0:handle_sigill=0:handle_sigfpe=0:detect_leaks=0:"
                        "allow_user_segv_handler=1:use_sigaltstack=0",
        "UBSAN_OPTIONS": "print_stacktrace=1"}),
    # What a runtime does among its own threads it synchronizes in ways that are not seen.
    "thread": ("thread", "libtsan.so", {
        "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:report_signal_unsafe=0:"
                        "handle_segv=0:exitcode=66"}),
}
JAVA_EVENTS = "calls+threads+gc+monitors+exceptions+alloc=sites"
MONO_EVENTS = "calls+threads+gc+monitors+exceptions+alloc+jit+classes+counters+samples"


def build(name, sanitizers):
    folder = ROOT / "build" / f"agents-{name}"
    for command in (["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder,
                     "-D", "CMAKE_CXX_COMPILER=g++", "-D", "CMAKE_BUILD_TYPE=Debug",
                     "-D", "CMAKE_CXX_FLAGS_DEBUG=-O1 -g1", "-D", "POLYTRACE_TESTS=OFF",
                     "-D", f"POLYTRACE_SANITIZE={sanitizers}",
                     "-D", "POLYTRACE_SANITIZE_AGENTS=ON"],
                    ["cmake", "--build", folder, "--target", "polytrace_agent_jvm",
                     "polytrace_agent_mono"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    library = (folder / "libpolytrace-jvm.so").read_bytes()
    assert b"__asan_report" in library or b"__tsan_write" in library, "no sanitizer is in it"
    return folder


def find_library(name):
    found = subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True,
                           check=True).stdout.strip()
    return os.path.realpath(found)


def control(environment, program, *words):
    """The agent may not listen yet: it is asked until it answers or the program has ended."""
    def answers():
        done = subprocess.run([POLYTRACE, "control", str(program.pid), *words],
                              capture_output=True, text=True, timeout=600, check=False,
                              env={**os.environ, "XDG_RUNTIME_DIR": environment["XDG_RUNTIME_DIR"]})
        assert done.returncode == 0 or words == ("status",), f"{words}: {done.stderr}"
        return done.returncode == 0
    wait_until(answers, "an agent that listens", seconds=900, process=program)


def survive(what, environment, command, trace, commands):
    with tempfile.TemporaryFile("w+") as output:
        program = subprocess.Popen(command, env=environment, stdout=output,
                                   stderr=subprocess.STDOUT)
        try:
            for words in (["status"], *commands):
                control(environment, program, *words)
            program.wait(900)
        finally:
            program.kill()
            program.wait()
        output.seek(0)
        said = output.read()
    assert program.returncode == 0, f"{what}: {program.returncode}\n{said[-8000:]}"
    assert " sold, " in said and not any(word in said for word in BAD), f"{what}:\n{said[-8000:]}"
    done = subprocess.run([POLYTRACE, "check", str(trace)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, f"{what}: {done.stdout}"
    print(f"{what}: nothing to say", flush=True)


COMMANDS = (["pause"], ["resume"], ["annotate", "here"], ["gc"], ["flush"])


def test_java(jdk, folder, agent, environment, name):
    trace = folder / f"java{jdk.version}-{name}.ptrace"
    options = f"file={trace},control=unix,events={JAVA_EVENTS},heapdump=end,buffer=4m"
    survive(f"JDK {jdk.version}, {name}", environment,
            [jdk.tool("java"), f"-agentpath:{agent}/libpolytrace-jvm.so={options}",
             "-cp", str(folder / "classes"), "Shop", "40"], trace,
            (["filters", "Shop* * INCLUDE", "* * EXCLUDE"], ["heap-dump"], *COMMANDS))


def test_mono(folder, agent, environment, name):
    trace = folder / f"mono-{name}.ptrace"
    options = f"file={trace},control=unix,events={MONO_EVENTS},buffer=4m"
    survive(f"Mono, {name}", {**environment, "LD_LIBRARY_PATH": str(agent)},
            ["mono", f"--profile=polytrace:{options}", str(folder / "shop.exe"), "40"], trace,
            COMMANDS)


def main():
    if not LONG:
        skip("builds agents of its own: only with POLYTRACE_LONG=1")
    for tool in ("cmake", "ninja", "g++"):
        if not shutil.which(tool):
            skip(f"no {tool} here")
    chosen = sys.argv[1:] or list(SANITIZERS)
    jdks = find_jdks()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sources = sorted(map(str, (ROOT / "examples/shop/java").glob("*.java")))
        subprocess.run([jdks[0].tool("javac"), "-g", "-d", folder / "classes", *sources],
                       check=True)
        if shutil.which("mcs"):
            sources = sorted(map(str, (ROOT / "examples/shop/csharp").glob("*.cs")))
            subprocess.run(["mcs", "-debug", *sources, f"-out:{folder}/shop.exe"], check=True)
        for name in chosen:
            sanitizers, library, options = SANITIZERS[name]
            agent = build(name, sanitizers)
            environment = {**os.environ, **options, "LD_PRELOAD": find_library(library),
                           "XDG_RUNTIME_DIR": temporary}
            for jdk in jdks:
                test_java(jdk, folder, agent, environment, name)
            if (folder / "shop.exe").exists():
                test_mono(folder, agent, environment, name)


main()
