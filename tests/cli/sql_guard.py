#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What queries may not do is refused, what takes too long ends, and nothing that is asked harms."""
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
import sql_questions  # noqa: E402
from pseudo_terminal import on_terminal  # noqa: E402
from sql_questions import POLYTRACE  # noqa: E402

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
LONG = bool(os.environ.get("POLYTRACE_LONG"))
FORMS = ("table", "csv", "tsv", "md")
#: What has this is in each form.
ODD = "char(27)"
#: A word that the refusal names, and the statement.
REFUSED = [
    ("ATTACH", "ATTACH 'other.db' AS other"),
    ("ATTACH", "ATTACH ':memory:' AS other"),
    ("DETACH", "DETACH main"),
    ("PRAGMA", "PRAGMA temp_store_directory = '/tmp'"),
    ("PRAGMA", "PRAGMA journal_mode"),
    ("PRAGMA", "PRAGMA writable_schema = ON"),
    ("PRAGMA", "PRAGMA hard_heap_limit = 0"),
    ("PRAGMA", "PRAGMA trusted_schema = ON"),
    ("PRAGMA", "PRAGMA database_list"),
    ("PRAGMA", "PRAGMA threads = 8"),
    ("PRAGMA", "PRAGMA mmap_size = 1000000"),
    ("PRAGMA", "PRAGMA module_list"),
    ("PRAGMA", "PRAGMA compile_options"),
    ("load_extension", "SELECT load_extension('evil')"),
    ("load_extension", "SELECT load_extension('evil', 'entry')"),
    ("fts3_tokenizer", "SELECT fts3_tokenizer('simple')"),
    ("randomblob", "SELECT randomblob(10)"),
    ("zeroblob", "SELECT zeroblob(1000000000)"),
    ("sqlite_version", "SELECT sqlite_version()"),
    ("sqlite_compileoption_get", "SELECT sqlite_compileoption_get(1)"),
    ("sqlite_log", "SELECT sqlite_log(1, 'x')"),
    ("last_insert_rowid", "SELECT last_insert_rowid()"),
    ("rtreecheck", "SELECT rtreecheck('slice')"),
    ("CREATE VIRTUAL TABLE", "CREATE VIRTUAL TABLE temp.f USING fts5(x)"),
    ("writing", "CREATE VIRTUAL TABLE f USING rtree(a, b, c)"),
    ("", "CREATE TABLE main.t(x)"),
    ("", "CREATE TABLE t(x)"),
    ("", "CREATE VIEW v AS SELECT 1"),
    ("", "CREATE INDEX i ON slice(ts)"),
    ("", "CREATE TABLE t AS SELECT * FROM slice"),
    ("", "CREATE TEMP TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; END"),
    ("a transaction", "BEGIN"),
    ("a transaction", "COMMIT"),
    ("a transaction", "SAVEPOINT s"),
    ("writing", "ANALYZE"),
    ("", "VACUUM"),
    ("", "VACUUM INTO 'copy.db'"),
    ("writing", "SELECT * FROM dbstat"),
    ("writing", "SELECT * FROM sqlite_stmt"),
    ("", "SELECT * FROM pragma_module_list"),
    ("", "SELECT * FROM pragma_database_list"),
    ("writing", "INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)"),
    ("", "DELETE FROM sqlite_master"),
    ("", "UPDATE sqlite_schema SET sql = 'x'"),
    ("PRAGMA", "PRAGMA user_version = 5"),
    ("PRAGMA", "PRAGMA schema_version = 1"),
    ("PRAGMA", "PRAGMA cache_size = -1000000"),
    ("PRAGMA", "PRAGMA temp_store = 1"),
    ("PRAGMA", "PRAGMA synchronous = OFF"),
    ("PRAGMA", "PRAGMA soft_heap_limit = 0"),
    ("PRAGMA", "PRAGMA data_store_directory = '/tmp'"),
    ("PRAGMA", "PRAGMA recursive_triggers = ON"),
    ("PRAGMA", "PRAGMA integrity_check"),
    ("PRAGMA", "PRAGMA temp.journal_mode = WAL"),
    ("a transaction", "ROLLBACK"),
    ("a transaction", "BEGIN EXCLUSIVE"),
    ("a transaction", "RELEASE s"),
    ("", "CREATE TRIGGER t AFTER INSERT ON slice BEGIN SELECT 1; END"),
    ("", "CREATE TEMP TABLE t(x); ALTER TABLE t RENAME TO u"),
    ("", "DROP TABLE sqlite_master"),
    ("", "DROP VIEW thread_slice"),
    ("", "CREATE UNIQUE INDEX main.i ON slice(ts)"),
    ("changes", "SELECT changes()"),
    ("total_changes", "SELECT total_changes()"),
    ("sqlite_source_id", "SELECT sqlite_source_id()"),
    ("sqlite_compileoption_used", "SELECT sqlite_compileoption_used('x')"),
    ("randomblob", "SELECT hex(randomblob(1000000000))"),
    ("zeroblob", "SELECT length(zeroblob(2147483647))"),
    ("", "SELECT writefile('x', 'y')"),
    ("", "SELECT readfile('/etc/passwd')"),
    ("", "SELECT * FROM fsdir('/')"),
    ("", "SELECT * FROM pragma_compile_options"),
    ("", "SELECT * FROM pragma_user_version"),
    ("", "SELECT edit('x')"),
]
WRONG = [
    "", "SELEC 1", "SELECT", "SELECT * FROM", "SELECT * FROM nothing", "SELECT nothing FROM slice",
    "SELECT nofunction(1)", "SELECT ns('x')", "SELECT ns('1 parsec')", "SELECT (",
    "SELECT * FROM allocations('colour', NULL, NULL, NULL)", "SELECT * FROM samples()",
    "SELECT * FROM methods('x', NULL, NULL)", "SELECT * FROM methods(NULL, NULL, '[1,')",
    "SELECT * FROM methods(NULL, NULL, 'a')", "SELECT * FROM methods(1, 2, 3, 4, 5)",
    "SELECT * FROM callers('Main', NULL, NULL)", "SELECT :missing", "SELECT ?", "SELECT ?5",
    "SELECT 1; SELECT nothing", "DROP TABLE slice", "DELETE FROM slice", "UPDATE slice SET ts = 1",
    "INSERT INTO slice(ts) VALUES (1)", "INSERT INTO thread DEFAULT VALUES",
    "ALTER TABLE slice RENAME TO calls", "DROP VIEW thread_slice_of_nobody",
    "SELECT 1 FROM slice JOIN", "SELECT " + "(" * 500 + "1" + ")" * 500,
    "SELECT " + " UNION ALL SELECT ".join(["1"] * 100), "SELECT 1 LIKE '" + "%a" * 600 + "'",
    "SELECT abs(-9223372036854775808)", "SELECT 'a' REGEXP 'a'", "SELECT 'a' MATCH 'a'",
    "WITH RECURSIVE r AS (SELECT 1 FROM r) SELECT * FROM r", "SELECT x'0g'", "SELECT 'unfinished",
    "SELECT \"no such column of ours\" FROM slice", "EXPLAIN", "CREATE TEMP TABLE x(",
    "SELECT * FROM stack_of", "SELECT * FROM t1_slice",
    "SELECT quantile(dur) FROM slice", "SELECT sum(count(*)) FROM slice",
    "SELECT * FROM slice WHERE ts = (SELECT 1, 2)", "SELECT 1 1 1",
    "SELECT fmt_ns()", "SELECT span(1)", "SELECT * FROM open_calls(1, '{}')",
]
#: Each runs for hours, if it is let; the last, which looks seven thousand million times, for a
#: minute in one call of a function.
ENDLESS = [
    "SELECT count(*) FROM slice a, slice b, slice c",
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r",
    "SELECT count(*) FROM path a, path b, path c, path d WHERE a.depth + b.depth + c.depth + "
    "d.depth = -1",
    "WITH RECURSIVE r(x) AS (SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaa' UNION ALL SELECT x || x FROM r "
    "WHERE length(x) < 4000000) SELECT count(*) FROM r WHERE x LIKE '%" + "a" * 900 + "b'",
]
HUNGRY = [
    "SELECT length(replace(printf('%0299999d', 0), '0', printf('%0999d', 1)))",
    "SELECT json_group_array(a.name || b.name || c.name) FROM slice a, slice b, slice c",
    "WITH RECURSIVE r(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM r) SELECT max(length(x)) "
    "FROM r",
    "CREATE TEMP TABLE t AS WITH RECURSIVE r(x, y) AS (SELECT 1, 'a' UNION ALL SELECT x + 1, "
    "printf('%01000d', x) FROM r) SELECT * FROM r",
    "SELECT group_concat(a.name, b.name) FROM slice a, slice b, slice c",
]
#: Said at once: SQLite makes the first in a minute, one character after the other.
TOO_LONG = [
    "SELECT length(printf('%.*c', 2000000000, 'x'))",
    "SELECT length(format('%s%.2000000000c', 1, 'x'))",
    "SELECT printf('%999999999d', 1)",
    "SELECT printf(replace(printf('%0999d', 0), '0', '%.8000000c'), 'x')",
]
#: As the sqlite3 shell has it.
EXACT = ("SELECT printf('%n%5%%-*d|%.*c|%s', 3, 1, 2, 'x', 'y') || format('%05.1f', 1.25) || "
         "ifnull(printf(NULL), 'none') || printf('%.999999999s', 'a')",
         "    %1  |xx|y001.3nonea")
