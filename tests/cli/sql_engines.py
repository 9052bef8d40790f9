#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DuckDB beside SQLite: what both can answer they answer alike; what DuckDB may not do is refused,
what takes too long ends, and nothing is written. Without DuckDB: what needs it says so."""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
import sql_questions  # noqa: E402
from sql_questions import POLYTRACE, run, sql, sql_all  # noqa: E402
from sql_random import TABLES, Queries, twin  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MLPD = ROOT / "examples/everything.mlpd"
SHOP = ROOT / "examples/shop.trcxml"
DUCKDB = ("--engine", "duckdb")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?")
LONG = bool(os.environ.get("POLYTRACE_LONG"))
#: Questions of the cookbook that are SQLite's alone, and a word of DuckDB's reason.
SQLITE_ALONE = {
    "Where did time go in one thread?": "subquer", "Who calls the busiest method?": "subquer",
    "How are durations of calls spread?": "Binder", "Bytes by thread and class?": "group_by",
    "Calls that a collection fell into?": "span",
}
REFUSED = [
    "ATTACH 'other.db'", "ATTACH ':memory:' AS other", "DETACH memory", "USE temp",
    "INSTALL httpfs", "LOAD httpfs", "SET memory_limit = '100GB'", "SET threads = 64",
    "RESET memory_limit", "SET enable_external_access = true", "SET lock_configuration = false",
    "PRAGMA enable_profiling", "PRAGMA memory_limit = '1GB'", "PRAGMA profile_output = 'x'",
    "COPY slice TO 'slice.csv'", "COPY (SELECT 1) TO 'one.parquet'", "COPY thread FROM 'x.csv'",
    "EXPORT DATABASE 'all'", "IMPORT DATABASE 'all'", "CREATE TABLE t(x INTEGER)",
    "CREATE TABLE t AS SELECT * FROM slice", "CREATE VIEW v AS SELECT 1",
    "CREATE OR REPLACE VIEW slice AS SELECT 1", "CREATE SCHEMA s", "CREATE SEQUENCE s",
    "CREATE MACRO m(a) AS a + 1", "CREATE TYPE mood AS ENUM ('a')", "CREATE INDEX i ON slice(ts)",
    "CREATE SECRET s (TYPE s3)", "CREATE PERSISTENT SECRET s (TYPE s3)", "DROP VIEW slice",
    "DROP TABLE slice", "ALTER VIEW slice RENAME TO calls", "BEGIN", "COMMIT", "ROLLBACK",
    "VACUUM", "ANALYZE", "CHECKPOINT", "FORCE CHECKPOINT", "CALL pragma_version()",
    "PREPARE p AS SELECT 1", "EXECUTE p", "DEALLOCATE p",
    "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')", "SELECT * FROM '/etc/passwd.csv'",
    "SELECT * FROM parquet_scan('x.parquet')", "SELECT * FROM read_json('x.json')",
    "SELECT * FROM glob('/etc/*')", "SELECT * FROM sniff_csv('/etc/passwd')",
    "CREATE TEMP TABLE t AS SELECT * FROM read_csv('/etc/passwd')",
    "EXPLAIN ANALYZE COPY slice TO 'slice.csv'", "EXPLAIN COPY slice TO 'slice.csv'",
    "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1", "COMMENT ON VIEW slice IS 'x'",
    "SELECT getenv('HOME')", "SELECT 1; COPY slice TO 'slice.csv'",
]
WRONG = [
    "SELEC 1", "SELECT", "SELECT * FROM nothing", "SELECT nothing FROM slice", "SELECT ns('x')",
    "SELECT (", "SELECT 'unfinished", "SELECT * FROM methods('x', NULL, NULL)",
    "SELECT * FROM methods(NULL, NULL, 'a')", "SELECT * FROM methods(NULL)", "SELECT :missing",
    "SELECT ?", "SELECT [1, 2]", "SELECT {'a': 1}", "SELECT DATE '2000-01-01'",
    "SELECT * FROM allocations('colour', NULL, NULL, NULL)", "INSERT INTO slice(ts) VALUES (1)",
    "DELETE FROM slice", "UPDATE slice SET ts = 1", "SELECT 1 1 1", "/* no end",
    "SELECT * FROM pt_slice(nonsense := 5)", "SELECT fmt_ns()", "SELECT error('x')",
]
ENDLESS = [
    "SELECT count(*) FROM slice a, slice b, slice c, slice d",
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r",
    "SELECT sum(a.range * b.range) FROM range(100000000) a, range(100000000) b",
]
HUNGRY = [
    "SELECT list(range) IS NULL FROM range(2000000000)",
    "SELECT count(DISTINCT range) FROM range(1000000000)",
    "SELECT length(repeat('x', 3000000000))",
    "CREATE TEMP TABLE t AS SELECT range AS x, repeat('x', 1000) AS y FROM range(100000000)",
]
FINE = [
    "SELECT 1", ";", "-- nothing", "/* /* nested */ */ SELECT 1;", " SELECT 1 ; ; ",
    "SELECT ';', \"name\" FROM thread LIMIT 1", "SELECT $$;$$", "SELECT e'\\';'",
    "CREATE TEMP TABLE t AS SELECT * FROM thread; INSERT INTO t SELECT * FROM t; "
    "SELECT count(*) FROM t",
    "CREATE TEMP VIEW v AS SELECT name FROM method; SELECT count(*) FROM v",
    "CREATE PERFETTO TABLE t AS SELECT 1 AS x; SELECT x FROM t", "EXPLAIN SELECT * FROM slice",
    "SELECT * FROM pt_slice(ts_from := 0, ts_to := 5, utid := 1)",
    "SELECT count(*) FROM pt_slice(utid := NULL)", "SELECT 1.5, 1e300, NULL, true, 'é'",
    "SELECT sum(ts), avg(ts), ts / 2, 7 / 2 FROM slice GROUP BY ts",
    "SELECT fmt_ns(sum(dur)), fmt_bytes(5), ns(5), ns('1ms'), stack_text(NULL) FROM slice",
    "SELECT 170141183460469231731687303715884105727::HUGEINT, 18446744073709551615::UBIGINT",
    "SELECT * FROM thread_slice LIMIT 3", "SELECT * FROM heap_graph_object LIMIT 3",
    "SELECT * FROM methods(9223372036854775807, -9223372036854775808, NULL)",
]


def ask(query, *more):
    return sql_questions.ask(MLPD, query, *DUCKDB, *more)


def expect(code, query, *more, word=""):
    return sql_questions.expect(MLPD, code, query, *DUCKDB, *more, word=word)


def duck(file, query):
    told = json.loads(run("sql", "--json", "--engine", "duckdb", file, query))
    return [tuple(row) for row in told["rows"]]


def plain(cell):
    """Sums of reals depend on their order; whole numbers that JSON cannot hold are texts."""
    if isinstance(cell, float):
        return float(f"{cell:.9g}")
    return int(cell) if isinstance(cell, str) and re.fullmatch(r"-?\d{16,19}", cell) else cell


def rounded(rows):
    return [tuple(map(plain, row)) for row in rows]


def alike(query, ours, theirs):
    ours, theirs = rounded(ours), rounded(theirs)
    # Where a LIMIT cuts among equals each may choose.
    if "LIMIT" in query:
        assert len(ours) == len(theirs), (query, ours, theirs)
        ours, theirs = ([tuple(cell for cell in row if not isinstance(cell, str)) for row in rows]
                        for rows in (ours, theirs))
    assert Counter(ours) == Counter(theirs), f"{query}\n DuckDB {ours}\n SQLite {theirs}"


def check_cookbook():
    told = re.findall(r"^-- ([^\n]*)\n(.*?);\n$", run("sql", MLPD, ".examples"), re.S | re.M)
    assert SQLITE_ALONE.keys() <= dict(told).keys()
    for question, query in told:
        if question in SQLITE_ALONE:
            expect(2, query, word=SQLITE_ALONE[question])
    asked = [query for question, query in told if question not in SQLITE_ALONE]
    for file in (MLPD, SHOP):
        for query, ours, theirs in zip(asked, sql_all(file, asked, *DUCKDB), sql_all(file, asked)):
            alike(query, ours, theirs)


def check_reports():
    """Tables of a report, by their columns' names without quotes. A column whose type differs by
    row is text."""
    def loose(rows):
        return [tuple(plain(float(cell)) if NUMBER.fullmatch(str(cell)) else cell for cell in row)
                for row in rows]
    names = re.findall(r"^ *(report_\w+)\(", run("sql", MLPD, ".functions"), re.M)
    columns = sql_all(MLPD, [f"SELECT name FROM pragma_table_info('{name}')" for name in names])
    asked = [f"SELECT {', '.join(word for word, in of)} FROM {name}(NULL, NULL)"
             for name, of in zip(names, columns)]
    for query, ours, theirs in zip(asked, sql_all(MLPD, asked, *DUCKDB), sql_all(MLPD, asked)):
        assert loose(ours) == loose(theirs), (query, ours[:2], theirs[:2])


class DuckQueries(Queries):
    """Those whose meaning is the same for both: constants have their column's type, and patterns
    tell letters apart."""

    def value(self, table, column):
        rows = self.database.execute(f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "{column}" '
                                     'IS NOT NULL ORDER BY 1').fetchall()
        told = next(c["type"] for c in self.columns[table] if c["name"] == column)
        if not rows:
            return "'x'" if told == "TEXT" else "0"
        value = self.random.choice(rows)[0]
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        return repr(value + self.random.choice([0, 0, 0, 1, -1]))

    def constraint(self, table, alias=""):
        while True:
            made = super().constraint(table, alias)
            if " LIKE " not in made and " GLOB " not in made:
                return made


def check_queries(folder, count):
    database, columns = twin(MLPD, folder)
    queries = DuckQueries(database, columns, 31)
    asked = [queries.one() for _ in range(count)]
    for number, (query, ours) in enumerate(zip(asked, sql_all(MLPD, asked, *DUCKDB))):
        expected = [tuple(row) for row in database.execute(query).fetchall()]
        assert Counter(rounded(ours)) == Counter(rounded(expected)), (
            f"query {number}: {query}\n DuckDB {ours}\n SQLite {expected}")


def check_parameters(count):
    """Named parameters are what the same constraints are."""
    chosen = random.Random(7)
    for table in chosen.sample(TABLES, 8):
        rows = sql(MLPD, f"SELECT * FROM {table}")
        names = [row[0] for row in sql(MLPD, f"SELECT name FROM pragma_table_info('{table}')")]
        for _ in range(count if rows and "ts" in names and "id" in names else 0):
            low, high = sorted(chosen.choice(rows)[names.index("ts")] for _ in range(2))
            alike("", duck(MLPD, f"SELECT * FROM pt_{table}(ts_from := {low}, ts_to := {high})"),
                  sql(MLPD, f"SELECT * FROM {table} WHERE ts >= {low} AND ts < {high}"))
    assert duck(MLPD, "SELECT count(*) FROM pt_slice(utid := 1)") == sql(
        MLPD, "SELECT count(*) FROM slice WHERE utid = 1")


def check_safety(folder):
    expect(0, "SELECT 1")
    before = sorted(folder.rglob("*"))
    for query in REFUSED:
        done = ask(query)
        assert done.returncode == 2 and done.stderr.startswith("polytrace: "), (
            query, done.returncode, done.stderr, done.stdout[:200])
    for query in WRONG:
        expect(2, query)
    for query in FINE:
        expect(0, query)
    for query in ("CREATE TEMP TABLE t(x INTEGER)", "CREATE TEMP VIEW v AS SELECT 1"):
        expect(2, query, "--read-only")
    for query in ENDLESS:
        assert expect(6, query, "--timeout", "300ms", word="300 ms") < 60, query
    for query in HUNGRY:
        expect(6, query, "--memory", "64M", "--timeout", "140s")
    expect(6, "SELECT '" + "x" * (1 << 20) + "'")
    expect(2, "SELECT 'a\0b'")
    assert sorted(folder.rglob("*")) == before
    done = ask("SELECT :n + 1, ':n', 5::BIGINT", "--param", "n=41", "--format", "csv")
    assert done.stdout.splitlines()[1] == "42,:n,5", done.stdout


def check_several():
    rows = json.loads(run("sql", "--json", "--engine", "duckdb", MLPD, SHOP,
                          "SELECT (SELECT count(*) FROM t1_slice), (SELECT count(*) FROM t2_slice)"
                          ))["rows"]
    assert rows == [[sql(file, "SELECT count(*) FROM slice")[0][0] for file in (MLPD, SHOP)]]


def check_parquet(folder):
    query = "SELECT id, ts, name, dur / 3.0 AS third, NULL AS untold FROM slice ORDER BY id"
    file = folder / "answer.parquet"
    for engine in ("sqlite", "duckdb"):
        run("sql", "--engine", engine, "--format", "parquet", "-f", "-o", file, MLPD, query)
        assert file.read_bytes()[:4] == b"PAR1"
    refused = subprocess.run([POLYTRACE, "sql", "--format", "parquet", "-o", file, MLPD, query],
                             capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "exists" in refused.stderr, refused.stderr
    tables = folder / "tables"
    run("export", "--to", "parquet", "--tables", "slice,thread,alloc", MLPD, "-o", tables)
    assert {path.name for path in tables.iterdir()} == {
        "slice.parquet", "thread.parquet", "alloc.parquet"}
    left = [path for path in folder.iterdir() if ".part" in path.name or "spill" in path.name]
    assert not left, left
    return file, tables


READER = """
import ctypes, json, os, sys
duck = ctypes.CDLL(os.environ["POLYTRACE_DUCKDB"])
duck.duckdb_value_varchar.restype = ctypes.c_void_p
duck.duckdb_row_count.restype = duck.duckdb_column_count.restype = ctypes.c_uint64
store, link = ctypes.c_void_p(), ctypes.c_void_p()
assert duck.duckdb_open(None, ctypes.byref(store)) == 0
assert duck.duckdb_connect(store, ctypes.byref(link)) == 0
result = (ctypes.c_uint64 * 6)()
assert duck.duckdb_query(link, sys.argv[1].encode(), ctypes.byref(result)) == 0
rows = duck.duckdb_row_count(ctypes.byref(result))
columns = duck.duckdb_column_count(ctypes.byref(result))
def cell(row, column):
    text = duck.duckdb_value_varchar(ctypes.byref(result), ctypes.c_uint64(column),
                                         ctypes.c_uint64(row))
    return None if text is None else ctypes.cast(text, ctypes.c_char_p).value.decode()
