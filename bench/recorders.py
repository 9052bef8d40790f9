# SPDX-License-Identifier: Apache-2.0
"""What recording a real program costs: compilers of Java and C#, each plain, under polytrace and
under the recorder that people know for its runtime, in turn.

usage: recorders.py RUNS
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from measure import run

SHOP = Path(__file__).resolve().parent.parent / "examples/shop/csharp"
COPIES = 200
PART = "jdk.compiler/com/sun/tools/javac/parser/"
POLYTRACE = os.environ["POLYTRACE"]


def record(folder, *options):
    return [POLYTRACE, "record", "--quiet", "--force", "-o", f"{folder}/bench.ptrace", *options]


def csharp(folder):
    """The shop, many times over, each copy in a namespace of its own."""
    for source in SHOP.glob("*.cs"):
        text = source.read_text(encoding="utf-8")
        for i in range(COPIES):
            copy = Path(folder) / f"{source.stem}{i}.cs"
            copy.write_text(f"namespace N{i} {{\n{text}\n}}\n")
    return [str(name) for name in sorted(Path(folder).glob("*.cs"))]


def newest(paths):
    return max(paths, key=lambda path: [int(n) for n in path.name.split(".") if n.isdigit()],
               default=None)


def java(folder):
    """javac compiles its own parser, where a JDK brings the sources."""
    homes = [Path(home) for home in sorted(Path("/usr/lib/jvm").glob("*"))]
    home = next((home for home in reversed(homes) if (home / "lib/src.zip").exists()), None)
    if home is None:
        return
    with zipfile.ZipFile(home / "lib/src.zip") as archive:
        names = [name for name in archive.namelist()
                 if name.startswith(PART) and name.endswith(".java")]
        archive.extractall(folder, names)
    program = str(home / "bin/java")
    work = ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d", f"{folder}/classes", "-nowarn",
            f"--patch-module=jdk.compiler={folder}/jdk.compiler",
            *(f"{folder}/{name}" for name in sorted(names))]
    release = subprocess.run([program, "-version"], stderr=subprocess.PIPE, text=True, check=True)
    jfr = "-XX:StartFlightRecording:filename=" + f"{folder}/bench.jfr,settings="
    own = ["--runtime", program, "java", *work]
    few = "threads,gc,monitors,exceptions,alloc=sampled:512k"
    yield f"javac compiles its parser; {release.stderr.splitlines()[0]}", [
        ("plain", [program, *work]),
        ("JFR, default settings", [program, "-Xlog:jfr*=off", jfr + "default", *work]),
        ("JFR, profile settings", [program, "-Xlog:jfr*=off", jfr + "profile", *work]),
        ("polytrace, no calls", record(folder, "--events", few, *own)),
        ("polytrace, every call of javac",
         record(folder, "--events", "calls,gc", "--filter", "com.sun.tools.javac.*",
                "--option", "jvm.accessors=yes", *own))]


def mono(folder):
    compiler = Path("/usr/lib/mono/4.5/mcs.exe")
    if shutil.which("mono") is None or not compiler.exists():
        return
    work = [str(compiler), "-target:library", f"-out:{folder}/shops.dll", *csharp(folder)]
    log = f"output={folder}/bench.mlpd"
    version = subprocess.run(["mono", "--version"], stdout=subprocess.PIPE, text=True, check=True)
    yield f"mcs compiles {COPIES} shops; {version.stdout.splitlines()[0].split(' (')[0]}", [
        ("plain", ["mono", *work]),
        ("Mono's profiler, samples", ["mono", f"--profile=log:sample=100,{log}", *work]),
        ("polytrace, samples", record(folder, "--events", "samples=10ms", "mono", *work)),
        ("Mono's profiler, every call", ["mono", f"--profile=log:calls,{log}", *work]),
        ("polytrace, every call", record(folder, "--events", "calls", "mono", *work))]


def dotnet(folder):
    program = shutil.which("dotnet")
    if program is None:
        return
    root = Path(program).resolve().parent
    sdk = newest(root.glob("sdk/*"))
    reference = newest(root.glob("packs/Microsoft.NETCore.App.Ref/*"))
    if sdk is None or reference is None:
        return
    work = [str(sdk / "Roslyn/bincore/csc.dll"), "-nologo", "-nowarn:CS0436,CS8892,CS7022",
            "-target:library", f"-out:{folder}/shops.dll",
            *(f"-r:{name}" for name in sorted(reference.glob("ref/*/*.dll"))), *csharp(folder)]
    rows = [("plain", [program, "exec", *work])]
    tracer = os.environ.get("POLYTRACE_DOTNET_TRACE") or shutil.which("dotnet-trace")
    if tracer:
        rows.append(("dotnet-trace, default profiles",
                     [tracer, "collect", "-o", f"{folder}/bench.nettrace", "--", program, "exec",
                      *work]))
    rows += [("polytrace, samples",
              record(folder, "--events", "threads,gc,exceptions,samples=10ms", "dotnet", *work)),
             ("polytrace, every call of csc",
              record(folder, "--events", "calls,gc", "--filter", "Microsoft.CodeAnalysis.*",
                     "dotnet", *work))]
    yield f"csc compiles {COPIES} shops; .NET {reference.name}", rows


def size(folder):
    """MiB of what a recorder wrote."""
    written = sum(path.stat().st_size for path in Path(folder).glob("bench.*") if path.is_file())
    return written / 2**20


def compare(title, rows, folder, runs):
    figures = {name: [] for name, _ in rows}
    for _ in range(runs):
        for name, command in rows:
            for old in Path(folder).glob("bench.*"):
                old.unlink()
            figures[name].append({**run(command), "file": size(folder)})
    plain = figures["plain"]
    print(f"\n{title}\n{'':<32} {'wall s':>7} {'CPU s':>7} {'CPU':>7} {'MiB':>6} {'file MiB':>8}")
    for name, measured in figures.items():
        middle = {key: statistics.median(one[key] for one in measured) for key in measured[0]}
        ratio = statistics.median(one["cpu"] / other["cpu"]
                                  for one, other in zip(measured, plain))
        print(f"{name:<32} {middle['wall']:7.2f} {middle['cpu']:7.2f} {ratio:6.2f}x"
              f" {middle['rss']:6.0f} {middle['file']:8.1f}", flush=True)


def main():
    runs = int(sys.argv[1])
    for program in (java, mono, dotnet):
        with tempfile.TemporaryDirectory() as folder:
            for title, rows in program(folder):
                compare(title, rows, folder, runs)


main()