FINE = [
    "SELECT 1", ";", "REINDEX", "-- nothing", "SELECT NULL", "SELECT 1;", " SELECT 1 ; ; ",
    "CREATE TEMP TABLE t AS SELECT * FROM thread; INSERT INTO t SELECT * FROM t; "
    "SELECT count(*) FROM t",
    "CREATE TEMP VIEW v AS SELECT name FROM method; SELECT count(*) FROM v",
    "CREATE PERFETTO TABLE p AS SELECT 1 AS x; SELECT x FROM p",
    "INCLUDE PERFETTO MODULE slices.with_context; SELECT 1",
    "PRAGMA table_info(slice)", "PRAGMA function_list", "PRAGMA table_list",
    "EXPLAIN QUERY PLAN SELECT * FROM slice", "SELECT sql FROM sqlite_master",
    "SELECT * FROM json_each('[1, 2]')", "SELECT '=1+1', '-1', '+1', '@x', char(27) || '[31m'",
    "SELECT replace('aaa', 'a', 'bb'), instr('äbc', 'c'), 'Abc' LIKE 'aB_', 'abc' GLOB 'a[b-c]?'",
    "SELECT * FROM slice WHERE meets = 'nonsense'", "SELECT * FROM slice WHERE meets = span(5, 1)",
    "SELECT * FROM slice WHERE id = -1", "SELECT * FROM stack_of(-1)",
    "SELECT stack_text(999999999)", "SELECT printf('%.999999999s', 'a')",
    "SELECT * FROM methods(9223372036854775807, -9223372036854775808, NULL)",
    "SELECT * FROM open_calls(-9223372036854775808, NULL)",
    "SELECT * FROM methods(NULL, NULL, '[]')",
    "SELECT * FROM methods(NULL, NULL, 4294967295)",
    "SELECT ns('-1.5ms'), fmt_ns(-1), fmt_bytes(-1)",
    "SELECT length(trim(printf('%0100000d', 0), replace(printf('%0100000d', 1), '0', '1') || '0'))",
    "SELECT trim('--äbä-', '-ä'), ltrim('aab', 'a'), rtrim('baa', 'a'), trim('x', '')",
]


