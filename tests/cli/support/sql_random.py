# SPDX-License-Identifier: Apache-2.0
"""Queries at random over the tables of a trace, and a database of SQLite's own with the same rows,
which answers them as well."""
import json
import random
import sqlite3

from sql_questions import run

TABLES = ["slice", "alloc", "sample", "exception", "counter", "thread", "method", "class", "path",
          "gc", "gc_pause", "lock_wait", "object_wait", "jit", "heap_size", "census"]


def twin(file, folder):
    """The tables' rows in a database of SQLite's own."""
    database = sqlite3.connect(folder / "twin.db")
    columns = {}
    for table in TABLES:
        told = json.loads(run("sql", "--json", file, f"SELECT * FROM {table}"))
        columns[table] = told["columns"]
        names = [column["name"] for column in told["columns"]]
        types = [column["type"] for column in told["columns"]]
        database.execute(f"CREATE TABLE \"{table}\" ("
                         + ", ".join(f'"{n}" {t}' for n, t in zip(names, types)) + ")")
        database.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(names))})',
                             told["rows"])
    database.commit()
    return database, columns


class Queries:
    """Queries at random: constraints of every kind on every column, joins, groups, orders."""

    def __init__(self, database, columns, seed):
        self.database, self.columns, self.random = database, columns, random.Random(seed)

    def value(self, table, column):
        rows = self.database.execute(f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT '
                                     'NULL ORDER BY rowid').fetchall()
        if not rows or self.random.random() < 0.05:
            return self.random.choice(["0", "NULL", "-1", "'x'", "9223372036854775807", "1.5"])
        value = self.random.choice(rows)[0]
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        if isinstance(value, int) and self.random.random() < 0.2:
            value += self.random.choice([-1, 1, 0.5])
        return repr(value)

    def constraint(self, table, alias=""):
        column = self.random.choice([c["name"] for c in self.columns[table]])
        name = f'{alias}"{column}"'
        kind = self.random.random()
        if kind < 0.25:
            return f"{name} IN ({', '.join(self.value(table, column) for _ in range(3))})"
        if kind < 0.32:
            return f"{name} IS NOT NULL"
        if kind < 0.42:
            text = self.value(table, column).strip("'").replace("'", "''")[:6]
            return f"{name} {self.random.choice(['GLOB', 'LIKE'])} " + self.random.choice(
                [f"'{text}*'", f"'%{text[1:]}%'", f"'*{text[2:]}*'", f"'{text[:2]}_%'"])
        if kind < 0.5:
            a, b = self.value(table, column), self.value(table, column)
            return f"{name} BETWEEN {a} AND {b}"
        sign = self.random.choice(["=", "=", "=", "<", "<=", ">", ">=", "<>"])
        return f"{name} {sign} {self.value(table, column)}"

    def one(self):
        table = self.random.choice(["slice"] * 3 + TABLES)
        names = [c["name"] for c in self.columns[table]]
        where = self.random.choice([" AND ", " AND ", " OR "]).join(
            self.constraint(table) for _ in range(self.random.choice([1, 1, 2, 3])))
        kind = self.random.random()
        if kind < 0.25:
            key = self.random.choice(names)
            number = self.random.choice([c["name"] for c in self.columns[table]
                                         if c["type"] != "TEXT"])
            return (f'SELECT "{key}", count(*), sum("{number}"), min("{number}") FROM "{table}" '
                    f"WHERE {where} GROUP BY 1 ORDER BY 1")
        if kind < 0.45 and "ts" in names:
            order = self.random.choice(["ts", "id", "ts DESC", "ts, id"])
            key = order.split()[0].strip(",")
            return f'SELECT "{key}" FROM "{table}" WHERE {where} ORDER BY {order}'
        if kind < 0.65:
            shared = self.random.choice(["utid", "method_id", "class_id", "path_id"])
            others = [t for t in TABLES if shared in [c["name"] for c in self.columns[t]]
                      and t in ("thread", "method", "class", "path")]
            if shared in names and others and table not in others:
                return (f'SELECT a.{shared}, b.name, count(*) FROM "{table}" a JOIN '
                        f'"{others[0]}" b '
                        f"USING ({shared}) WHERE {self.constraint(table, 'a.')} GROUP BY 1, 2 "
                        "ORDER BY 1, 2")
        return f'SELECT * FROM "{table}" WHERE {where}'
