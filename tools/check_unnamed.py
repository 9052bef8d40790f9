#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds unnamed namespaces of one target to names of their own.

usage: check_unnamed.py [--self-test]

CI compiles several sources of a target as one (POLYTRACE_BULK), so what their unnamed namespaces
hold must not clash, whichever sources come together. Overloads may share a name, and so may aliases
of one type. Needs Universal Ctags, which does not see every name: the compiler has the last word.
"""
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Compiled one by one: these tests share names on purpose.
ALONE = re.compile(r"^tests/(agent|history)/")
USING = re.compile(r"^using (?:\w+::)+(\w+);$", re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) {", re.M)
KINDS = {"function", "variable", "struct", "class", "enum", "typedef", "union"}


def files_of(root):
    files = [path.relative_to(root).as_posix() for folder in ("src", "tests")
             for path in sorted((root / folder).rglob("*.[ch]pp"))]
    return [name for name in files if not ALONE.match(name)]


def used_names(root, files):
    """By target and namespace: names that sources take from other namespaces."""
    used = collections.defaultdict(set)
    for name in files:
        if name.endswith(".cpp"):
            target = "/".join(name.split("/")[:2])
            text = (root / name).read_text(encoding="utf-8")
            scope = NAMESPACE.search(text)
            for word in USING.findall(text):
                used[target, scope and scope[1], word].add(name)
    return used


def tags_of(root, files):
    if not files:
        return []
    command = ["ctags", "--languages=C++", "--langmap=C++:.cpp.hpp", "--fields=+neKsSt",
               "--output-format=json", "-f", "-", *files]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    return [json.loads(line) for line in done.stdout.splitlines()]


def types_of(signature, aliases):
    """The types of a function's parameters, without their names and with aliases in full."""
    inner, plain = None, signature.strip("()")
    while inner != plain:  # a comma inside < > parts no parameters
        inner, plain = plain, re.sub(r"<([^<>]*)>", lambda m: "[" + m[1].replace(",", ";") + "]",
                                     plain)
    types = [re.sub(r"\W*\b\w+$", "", part.partition("=")[0].strip()) or part.strip()
             for part in plain.split(",")]
    short = [re.sub(r"[\s&]|const\b", "", part) for part in types]
    return tuple(aliases.get(part, part) for part in short)


def aliases_of(tags):
    """By file: the aliases it makes, as types_of() writes types."""
    found = collections.defaultdict(dict)
    for tag in tags:
        if tag["kind"] == "typedef" and tag.get("typeref", "").startswith("typename:"):
            found[tag["path"]][tag["name"]] = types_of(tag["typeref"][9:] + " x", {})[0]
    return found


def meaning_of(tag, aliases):
    """What may stand twice under one name: overloads, and aliases of one type."""
    if tag["kind"] == "function":
        return types_of(tag.get("signature", ""), aliases[tag["path"]])
    return "" if tag["kind"] != "typedef" else tag.get("typeref", "") + tag["pattern"]


def check(root):
    files = files_of(root)
    used = used_names(root, files)
    unnamed, named = collections.defaultdict(dict), collections.defaultdict(set)
    all_tags = tags_of(root, files)
    known = aliases_of(all_tags)
    for tag in all_tags:
        if tag["kind"] not in KINDS or tag.get("scopeKind") != "namespace":
            continue
        target = "/".join(tag["path"].split("/")[:2])
        scope, _, last = tag["scope"].rpartition("::")
        if last.startswith("__anon"):
            unnamed[target, scope, tag["name"]].setdefault(tag["path"], tag)
        elif tag["kind"] != "function":
            named[target, tag["scope"], tag["name"]].add(tag["path"])
    for key, by_path in sorted(unnamed.items()):
        tags = list(by_path.values())
        places = ", ".join(f"{tag['path']}:{tag['line']}" for tag in tags)
        functions = {tag["kind"] == "function" for tag in tags}
        meanings = [meaning_of(tag, known) for tag in tags]
        aliases = all(tag["kind"] == "typedef" for tag in tags)
        if len(tags) > 1 and not (aliases and len(set(meanings)) == 1):
            if functions != {True} or len(set(meanings)) < len(meanings):
                yield f"{key[2]} stands in several unnamed namespaces: {places}"
        if functions != {True} and key in named:
            yield f"{key[2]} in an unnamed namespace hides another: {places}, {named[key]}"
        takers = used.get(key, set()) - set(by_path)
        if functions != {True} and takers:
            yield f"{key[2]} in an unnamed namespace is used from elsewhere: {places}, {takers}"


UNNAMED = "namespace a {\nnamespace {\n%s\n}\n}\n"
BAD = [("constexpr int kA = 1;", "constexpr int kA = 2;"), ("struct A {};", "class A {};"),
       ("int f(int a) { return a; }", "int f(int a) { return -a; }"),
       ("int f(int a) { return a; }", "int f(int b) { return -b; }"),
       ("using A = v<i, j>;\nint f(A a) { return 1; }", "int f(const v<i, j>& b) { return 1; }"),
       ("struct A {};", "using b::A;")]
GOOD = [("constexpr int kA = 1;", "constexpr int kB = 1;"),
        ("int f(int a) { return a; }", "int f(char a) { return a; }"),
        ("int f(v<int, int> a) { return 1; }", "int f(v<int, char> a) { return 1; }"),
        ("int f(int a) { return a; }", "int f() { return 1; }"),
        ("using A = int;", "using A = int;")]


def faults_of_example(contents):
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder) / "src" / "room"
        room.mkdir(parents=True)
        for number, content in enumerate(contents):
            (room / f"{number}.cpp").write_text(UNNAMED % content)
        return list(check(Path(folder)))


def self_test():
    for example in BAD:
        assert faults_of_example(example), example
    for example in GOOD:
        assert not faults_of_example(example), example
    print(f"unnamed: {len(BAD)} bad examples refused, {len(GOOD)} good ones let pass")
    return 0


def main():
    if not shutil.which("ctags"):
        print("unnamed namespaces: not checked, there is no ctags here")
        return 0
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:]:
        sys.exit(__doc__)
    faults = list(check(Path(".")))
    print("\n".join(faults) if faults else "unnamed namespaces: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