def ask(query, *more):
    return sql_questions.ask(EXAMPLE, query, *more)


def expect(code, query, *more, word=""):
    return sql_questions.expect(EXAMPLE, code, query, *more, word=word)


def check_refusals(folder):
    """Each ends as one, in one session at the prompt, which goes on; a few of them alone, too."""
    asked = [*REFUSED, *(("", query) for query in WRONG if query)]
    for i, (_, query) in enumerate(asked):
        (folder / f"q{i}").write_text(query, encoding="utf-8")
    typed = "".join(f".read q{i}\n.next{i}\n" for i in range(len(asked)))
    with open(folder / "said", "w+", encoding="utf-8") as said:
        code, _ = on_terminal([POLYTRACE, "sql", EXAMPLE], 100, 50, cwd=folder, stderr=said,
                              typed=typed + ".quit\n")
        said.seek(0)
        parts = re.split(r'.*no "\.next[0-9]+".*\n(?:  hint: .*\n)?', said.read())
    assert code == 0 and len(parts) == len(asked) + 1, (code, parts[-2:])
    for part, (word, query) in zip(parts, asked):
        assert re.search(r"^polytrace: .*\bquery ", part, re.M) and word in part, (query, part)
    for word, query in asked if LONG else asked[::12]:
        expect(2, query, word=word)


def check_fine():
    """All in one session; in other forms, which have one answer, those that are odd."""
    done = ask("\n;\n".join(FINE))
    assert done.returncode == 0 and "\x1b" not in done.stdout, done.stderr
    for query in FINE if LONG else filter(lambda query: ODD in query, FINE):
        for form in FORMS:
            done = ask(query, "--format", form)
            assert done.returncode == 0 or "second answer" in done.stderr, (query, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POLYTRACE_CACHE"] = folder
        os.chdir(folder)
        expect(0, "SELECT 1")
        questions = Path(folder) / "questions"
        questions.mkdir()
        (Path(folder) / "sql_history").touch()
        before = sorted(Path(folder).iterdir())
        check_refusals(questions)
        check_fine()
        expect(0, "")
        for query in ("CREATE TEMP TABLE t(x)", "CREATE TEMP VIEW v AS SELECT 1"):
            expect(2, query, "--read-only")
        for query in ENDLESS:
            took = expect(6, query, "--timeout", "300ms", word="300 ms")
            assert took < 20, (query, took)
        for query in HUNGRY:
            expect(6, query, "--memory", "64M", "--timeout", "140s")
        for query in TOO_LONG:
            expect(6, query, "--timeout", "140s", word="too big")
        assert sql_questions.sql(EXAMPLE, EXACT[0]) == [(EXACT[1],)]
        expect(2, "SELECT 'a\0b'")
        assert sorted(Path(folder).iterdir()) == before
    sys.exit(0)


main()
