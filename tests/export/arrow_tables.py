#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and answers as Arrow streams, read by Arrow's own reader of another language: types,
units, rows, what is not told, many batches, none; and what a stream cannot hold is refused."""
import json
import os
import subprocess

from readers import POLYTRACE, main, package, polytrace, program, run

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../examples/everything.mlpd")
READ = r"""
const arrow = require(process.argv[1]);
const table = arrow.tableFromIPC(require("fs").readFileSync(process.argv[2]));
const cell = (value) => (typeof value === "bigint" ? value.toString() : value);
console.log(JSON.stringify({
  fields: table.schema.fields.map((f) => [f.name, f.type.toString(),
                                          f.metadata.get("polytrace.unit") ?? ""]),
  batches: table.batches.length,
  rows: Number(process.argv[3]) ? [] : [...table].map((row) => row.toArray().map(cell)),
  count: table.numRows,
  sums: table.schema.fields.map((f, i) => {
    let sum = 0n;
    if (f.type.toString() === "Int64") for (const v of table.getChildAt(i)) sum += v ?? 0n;
    return sum.toString();
  }),
}));
"""


def read(file, only_count=0):
    return json.loads(run(program("node"), "-e", READ, package("apache-arrow"), file, only_count))


def sql(query):
    return json.loads(polytrace("sql", "--json", EXAMPLE, query))


def written(folder, query, *more):
    file = folder / "answer.arrows"
    polytrace("sql", "--format", "arrow", "-f", "-o", file, *more, EXAMPLE, query)
    return file


def plain(rows, fields):
    """Whole numbers as the reader's are."""
    return [[str(cell) if field[1] == "Int64" and cell is not None else cell
             for cell, field in zip(row, fields)] for row in rows]


def answers(folder):
    os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
    query = ("SELECT id, ts, dur, name, parent_id, thread_ts, dur / 3.0 AS third, 'é' || name AS "
             "odd FROM slice ORDER BY id")
    told = read(written(folder, query))
    assert told["fields"][:4] == [["id", "Int64", ""], ["ts", "Int64", "ns"],
                                  ["dur", "Int64", "ns"], ["name", "Utf8", ""]], told["fields"]
    assert told["fields"][6][1] == "Float64" and told["fields"][7][1] == "Utf8"
    assert told["rows"] == plain(sql(query)["rows"], told["fields"])


def every_table(folder):
    os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
    polytrace("export", "--to", "arrow", EXAMPLE, "-o", folder / "tables")
    names = sorted(path.stem for path in (folder / "tables").iterdir())
    assert {"slice", "alloc", "thread", "path"} <= set(names)
    for name in names:
        told = read(folder / "tables" / f"{name}.arrows")
        expected = sql(f"SELECT * FROM {name}")
        assert [field[0] for field in told["fields"]] == [c["name"] for c in expected["columns"]]
        assert [field[2] for field in told["fields"]] == [c["unit"] or ""
                                                          for c in expected["columns"]]
        ours, theirs = told["rows"], plain(expected["rows"], told["fields"])
        key = json.dumps
        assert sorted(ours, key=key) == sorted(theirs, key=key), name


def batches(folder):
    os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
    count = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT {}) SELECT x, " \
            "CASE WHEN x % 3 THEN x END AS y, 'name ' || x AS z FROM r"
    for rows in (1, 7, 8, 9, 4095, 4096, 4097, 65535, 65536, 65537, 200000):
        told = read(written(folder, count.format(rows)), 1)
        assert told["count"] == rows and told["batches"] == -(-rows // 65536), told
        assert told["sums"][0] == str(rows * (rows + 1) // 2)
        assert told["sums"][1] == str(sum(x for x in range(rows + 1) if x % 3))
    told = read(written(folder, "SELECT * FROM slice WHERE id < 0"))
    assert told["count"] == 0 and len(told["fields"]) == 18, told
    assert read(written(folder, count.format(50), "--limit", 20))["count"] == 20


def cannot(folder):
    os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
    mixed = ("WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 9999) SELECT "
             "CASE WHEN x < 5000 THEN x ELSE 'text' END AS mixed FROM r")
    for code, query in ((2, mixed), (2, "SELECT 1; SELECT 2"), (2, "CREATE TEMP TABLE t(x)"),
                        (2, ".schema")):
        done = subprocess.run([POLYTRACE, "sql", "--format", "arrow", "-o", folder / "none",
                               EXAMPLE, query], capture_output=True, text=True, check=False)
        assert done.returncode == code, (query, done.returncode, done.stderr)
        assert not (folder / "none").exists(), query
    file = written(folder, "SELECT 1")
    done = subprocess.run([POLYTRACE, "sql", "--format", "arrow", "-o", file, EXAMPLE, "SELECT 2"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "exists" in done.stderr, done.stderr
    through = subprocess.run([POLYTRACE, "sql", "--format", "arrow", EXAMPLE, "SELECT 1"],
                             capture_output=True, check=True)
    assert through.stdout == file.read_bytes()


main([answers, every_table, batches, cannot])
