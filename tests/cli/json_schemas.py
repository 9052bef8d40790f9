#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --json, --format jsonl, --jsonl and --progress json print is as docs/reference/schemas say,
without a member that they do not tell; and docs/reference/json.md names every member."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from slow_feed import feed  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("no python3-jsonschema (./dev setup test)")
    sys.exit(77)

POLYTRACE = os.environ["POLYTRACE"]
ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs/reference"
DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = ROOT / "examples/everything.mlpd"
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8"))
           for path in (REFERENCE / "schemas").glob("*.json")}
#: Recordings need a runtime, control a recording that runs: live tests print these. Stores need a
#: server: tests/fleet.
ELSEWHERE = {"control.json", "record.json", "push.json", "collect.json", "fleet.json",
             "fleet-control.json", "fleet-flame.json", "fleet-get.json", "fleet-operation.json",
             "fleet-schema.json"}
FORM_OF = {"polytrace.history/1": "history.json", "polytrace.history.check/1": "history-check.json",
           "polytrace.history.made/1": "history-made.json"}


def whole(schema):
    """References resolved, and no member allowed that is not told."""
    if isinstance(schema, list):
        return [whole(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        file, name = re.fullmatch(r"([a-z.]*)#/\$defs/(\w+)", schema["$ref"]).groups()
        return whole(SCHEMAS[file or "common.json"]["$defs"][name])
    result = {key: whole(part) for key, part in schema.items()}
    if "properties" in schema and "type" in schema:
        result.setdefault("additionalProperties", False)
    return result


CHECKERS = {name: jsonschema.Draft202012Validator(whole(schema))
            for name, schema in SCHEMAS.items()}
SEEN = set()


def fits(document, file, what):
    SEEN.add(file)
    problems = [f"{what}: {'/'.join(map(str, fault.path))}: {fault.message[:300]}"
                for fault in CHECKERS[file].iter_errors(document)]
    assert not problems, "\n".join(problems[:5])


def run(*words, codes=(0,)):
    done = subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done


def document(*words, codes=(0,), error=False):
    done = run(*words, "--json", codes=codes)
    text = done.stderr if error else done.stdout
    told = json.loads(text.splitlines()[-1] if error else text)
    name = told["schema"] if not error else "error"  # which says itself what it is
    fits(told, FORM_OF.get(name, name.removeprefix("polytrace.").split("/")[0] + ".json"),
         " ".join(map(str, words)))


def lines(text, file, what):
    told = [json.loads(line) for line in text.splitlines()]
    assert told, what
    for line in told:
        fits(line, file, what)


def schemas_are_schemas(_):
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["$id"] == name


def traces(folder):
    cut = folder / "cut.mlpd"
    cut.write_bytes(EXAMPLE.read_bytes()[:60000])
    for trace in (EXAMPLE, cut, DATA / "tracelog/app64.trace.log", DATA / "trcxml/shop.trcxml",
                  DATA / "hostile/names-escape.ptrace"):
        for words in (["info"], ["check"], ["report", "--limit", 3], ["report", "--name", "a.c",
                      "--regex"], ["diff", "--limit", 3, "--fail-over", "1%", EXAMPLE],
                      ["convert", "--to", "native", "-f", "-o", folder / "again.ptrace"],
                      ["export", "--to", "pprof", "-f", "-o", folder / "a.pb.gz"],
                      ["export", "--to", "chrome", "-f", "-o", folder / "a.json"],
                      ["export", "--to", "sqlite", "-f", "-o", folder / "a.sqlite"],
                      ["flame", "-f", "-o", folder / "a.html"], ["state", "--at", "50%"]):
            document(*words, trace, codes=(0, 3, 4, 5))
    document("heap", EXAMPLE)
    document("cut", "--to", "50%", EXAMPLE, "-o", folder / "half.mlpd")
    document("merge", EXAMPLE, EXAMPLE, "-o", folder / "both.ptrace")
    document("repair", cut, "-o", folder / "mended.mlpd", codes=(0, 4))
    document("anonymize", EXAMPLE, "-o", folder / "nobody.mlpd")


def histories(folder):
    history = folder / "all.history"
    document("history", "build", EXAMPLE, "-o", history)
    document("history", "info", "--paths", history)
    document("history", "query", "--at", "50%", history)
    document("history", "check", history)
    document("history", "repair", history)


def indexes(folder):
    os.environ["POLYTRACE_CACHE"] = f"{folder}/cache"
    cut = folder / "cut.mlpd"
    document("index", "info", EXAMPLE)
    document("index", "build", EXAMPLE)
    document("index", "build", cut, codes=(4,))
    document("index", "info", cut)
    document("index", "list")
    document("index", "verify", EXAMPLE)
    document("index", "verify", "--full", EXAMPLE)
    file = next(path for path in (folder / "cache/index").glob("*/*/index.pti"))
    file.write_bytes(file.read_bytes()[:-8] + b"12345678")
    document("index", "list")
    for trace in (EXAMPLE, cut):
        document("index", "verify", trace, codes=(0, 5))
    document("sql", EXAMPLE, "SELECT *, ts + 1, NULL FROM slice LIMIT 3")
    document("sql", "--limit", "1", EXAMPLE, "SELECT share, name FROM allocations('class', NULL, "
             "NULL, NULL)")
    document("sql", cut, "SELECT * FROM notice", codes=(4,))
    document("sql", EXAMPLE, "SELECT nothing", codes=(2,), error=True)
    document("index", "prune", "--limit", "1G")
    document("index", "drop", "--all")


def the_program(_):
    document("formats")
    document("version")
    document("collect", "--new-token", "shop/edge-7")
    document("collect", "--check", "--label", "zone=eu-1", "--to", "http://127.0.0.1:8123/shop")
    document("doctor", codes=(0, 5))  # 5 where nothing can be recorded


def errors(folder):
    for words in (["info", folder / "nothing"], ["report", "--nothing"], ["info", __file__],
                  ["report", "--from", "abc", EXAMPLE]):
        done = run(*words, "--json", codes=(1, 2, 3))
        fits(json.loads(done.stderr), "error.json", str(words))


def rows_and_events(_):
    lines(run("report", "--format", "jsonl", EXAMPLE).stdout, "row.json", "report")
    lines(run("heap", "--format", "jsonl", EXAMPLE).stdout, "row.json", "heap")
    lines(run("cat", "--jsonl", EXAMPLE).stdout, "event.json", "cat")


def progress(_):
    """It comes after half a second, so a pipe is fed slowly."""
    with subprocess.Popen([POLYTRACE, "info", "--progress", "json", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          bufsize=0) as run_slowly:
        feed(run_slowly.stdin, EXAMPLE.read_bytes())
        run_slowly.stdin.close()
        lines(run_slowly.stderr.read().decode(), "progress.json", "info")


def the_page(_):
    """It prints where it is, and goes on until it is interrupted."""
    with subprocess.Popen([POLYTRACE, "ui", "--json", "--no-index", EXAMPLE],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        line = server.stdout.readline()
        server.send_signal(signal.SIGINT)
        if line:
            lines(line, "ui.json", "ui")
        else:
            assert "built without the page" in server.stderr.read()
            SEEN.add("ui.json")


def members(schema):
    if isinstance(schema, list):
        return {name for part in schema for name in members(part)}
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", {})) | members(list(schema.values()))


def the_page_names_every_member(_):
    page = (REFERENCE / "json.md").read_text(encoding="utf-8")
    for name, schema in SCHEMAS.items():
        unnamed = sorted(member for member in members(schema)
                         if not re.search(rf"`[^`]*\b{member}\b[^`]*`", page))
        assert not unnamed, f"json.md lacks of {name}: {unnamed}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (schemas_are_schemas, traces, histories, indexes, the_program, errors,
                     rows_and_events, progress, the_page, the_page_names_every_member):
            test(Path(folder))
            print(f"{test.__name__}: good")
    unused = SCHEMAS.keys() - SEEN - ELSEWHERE - {"common.json"}
    assert not unused, f"nothing prints {unused}"


if __name__ == "__main__":
    main()
