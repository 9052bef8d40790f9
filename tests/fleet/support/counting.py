# SPDX-License-Identifier: Apache-2.0
"""Programs that count their own calls, in Java and C#, with an agent of polytrace that dials a
collector: what they print is the truth for whoever counts the same calls elsewhere. Where a runtime
is missing its program is left out, and that is said."""
import json
import os
import shutil
import subprocess
from pathlib import Path

POLYTRACE = Path(os.environ["POLYTRACE"]).resolve()
BESIDE = POLYTRACE.parent

# Rounds and their length in milliseconds are told, or the file whose sight ends them; the counts
# are printed at the end.
JAVA = """
public class Counts {
  static volatile long leaves, twigs, thrown;
  static void leaf() { leaves++; }
  static void twig(int width) { twigs++; for (int i = 0; i < width; i++) leaf(); }
  static void thrower() { thrown++; throw new IllegalStateException(); }
  static void turn(int round) throws Exception {
    for (int i = 0; i < 100; i++) twig(i % 7);
    try { thrower(); } catch (IllegalStateException ignored) { }
  }
  public static void main(String[] words) throws Exception {
    int most = Integer.parseInt(words[0]), pause = Integer.parseInt(words[1]), rounds = 0;
    java.io.File end = words.length > 2 ? new java.io.File(words[2]) : null;
    for (; end == null ? rounds < most : !end.exists(); rounds++) {
      turn(rounds); if (pause > 0) Thread.sleep(pause); }  // wait: pace of its work
    System.out.println("leaf " + leaves + " twig " + twigs + " thrower " + thrown
                       + " turn " + rounds);
  }
}
"""
CSHARP = """
using System;
using System.Runtime.CompilerServices;
using System.Threading;
public class Counts {
  static long leaves, twigs, thrown;
  [MethodImpl(MethodImplOptions.NoInlining)] static void leaf() { leaves++; }
  [MethodImpl(MethodImplOptions.NoInlining)] static void twig(int width) {
    twigs++; for (int i = 0; i < width; i++) leaf(); }
  [MethodImpl(MethodImplOptions.NoInlining)] static void thrower() {
    thrown++; throw new InvalidOperationException(); }
  [MethodImpl(MethodImplOptions.NoInlining)] static void turn(int round) {
    for (int i = 0; i < 100; i++) twig(i % 7);
    try { thrower(); } catch (InvalidOperationException) { } }
  public static void Main(string[] words) {
    int most = int.Parse(words[0]), pause = int.Parse(words[1]), rounds = 0;
    string end = words.Length > 2 ? words[2] : null;
    for (; end == null ? rounds < most : !System.IO.File.Exists(end); rounds++) {
      turn(rounds); if (pause > 0) Thread.Sleep(pause); }  // wait: pace of its work
    Console.WriteLine("leaf " + leaves + " twig " + twigs + " thrower " + thrown
                      + " turn " + rounds);
  }
}
"""
METHODS = ("leaf", "twig", "thrower", "turn")


def is_plain(library):
    """Built, and without sanitizers, which no runtime loads."""
    return library.is_file() and b"__asan_init" not in library.read_bytes()


class Program:
    """One that runs; counts() waits for its end, which end() brings about."""

    def __init__(self, command, environment, folder, sign):
        self.sign = Path(sign)
        self.process = subprocess.Popen([str(word) for word in command], cwd=folder,
                                        env=dict(os.environ, **environment), text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)

    def end(self):
        self.sign.touch()

    def counts(self):
        out, err = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, (self.process.returncode, out, err)
        words = out.split()
        return dict(zip(words[::2], map(int, words[1::2])))


class Programs:
    """Compiled in a folder. `names` are those that can run here. Other sources have a class Counts
    that is told the same words."""

    def __init__(self, folder, java=JAVA, csharp=CSHARP):
        self.folder = Path(folder)
        self.names = []
        self.number = 0
        (self.folder / "Counts.java").write_text(java)
        (self.folder / "Counts.cs").write_text(csharp)
        for name in ("java", "mono", "dotnet"):
            missing = getattr(self, f"make_{name}")()
            if missing:
                print(f"without {name}: {missing}")
            else:
                self.names.append(name)

    def make_java(self):
        self.jvm = BESIDE / "libpolytrace-jvm.so"
        if not shutil.which("javac") or not is_plain(self.jvm):
            return "no javac or no agent here"
        subprocess.run(["javac", "Counts.java"], cwd=self.folder, check=True)
        return None

    def make_mono(self):
        library = BESIDE / "libmono-profiler-polytrace.so"
        if not shutil.which("mcs") or not shutil.which("mono") or not is_plain(library):
            return "no mono, mcs or module here"
        subprocess.run(["mcs", "-optimize-", "Counts.cs", "-out:Counts.exe"], cwd=self.folder,
                       check=True)
        return None

    def make_dotnet(self):
        self.clr = BESIDE / "libpolytrace-coreclr.so"
        if not shutil.which("dotnet") or not is_plain(self.clr):
            return "no dotnet or agent here"
        sdks = subprocess.run(["dotnet", "--list-sdks"], capture_output=True, text=True,
                              check=True).stdout.split("\n")
        runtimes = [line.split() for line in subprocess.run(
            ["dotnet", "--list-runtimes"], capture_output=True, text=True,
            check=True).stdout.splitlines() if line.startswith("Microsoft.NETCore.App ")]
        found = [Path(line.split(" [")[1].rstrip("]"), line.split()[0], "Roslyn/bincore/csc.dll")
                 for line in sdks if " [" in line]
        if not runtimes or not found or not found[-1].is_file():
            return "no SDK here"
        _, version, place = runtimes[-1]
        libraries = [path for path in Path(place.strip("[]"), version).glob("*.dll")
                     if path.name.startswith("System.") and "Native" not in path.name]
        subprocess.run(["dotnet", found[-1], "-nologo", "-nostdlib", "-optimize-",
                        "-out:counts.dll", *[f"-r:{path}" for path in libraries], "Counts.cs"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        (self.folder / "counts.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": {
            "framework": {"name": "Microsoft.NETCore.App", "version": version}}}))
        return None

    def start(self, name, socket, rounds, pause, more=""):
        """Dials the collector at `socket`. Without rounds it goes on until it is told to end."""
        self.number += 1
        sign = self.folder / f"end-{self.number}"
        words = [rounds, pause] if rounds else [0, pause, sign]
        # A busy machine may need long for the rest of a stream, which is whole then.
        options = (f"file={self.folder}/own-{self.number}.ptrace,control=none,connect={socket},"
                   f"drain=20s,events=calls+threads+exceptions,filter=Counts{more}")
        if name == "java":
            return Program(["java", f"-agentpath:{self.jvm}={options},jvm.accessors=yes", "-cp",
                            self.folder, "Counts", *words], {}, self.folder, sign)
        if name == "mono":
            return Program(["mono", f"--profile=polytrace:{options}", "Counts.exe", *words],
                           {"LD_LIBRARY_PATH": str(BESIDE)}, self.folder, sign)
        return Program(["dotnet", "counts.dll", *words], {
            "CORECLR_ENABLE_PROFILING": "1",
            "CORECLR_PROFILER": "{8F0C6B52-3E1D-4A7B-9C42-51D7E6A90B34}",
            "CORECLR_PROFILER_PATH": str(self.clr),
            "POLYTRACE_OPTIONS": options}, self.folder, sign)