print(json.dumps([[cell(r, c) for c in range(columns)] for r in range(rows)]))
"""


def read_back(query):
    """By DuckDB alone, in a process of its own: the file is all that it knows."""
    done = subprocess.run([sys.executable, "-c", READER, query], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def check_read_back(file, tables):
    ours = sql(MLPD, "SELECT id, ts, name, dur / 3.0 FROM slice ORDER BY id")
    told = read_back(f"SELECT id, ts, name, third, untold FROM '{file}'")
    assert [(int(a), int(b), c) for a, b, c, _, _ in told] == [row[:3] for row in ours]
    assert all(math.isclose(float(row[3]), one[3], rel_tol=1e-9) for row, one in zip(told, ours))
    assert all(row[4] is None for row in told)
    slices = read_back(f"SELECT ts, utid, name FROM '{tables}/slice.parquet'")
    assert [int(row[0]) for row in slices] == sorted(int(row[0]) for row in slices)
    assert Counter((int(a), int(b), c) for a, b, c in slices) == Counter(
        sql(MLPD, "SELECT ts, utid, name FROM slice"))


def check_absent(folder):
    """Where there is no DuckDB."""
    surroundings = {**os.environ, "POLYTRACE_DUCKDB": str(folder / "no.so")}
    broken = folder / "broken.so"
    broken.write_text("no library")
    for library in (folder / "no.so", broken, MLPD):
        surroundings["POLYTRACE_DUCKDB"] = str(library)
        for words in (["sql", "--engine", "duckdb", MLPD, "SELECT 1"],
                      ["sql", "--format", "parquet", "-o", folder / "x.parquet", MLPD, "SELECT 1"],
                      ["export", "--to", "parquet", MLPD, "-o", folder / "none"]):
            done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                                  env=surroundings, capture_output=True, text=True, check=False)
            assert done.returncode == 3 and "DuckDB is not here" in done.stderr, done.stderr
    assert not (folder / "none").exists() and not (folder / "x.parquet").exists()
    done = subprocess.run([POLYTRACE, "doctor"], env=surroundings, capture_output=True, text=True,
                          check=False)
    assert "no DuckDB" in done.stdout, done.stdout
    for engine in ("auto", "sqlite"):
        done = subprocess.run([POLYTRACE, "sql", "--engine", engine, MLPD, "SELECT 1"],
                              env=surroundings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def find_duckdb():
    """Where ./dev setup readers puts one, unless the surroundings name another."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    readers = Path(os.environ.get("POLYTRACE_READERS", cache / "polytrace/readers"))
    found = readers / "node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so"
    if "POLYTRACE_DUCKDB" not in os.environ and found.exists():
        os.environ["POLYTRACE_DUCKDB"] = str(found)


def main():
    find_duckdb()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
        os.chdir(folder)
        check_absent(folder)
        if ask("SELECT 1").returncode == 3:
            print("no DuckDB here: POLYTRACE_DUCKDB names none, nor is there a libduckdb.so")
            return 77
        assert "DuckDB" in subprocess.run([POLYTRACE, "doctor"], capture_output=True, text=True,
                                          check=False).stdout
        check_cookbook()
        check_reports()
        check_queries(folder, 300 if LONG else 60)
        check_parameters(5 if LONG else 2)
        check_several()
        check_safety(folder)
        file, tables = check_parquet(folder)
        if os.environ.get("POLYTRACE_DUCKDB"):
            check_read_back(file, tables)
    return 0


sys.exit(main())
