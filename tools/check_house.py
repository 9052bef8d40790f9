#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the project's files to the habits of the house, and prints where it stands.

usage: check_house.py [--self-test]

Files: length, line width, tabs, licence line, `#pragma once`, macros, names, what the project never
mentions, waits of tests for a fixed time. Functions: length and names (Universal Ctags; without it,
those two are not checked).
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTH, TABLE_WIDTH, FILE_MAX, FUNCTION_MAX = 100, 160, 500, 60
FILE_MEDIAN, FILE_95TH = 120, 350
FUNCTION_MEDIAN, FUNCTION_95TH = 6, 35  # reported, not enforced

CODE = {".cpp", ".hpp", ".h", ".def"}
SCRIPTS = {".py", ".sh", ".cmake"}
PROSE = {".md", ".case", ".json", ".txt", ".in"}
SCRIPT_NAMES = {"CMakeLists.txt", "dev", "run"}
FOLDERS = ("src", "tests", "fuzz", "bench", "tools", "examples", "cmake", "docs", ".ci")

# A macro is the meaning of a table's row (*.def) for the length of its expansion: whoever defines
# it includes a table and undefines it. These headers may define others.
MACRO_HEADERS = {"src/capi/polytrace.h"}  # Arrow's guards
# The project speaks only of itself. (Spelled so that this file does not offend.)
FORBIDDEN = re.compile(r"\.\.[/]shared|(?<![\w.])[/]work[/]|[/]root[/]|[/]tmp[/]build-")
FILE_NAME = re.compile(r"^[a-z0-9_]+(\.[a-z0-9_]+)*$")
FREE_NAMES = {"CMakeLists.txt", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
SNAKE = re.compile(r"^[a-z][a-z0-9_]*$")
CAMEL = re.compile(r"^[A-Z][A-Za-z0-9]*$")
# The namespace of a file of src/ is its room; a folder inside a room adds none. Rooms with a
# namespace that is not their path:
NAMESPACE = re.compile(r"^namespace (polytrace\w*(?:::\w+)*) \{$", re.M)
ROOM_NAMESPACES = {"agent/common": "agent", "agent/jvm/rewriter": "agent::jvm::rewriter",
                   "exports/ctf": "exports::ctf", "exports/jfr": "exports::jfr",
                   "exports/perfetto": "exports::perfetto"}
# Names of fields in a file format, one list a message: what follows a room's own namespace.
INNER = {"detail"}
TEST_NAME = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)")
# What a test waits for is a condition, however busy the machine is: only these helpers sleep.
HELPERS = {".py": "tests/support/waiting.py", ".sh": "tests/support/waiting.sh",
           ".cpp": "tests/support/waiting.hpp", ".hpp": "tests/support/waiting.hpp",
           ".mjs": "tests/page/support/waiting.mjs"}
WAITERS = {".py", ".sh", ".cpp", ".hpp", ".h", ".c", ".java", ".cs", ".mjs"}
SLEEP = re.compile(r"\btime\.sleep ?\(|\bsleep_for ?\(|\bsleep_until ?\(|\bThread\.[sS]leep ?\("
                   r"|\bu?sleep ?\(|\bwaitForTimeout ?\(|\bsetTimeout ?\("
                   r"|(?<![\w./-])sleep +[\d.$\"]")
SAYS_WHY = re.compile(r"\bwait: \S")
# Names that somebody else chose: specialisations, entry points, test macros.
FREE_TYPES = {"hash", "formatter", "equal_to", "less", "tuple_size", "tuple_element"}
FREE_FUNCTIONS = re.compile(r"^(operator\b.*|~.*|LLVMFuzzer\w+|TEST(_[FP])?|TYPED_TEST\w*"
                            r"|INSTANTIATE_\w+|BENCHMARK\w*|MATCHER\w*|[SG]et\w*|PrintTo)$")


def is_code(path):
    return path.suffix in CODE


def is_checked(path):
    return is_code(path) or path.suffix in SCRIPTS or path.name in SCRIPT_NAMES


def project_files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
    yield from sorted(path for path in root.iterdir() if path.is_file())


