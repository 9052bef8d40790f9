# SPDX-License-Identifier: Apache-2.0
"""What tests that ask traces in SQL share."""
import json
import os
import re
import resource
import subprocess
from collections import Counter

POLYTRACE = os.environ["POLYTRACE"]
LARGE = re.compile(r"-?[0-9]{16,19}")
NEXT = "-- the next answer"


def run(*words, codes=(0, 4)):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask(file, query, *more, codes=None):
    """The query on standard input; how it ended, and `took`: seconds of CPU, which are as
    many on a busy machine."""
    begin = cpu_of_children()
    done = subprocess.run([POLYTRACE, "sql", *map(str, more), file, "-"], input=query,
                          capture_output=True, check=False, text=True, timeout=150)
    done.took = cpu_of_children() - begin
    assert codes is None or done.returncode in codes, (query, done.returncode, done.stderr)
    return done


def expect(file, code, query, *more, word=""):
    """Ends so, with that word in the fault's sentence; seconds of CPU."""
    done = ask(file, query, *more)
    assert done.returncode == code, (query[:100], done.returncode, done.stderr)
    assert code == 0 or done.stderr.startswith("polytrace: "), (query, done.stderr)
    assert word in done.stderr, (query, word, done.stderr)
    return done.took


def sql(file, query):
    """Rows as tuples. Numbers that JSON cannot hold come as texts: they are numbers again."""
    told = json.loads(run("sql", "--json", file, query))
    assert told["rows_left_out"] == 0
    types = [column["type"] for column in told["columns"]]
    return [tuple(int(cell) if type_ == "INTEGER" and isinstance(cell, str) else cell
                  for cell, type_ in zip(row, types)) for row in told["rows"]]


def sql_all(file, queries, *more):
    """Of each query the rows as tuples, all asked of one program. Whole numbers that JSON cannot
    hold come as texts: they are numbers again."""
    def cells(pairs):
        return tuple(int(cell) if isinstance(cell, str) and LARGE.fullmatch(cell) else cell
                     for _, cell in pairs)
    script = "".join(f"{query}\n;SELECT '{NEXT}';\n" for query in queries)
    answers = [[]]
    for line in ask(file, script, "--format", "jsonl", *more, codes=(0, 4)).stdout.splitlines():
        row = json.loads(line, object_pairs_hook=cells)
        if row == (NEXT,):
            answers.append([])
        else:
            answers[-1].append(row)
    assert len(answers) == len(queries) + 1, queries
    return answers[:-1]


def tables(*words):
    """Tables of a command's JSON, by their keys."""
    told = json.loads(run(*words))
    return {table["key"]: table["rows"] for table in told.get("tables", [])}


def same(what, ours, theirs):
    a, b = Counter(ours), Counter(theirs)
    assert a == b, (f"{what}: SQL alone {list((a - b).items())[:4]}, "
                    f"the other {list((b - a).items())[:4]}")
