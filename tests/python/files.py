#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events without an index, files that are written and files that change, in Python: what they give
is what the command prints, or what the index has."""
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import polytrace

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
TRACES = [EXAMPLE, DATA / "mlpd/counters.mlpd", DATA / "mlpd/gcroots.mlpd.gz",
          DATA / "hostile/stacks.ptrace.zst", EXAMPLE.with_name("shop.trcxml")]
COLUMNS = ("id", "ts", "utid", "kind", "subject", "detail")


def of_command(*words, codes=(0,)):
    done = subprocess.run([POLYTRACE, *map(str, words)], text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    assert done.returncode in codes, (words, done.stderr)
    return json.loads(done.stdout)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fails(self, code, work):
        with self.assertRaises(polytrace.PolytraceError) as caught:
            work()
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    def test_events_are_those_of_the_index(self):
        for file in TRACES:
            with polytrace.open(file, temporary=True) as trace:
                rows = list(map(tuple, trace.sql(f"SELECT {', '.join(COLUMNS)} FROM event")))
                self.assertEqual([row[0] for row in rows], list(range(len(rows))))
                told = list(polytrace.read(file))
                self.assertTrue(list(map(tuple, told)) == rows, file)
                self.check_threads(trace, told)
            self.assertEqual(polytrace.read(file).columns, COLUMNS)
            middle = sorted(row[1] for row in rows)[len(rows) // 2]
            told = [tuple(row) for row in polytrace.read(file, ["kind", "ts"], start=middle)]
            self.assertTrue(told == [(row[3], row[1]) for row in rows if row[1] >= middle], file)

    def check_threads(self, trace, told):
        """As the table of each kind has them, in which two lives of an id are two threads."""
        for kind in {row.kind for row in told} - {"enter", "leave", "unwind"}:
            wanted = [row.utid for row in trace.sql(f"SELECT utid FROM event_{kind} ORDER BY id")]
            self.assertEqual([row.utid for row in told if row.kind == kind], wanted, kind)

    def test_batches_live_on(self):
        with polytrace.open(EXAMPLE, temporary=True) as trace:
            for result in (polytrace.read(EXAMPLE), trace.table("slice")):
                names = result.columns
                batches = list(result.batches())
                self.assertTrue(batches and all(batch.columns == names for batch in batches))
                self.assertTrue(all(len(batch) <= 65536 for batch in batches))
                lengths = [len(batch) for batch in batches]
                rows = [row for batch in batches for row in batch]
                self.assertEqual(len(rows), sum(lengths))
                self.fails("usage", lambda: list(batches[0]))
            query = ("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
                     "WHERE i < 150000) SELECT i, 'n' || i AS t FROM n")
            batches = list(trace.sql(query).batches())
            self.assertEqual([len(batch) for batch in batches], [65536, 65536, 150001 - 131072])
            self.assertEqual(batches[0].dicts()[-1], {"i": 65535, "t": "n65535"})
            self.assertIn("arrow_array_stream", repr(batches[1].__arrow_c_stream__()))
            self.fails("usage", lambda: list(batches[1]))

    def test_what_could_not_be_read_follows_the_rows(self):
        rows = []

        def read():
            rows.extend(polytrace.read(DATA / "mlpd/truncated.mlpd"))

        fault = self.fails("frame-truncated", read)
        self.assertGreater(fault.offset, 0)
        self.assertEqual(fault.file, str(DATA / "mlpd/truncated.mlpd"))
        with polytrace.open(DATA / "mlpd/truncated.mlpd", temporary=True) as trace:
            self.assertEqual(len(rows), next(iter(trace.sql("SELECT count(*) FROM event")))[0])
        self.fails("open-failed", lambda: polytrace.read("/nowhere/at.all"))
        self.fails("query-wrong", lambda: polytrace.read(EXAMPLE, ["nothing"]))
        self.fails("not-recognised", lambda: list(polytrace.read(Path(__file__))))

    def test_a_pipe(self):
        code = ("import polytrace; "
                "print(sum(len(batch) for batch in polytrace.read('-').batches()))")
        with EXAMPLE.open("rb") as file, subprocess.Popen(
                ["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
            told = subprocess.run([os.sys.executable, "-c", code], stdin=cat.stdout, text=True,
                                  capture_output=True, check=True).stdout
        self.assertEqual(int(told), len(list(polytrace.read(EXAMPLE, ["id"]))))

    def test_a_growing_file(self):
        path, data = self.folder / "growing.mlpd", EXAMPLE.read_bytes()
        whole = len(list(polytrace.read(EXAMPLE, ["id"])))
        path.write_bytes(data[:len(data) // 2])
        result = polytrace.read(path, ["id"], follow=True)
        rows, stopper = 0, None
        for batch in result.batches():
            if rows == 0:
                self.assertLess(len(batch), whole)
                with path.open("ab") as file:
                    file.write(data[len(data) // 2:])
            rows += len(batch)
            if rows == whole:
                # Its end, whether it waits already or not yet.
                stopper = threading.Thread(target=result.stop)
                stopper.start()
                stopper.join()
        self.assertEqual(rows, whole)
        self.assertIsNotNone(stopper)

    def test_convert(self):
        one, other = self.folder / "one.trcxml", self.folder / "other.trcxml"
        told = polytrace.convert(EXAMPLE, one)
        wanted = of_command("convert", "--json", EXAMPLE, "-o", other)
        self.assertEqual(one.read_bytes(), other.read_bytes())
        wanted["output"]["file"] = str(one)
        self.assertEqual(told, wanted)
        fault = self.fails("output-exists", lambda: polytrace.convert(EXAMPLE, one))
        self.assertEqual((fault.file, fault.hint), (str(one), "pass option force to replace it"))
        damaged = DATA / "mlpd/truncated.mlpd"
        told = polytrace.convert(damaged, one, force=True, to="native")
        self.assertTrue(told["partial"] and told["output"]["written"])
        self.fails("check-failed", lambda: polytrace.convert(EXAMPLE, self.folder / "x.trcbin",
                                                             strict=True))
        self.fails("frame-truncated", lambda: polytrace.convert(damaged, self.folder / "x.mlpd",
                                                                strict=True))
        self.fails("usage", lambda: polytrace.convert(EXAMPLE, self.folder / "x", to="nothing"))
        self.assertFalse(list(self.folder.glob("x*")))
        seen = []
        polytrace.convert(EXAMPLE, self.folder / "y.mlpd", progress=lambda *now: seen.append(now))
        self.assertTrue(seen and all(0 <= done <= total for done, total in seen))
        self.fails("stopped", lambda: polytrace.convert(EXAMPLE, self.folder / "z.mlpd",
                                                        progress=lambda *_: True))
        with self.assertRaises(ZeroDivisionError):
            polytrace.convert(EXAMPLE, self.folder / "v.mlpd", progress=lambda *_: 1 // 0)

    def test_export(self):
        one, other = self.folder / "one", self.folder / "other"
        with polytrace.open(EXAMPLE, temporary=True) as trace:
            for target, options, words in (
                    ("folded", {"weight": "bytes", "start": "50%", "limit": 100},
                     ("--weight", "bytes", "--from", "50%", "--limit", 100)),
                    ("chrome", {"thread": "Main", "end": "+100ms"},
                     ("--thread", "Main", "--until", "+100ms")),
                    ("sqlite", {"tables": ["thread", "slice"]}, ("--tables", "thread,slice"))):
                told = trace.export(target, one, force=True, **options)
                wanted = of_command("export", "--json", "--no-index", "--force", "--to", target,
                                    *words, EXAMPLE, "-o", other)
                self.assertEqual(one.read_bytes(), other.read_bytes(), target)
                for output in wanted["outputs"]:
                    output["file"] = str(one)
                self.assertEqual(told, wanted)
            self.fails("output-exists", lambda: trace.export("folded", one))
            self.fails("usage", lambda: trace.export("nothing", one, force=True))
            self.fails("usage", lambda: trace.export("folded", one, tables=["slice"], force=True))

    def test_refresh(self):
        path = self.folder / "changing.mlpd"
        shutil.copy(EXAMPLE, path)
        with polytrace.open(path, index=self.folder / "index") as trace:
            self.assertFalse(trace.refresh())
            before = len(trace.threads)
            result = trace.sql("SELECT utid FROM thread")
            shutil.copy(DATA / "mlpd/truncated.mlpd", path)
            self.assertTrue(trace.refresh())
            self.assertEqual(trace.error.code, "frame-truncated")
            self.assertNotEqual(len(trace.threads), before)
            self.assertEqual(len(list(result)), before)
            shutil.copy(EXAMPLE, path)
            self.assertTrue(trace.refresh())
            self.assertFalse(trace.partial)
            self.assertEqual(len(trace.threads), before)
            path.unlink()
            self.fails("open-failed", trace.refresh)
            self.assertEqual(len(trace.threads), before)


if __name__ == "__main__":
    unittest.main()