def file_faults(name, path, lines):
    """Faults of one text file that needs no parsing."""
    checked = is_checked(path)
    if len(lines) > FILE_MAX and checked and path.suffix != ".def":
        yield f"{name}: {len(lines)} lines, more than {FILE_MAX}"
    if checked and not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
        yield f"{name}:1: no SPDX line"
    if path.suffix in (".hpp", ".h") and "#pragma once" not in lines:
        yield f"{name}: no #pragma once"
    if checked and path.name not in FREE_NAMES and not FILE_NAME.match(path.name):
        yield f"{name}: file names are snake_case"
    for number, line in enumerate(lines, 1):
        for fault in line_faults(path, line, checked):
            yield f"{name}:{number}: {fault}"
    yield from leading_include_faults(name, path, lines)
    if path.suffix in (".cpp", ".hpp"):
        yield from namespace_faults(name, lines)
        yield from test_name_faults(name, lines)
    if path.suffix in (".hpp", ".h", ".cpp") and name not in MACRO_HEADERS:
        yield from (f"{name}:{fault}" for fault in macro_faults(lines))


def leading_include_faults(name, path, lines):
    """A source file proves by its first include that its header stands alone."""
    own = path.with_suffix(".hpp")
    first = next((line for line in lines if re.match(r"\s*#\s*include", line)), "")
    if path.suffix == ".cpp" and name.startswith("src/") and own.exists():
        if own.name not in first:
            yield f"{name}: includes something before its own header"


def room_namespace(name):
    parts = name.split("/")[1:-1]
    for depth in range(len(parts), 0, -1):
        known = ROOM_NAMESPACES.get("/".join(parts[:depth]))
        if known:
            return "polytrace::" + known
    depth = 2 if parts and parts[0] in ("format", "agent") else 1
    return "::".join(["polytrace", *parts[:depth]])


def namespace_faults(name, lines):
    if not name.startswith("src/") or name.count("/") < 2:
        return
    room = room_namespace(name)
    for found in NAMESPACE.findall("\n".join(lines)):
        # A forward declaration of a lower room's thing is fine; a folder's own namespace is not.
        if found.startswith(room + "::") and found.removeprefix(room + "::") not in INNER:
            yield f"{name}: namespace {found}, but the room is {room}"


def test_name_faults(name, lines):
    for number, line in enumerate(lines, 1):
        match = TEST_NAME.match(line)
        if match and not all(SNAKE.match(part) for part in match.groups()):
            yield f"{name}:{number}: test {match[1]}.{match[2]} is not snake_case"


def wait_faults(name, path, lines):
    """Fixed waits of tests; where time itself is what is meant, the line says so."""
    is_test = name.startswith("tests/") and not name.startswith("tests/data/")
    if not is_test or path.suffix not in WAITERS or name in HELPERS.values():
        return
    for number, line in enumerate(lines, 1):
        if SLEEP.search(line) and not SAYS_WHY.search(line):
            yield (f"{name}:{number}: waits a fixed time: wait for a condition"
                   f" ({HELPERS.get(path.suffix, HELPERS['.py'])}), or say \"wait: <reason>\" on"
                   " the line")


def macro_faults(lines):
    tables = any(re.match(r'\s*#\s*include "[^"]+\.(def|inc)"', line) for line in lines)
    undefined = {m.group(1) for m in (re.match(r"\s*#\s*undef (\w+)", line) for line in lines) if m}
    for number, line in enumerate(lines, 1):
        match = re.match(r"\s*#\s*define (\w+)", line)
        if match and not (tables and match.group(1) in undefined):
            yield f"{number}: macro {match.group(1)}: neither a table's row nor undefined again"


def line_faults(path, line, checked):
    if FORBIDDEN.search(line):
        yield "names a place outside of the project"
    if not checked:
        return
    width = TABLE_WIDTH if path.suffix == ".def" else WIDTH
    if len(line) > width:
        yield f"{len(line)} columns, more than {width}"
    if "\t" in line:
        yield "tab"
    if is_code(path) and line != line.rstrip():
        yield "trailing blanks"


def read_lines(path):
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return None


