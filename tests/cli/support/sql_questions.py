# SPDX-License-Identifier: Apache-2.0
"""What tests that ask traces in SQL share."""
import json
import os
import subprocess
from collections import Counter

POLYTRACE = os.environ["POLYTRACE"]


def run(*words, codes=(0, 4)):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout


def sql(file, query):
    """Rows as tuples. Numbers that JSON cannot hold come as texts: they are numbers again."""
    told = json.loads(run("sql", "--json", file, query))
    assert told["rows_left_out"] == 0
    types = [column["type"] for column in told["columns"]]
    return [tuple(int(cell) if type_ == "INTEGER" and isinstance(cell, str) else cell
                  for cell, type_ in zip(row, types)) for row in told["rows"]]


def tables(*words):
    """Tables of a command's JSON, by their keys."""
    told = json.loads(run(*words))
    return {table["key"]: table["rows"] for table in told.get("tables", [])}


def same(what, ours, theirs):
    a, b = Counter(ours), Counter(theirs)
    assert a == b, (f"{what}: SQL alone {list((a - b).items())[:4]}, "
                    f"the other {list((b - a).items())[:4]}")