def tags_of(paths):
    """Functions and types as Universal Ctags sees them."""
    if not paths:
        return []
    command = ["ctags", "--languages=C++", "--langmap=C++:.cpp.hpp", "--kinds-C++=fcsge",
               "--fields=+neKsP", "--output-format=json", "-f", "-", *map(str, paths)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def function_lengths(tags):
    return [tag["end"] - tag["line"] + 1 for tag in tags
            if tag["kind"] == "function" and "end" in tag]


# Declarations of what a runtime has keep the names it gave them.
RUNTIME = re.compile(r"^src/agent/\w+/abi/")


# What would be a word of the language has an underscore behind.
TYPE_LISTS = {"polytrace::event::Tag"}  # a table makes it, of names of types
ENUMERATOR = re.compile(r"^[a-z][a-z0-9_]*$")


def scoped_enums(tags):
    """Those of an `enum class`: others are lists of constants, and named so."""
    return {(tag["path"], "::".join(filter(None, (tag.get("scope"), tag["name"]))))
            for tag in tags if tag["kind"] == "enum" and "enum class" in tag["pattern"]}


def tag_faults(root, tags):
    scoped = scoped_enums(tags)
    for tag in tags:
        name, place = tag["name"], f"{Path(tag['path']).relative_to(root)}:{tag['line']}"
        if tag["kind"] == "function":
            length = tag.get("end", tag["line"]) - tag["line"] + 1
            if length > FUNCTION_MAX:
                yield f"{place}: {name} has {length} lines, more than {FUNCTION_MAX}"
            constructor = tag.get("scope", "").split("::")[-1] == name
            lambda_ = name.startswith("__anon")
            if not (SNAKE.match(name) or constructor or lambda_ or FREE_FUNCTIONS.match(name)):
                yield f"{place}: function {name} is not snake_case"
        elif tag["kind"] == "enumerator":
            if (tag["path"], tag.get("scope")) in scoped and tag["scope"] not in TYPE_LISTS \
                    and not ENUMERATOR.match(name) and not RUNTIME.search(place):
                yield f"{place}: enumerator {name} is not snake_case"
        elif is_defined_at(tag) and not is_named_well(tag) and not RUNTIME.search(place):
            yield f"{place}: type {name} is not CamelCase"


def is_defined_at(tag):
    """False for what Ctags takes for a type: unnamed ones and variables like `struct stat s{}`."""
    return re.search(rf"\b(struct|class|enum)\s+{re.escape(tag['name'])}\b", tag.get("pattern", ""))


def is_named_well(tag):
    # Of a test: named as the suite it carries.
    fixture = re.search(r": public (::)?(testing::Test|[a-z_]+\b)", tag["pattern"])
    # What C sees: src/capi/polytrace.h.
    of_c = tag["path"].startswith("src/capi/") and tag["name"].startswith("pt_")
    return CAMEL.match(tag["name"]) or tag["name"] in FREE_TYPES or fixture or of_c


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0


def comment_share(files):
    """Comment lines as a share of comment and code lines."""
    comments = code = 0
    for lines in files:
        for line in lines:
            comments += bool(re.match(r"\s*(//|/\*|\*)", line))
            code += bool(line.strip()) and not re.match(r"\s*(//|/\*|\*)", line)
    return round(100 * comments / max(1, comments + code))


def report(product, functions):
    """Prints the figures; returns the faults of the whole."""
    lengths = [len(lines) for path, lines in product.items() if path.suffix != ".def"]
    median, high = percentile(lengths, 0.5), percentile(lengths, 0.95)
    print(f"files in src: {len(lengths)}, lines: median {median}, 95th {high},"
          f" longest {max(lengths, default=0)} (bars {FILE_MEDIAN}, {FILE_95TH}, {FILE_MAX})")
    if functions:
        print(f"functions in src: {len(functions)}, lines: median {percentile(functions, 0.5)},"
              f" 95th {percentile(functions, 0.95)}, longest {max(functions)}"
              f" (bars {FUNCTION_MEDIAN}, {FUNCTION_95TH}, {FUNCTION_MAX})")
    headers = [lines for path, lines in product.items() if path.suffix == ".hpp"]
    sources = [lines for path, lines in product.items() if path.suffix == ".cpp"]
    print(f"comment lines: headers {comment_share(headers)} %, sources {comment_share(sources)} %")
    if median > FILE_MEDIAN:
        yield f"median file length {median}, more than {FILE_MEDIAN}"
    if high > FILE_95TH:
        yield f"95th percentile of file lengths {high}, more than {FILE_95TH}"


def check(root):
    faults, product, code = [], {}, []
    for path in project_files(root):
        known = is_checked(path) or path.suffix in PROSE
        if not (known or path.suffix in WAITERS):
            continue
        lines = read_lines(path)
        if lines is None:
            continue
        name = path.relative_to(root).as_posix()
        faults += wait_faults(name, path, lines)
        if known:
            faults += file_faults(name, path, lines)
        if path.suffix in (".cpp", ".hpp"):
            code.append(path)
        if is_code(path) and name.startswith("src/"):
            product[path] = lines
    functions = []
    if shutil.which("ctags"):
        tags = tags_of(code)
        faults += tag_faults(root, tags)
        functions = function_lengths([tag for tag in tags if Path(tag["path"]) in product])
    else:
        print("functions: not checked, there is no ctags here")
    return faults + list(report(product, functions))


HEAD = "// SPDX-License-Identifier: Apache-2.0\n"
# Each bad example: a file, its content, a word of the fault.
BAD = [
    ("src/a.cpp", "int a;\n", "SPDX"),
    ("src/a.hpp", HEAD, "#pragma once"),
    ("src/aB.cpp", HEAD, "snake_case"),
    ("src/a.cpp", HEAD + "//" + "x" * WIDTH + "\n", "columns"),
    ("src/a.cpp", HEAD + "\tint a;\n", "tab"),
    ("src/a.cpp", HEAD + "#define A 1\n", "macro"),
    ("src/a.cpp", HEAD + '#define A 1\n#include "base/a.def"\n', "undefined again"),
    ("src/a.cpp", HEAD + "// see .." + "/shared/x\n", "outside"),
    ("docs/a.md", "see /wor" + "k/main\n", "outside"),
    ("src/a.cpp", HEAD + "\n" * FILE_MAX, "more than 500"),
    ("src/a.cpp", HEAD + "void f() {\n" + "\n" * FUNCTION_MAX + "}\n", "f has 62 lines"),
    ("src/a.cpp", HEAD + "void doIt() {}\n", "doIt is not snake_case"),
    ("src/a.cpp", HEAD + "struct my_type {};\n", "my_type is not CamelCase"),
    ("src/a.cpp", HEAD + "enum class A { kB };\n", "kB is not snake_case"),
    ("src/cli/show/a.cpp", HEAD + "namespace polytrace::cli::show {\n}\n", "the room is"),
    ("tests/a_test.cpp", HEAD + "TEST(suite, Name) {}\n", "suite.Name is not snake_case"),
    ("tests/cli/a.py", HEAD + "time.sleep(1)  # a while\n", "tests/support/waiting.py"),
    ("tests/cli/a.sh", HEAD + "until ready; do sleep 0.1; done\n", "tests/support/waiting.sh"),
    ("tests/a.hpp", HEAD + "std::this_thread::sleep_for(1ms);\n", "tests/support/waiting.hpp"),
    ("tests/live/A.java", HEAD + "Thread.sleep(20);\n", "waits a fixed time"),
    ("tests/live/a.cs", HEAD + "Thread.Sleep (20);\n", "waits a fixed time"),
    ("tests/page/a.mjs", HEAD + "await page.waitForTimeout(100);\n", "tests/page/support/waiting"),
    ("tests/page/a.mjs", HEAD + "setTimeout(done, 20);  // wait:\n", "waits a fixed time"),
]
GOOD = [
    ("src/a.hpp", HEAD + "#pragma once\nstruct Good {\n  Good() {}\n  ~Good() {}\n};\n"),
    ("src/a.def", HEAD + "\n" * FILE_MAX),
    ("src/a.cpp", HEAD + '#define ROW(x) x\n#include "base/a.def"\n#undef ROW\n'),
    ("tests/a_test.cpp", HEAD + "TEST(suite, says_what_holds) {}\n"),
    ("src/a.cpp", HEAD + "enum A { kB };\nenum class C { d };\n"),
    ("src/agent/jvm/heap/a.cpp", HEAD + "namespace polytrace::agent::jvm {\n}\n"),
    ("docs/a.md", "x" * 300 + " network/x\n"),
    ("src/a.cpp", HEAD + "std::this_thread::sleep_for(pause);\n"),
    ("tests/cli/a.py", HEAD + "time.sleep(3)  # wait: beyond what clocks may be off\n"),
    ("tests/cli/a.py", HEAD + 'subprocess.Popen(["sleep", "600"])\n'),
    ("tests/support/waiting.py", HEAD + "time.sleep(pause)\n"),
    ("tests/data/a.sh", HEAD + "sleep 1\n"),
]


def faults_of_example(name, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.parent.mkdir(parents=True)
        path.write_text(content)
        return check(Path(folder))


def self_test():
    tagged = shutil.which("ctags") is not None
    stdout, sys.stdout = sys.stdout, None
    try:
        for name, content, word in BAD:
            faults = faults_of_example(name, content)
            needs_tags = "has 62" in word or "is not" in word
            found = any(word in fault for fault in faults)
            assert found or (needs_tags and not tagged), (name, word)
        for name, content in GOOD:
            faults = [f for f in faults_of_example(name, content) if "median" not in f]
            assert not faults, (name, faults)
    finally:
        sys.stdout = stdout
    print(f"house: {len(BAD)} bad examples refused, {len(GOOD)} good ones let pass")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:]:
        sys.exit(__doc__)
    faults = check(Path("."))
    print("\n".join(faults) if faults else "house: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
