# SPDX-License-Identifier: Apache-2.0
"""Questions to a store of a thousand processes, beside clickhouse-client doing the same work.

Rows of an hour are made by the store itself: 20 services of 50 processes on 100 hosts, two
versions, 2,000 stacks a service of which few are frequent; values are random, which is the worst
for compression. Three hosts pause three times as long, and one method of version 2 takes twice the
time: what the questions answer is checked with them, and with sums of SQL.
"""
import json
import shutil
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import measure

SERVICES, HOSTS, STACKS = 20, 100, 2000
SLOW_HOSTS = (17, 42, 77)
# Zstandard, for parts of more than a megabyte: what docs/fleet.md tells operators to set.
COMPRESSION = ("<compression><case><min_part_size>1000000</min_part_size>"
               "<min_part_size_ratio>0</min_part_size_ratio><method>zstd</method></case>"
               "</compression>")
SIZES = {"small": {"processes": 12, "windows": 36, "methods": 64, "runs": 3},
         "full": {"processes": 50, "windows": 360, "methods": 262, "runs": 5}}

# Of a number below 1, evenly: what comes to the same place of the same row each time.
EVEN = "(cityHash64(n, {s}, {what}) % 1000003 / 1000003)"
STACK = "sipHash128(concat('stack ', toString({s}), ' ', toString({rank})))"
FRAME = "cityHash64('frame', {s}, {of})"
# What a process of service {s} is: `p` is its number there.
SERIES = "cityHash64('series', {s}, p)"

PROFILE = """INSERT INTO {db}.profile_10s SELECT cityHash64('service', {s}), carrier, {hour},
 {stack}, if(carrier = 0, toUInt64(0), cityHash64('type', rank % 200)), {series},
 toDateTime({begin} + w * 10), toUInt8(0), c, if(carrier = 0, own, c * (16 + c % 200))
FROM (SELECT n, w, p, j, toUInt8(if(j < 67, 0, 3)) AS carrier,
  toUInt32(if(j < 20, j, if(j < 67, 20 * pow(100, (j - 20 + {even1}) / 47),
                            pow(2000, (j - 67 + {even1}) / 14) - 1))) AS rank,
  toUInt64(1 + cityHash64(n, {s}, 2) % 5000) AS c,
  toUInt64(2e9 / (rank + 10) * (0.5 + {even3}) * if(rank = 3 AND p % 2 = 1, 2, 1)) AS own
 FROM (SELECT number AS n, n % 81 AS j, intDiv(n, 81) % {processes} AS p,
   intDiv(n, 81 * {processes}) AS w FROM system.numbers LIMIT {rows}))"""
METHODS = """INSERT INTO {db}.methods_1m SELECT cityHash64('service', {s}), {hour}, {frame},
 {series}, toDateTime({begin} + w * 60), toUInt8(0), calls, own,
 own + cityHash64(n, 4) % 1000000000, cityHash64(n, 5) % 100000000,
 arrayMap(k -> toUInt16(200 + rank % 50 + k), range(5)),
 arrayMap(k -> toUInt32(1 + cityHash64(n, k) % 2000), range(5))
FROM (SELECT n, w, p, j,
  toUInt32(if(j < 40, j, 40 * pow(50, (j - 40 + {even1}) / ({methods} - 40)))) AS rank,
  toUInt64(1 + cityHash64(n, {s}, 2) % 10000) AS calls,
  toUInt64(6e9 / (rank + 10) * (0.5 + {even3}) * if(rank = 3 AND p % 2 = 1, 2, 1)) AS own
 FROM (SELECT number AS n, n % {methods} AS j, intDiv(n, {methods}) % {processes} AS p,
   intDiv(n, {methods} * {processes}) AS w FROM system.numbers LIMIT {rows}))"""
HEALTH = """INSERT INTO {db}.health_10s SELECT cityHash64('service', {s}), {hour}, {series},
 toDateTime({begin} + w * 10), toUInt8(0), 0, 200000, 1000000 + h % 9000000, 1000 + h % 9000,
 toUInt32(1), pause, pause, toUInt32(h % 7), h % 1000000, toUInt32(h % 3), 100000000 + h % 50000000,
 toUInt32(8 + h % 8), 200000, 0, [toUInt16(300 + h % 16)], [toUInt32(1)]
FROM (SELECT w, p, cityHash64(n, {s}) AS h,
  toUInt64((5000000 + h % 1000000) * if(({s} * {processes} + p) % {hosts} IN {slow}, 3, 1)) AS pause
 FROM (SELECT number AS n, n % {processes} AS p, intDiv(n, {processes}) AS w
   FROM system.numbers LIMIT {rows}))"""
PROCESSES = """INSERT INTO {db}.series SELECT {series}, cityHash64('service', {s}),
 cityHash64('group', {s}, p % 4), 'service-{s:02}', if(p % 2 = 0, '1', '2'),
 concat('host-', toString(({s} * {processes} + p) % {hosts})), toString(1000 + p), 'jvm', 'jvm',
 ['region'], [if(p % 4 < 2, 'eu', 'us')], toInt32(0), toDateTime({begin}),
 toDateTime({begin} + 3600) FROM (SELECT number AS p FROM system.numbers LIMIT {processes})"""
# From 12 to 51 frames, the outermost six shared by many.
STACKS_OF = """INSERT INTO {db}.stacks SELECT {stack}, arrayMap(k -> cityHash64('frame', {s},
  toUInt64(if(k = 0, rank, if(depth - k > 6, 2000 + cityHash64(rank, k) % 3000,
                              5000 + (depth - k) * 10 +
                                rank % greatest(1, 7 - toInt32(depth - k)))))), range(depth)),
 toDate(toDateTime({begin})) FROM (SELECT toUInt32(number) AS rank, 12 + number % 40 AS depth
  FROM system.numbers LIMIT {stacks})"""
NAMES = """INSERT INTO {db}.frames SELECT cityHash64('frame', {s}, number), toUInt8(1),
 concat('com.example.shop{s}.part', toString(intDiv(number, 100)), '.Class',
        toString(intDiv(number, 10)), '.method', toString(number)),
 concat('Class', toString(intDiv(number, 10)), '.java'), toUInt32(number % 1000),
 toDate(toDateTime({begin}))
 FROM system.numbers LIMIT 5100"""
TYPES = """INSERT INTO {db}.frames SELECT cityHash64('type', number), toUInt8(2),
 concat('com.example.Type', toString(number)), '', toUInt32(0), toDate(toDateTime({begin}))
 FROM system.numbers LIMIT 200"""
TOTALS = """INSERT INTO {db}.batches SELECT 'edge', 1, '{table}', toYYYYMMDD(toDateTime({begin})),
 {hour}, toUInt32(count()), sum({count}), sum({weight}), toUInt8(1), toDateTime({begin})
 FROM {db}.{table}"""


def client(server, sql, **options):
    """clickhouse-client's own words for these statements."""
    words = [f"--{name}={value}" for name, value in options.items()]
    name = shutil.which("clickhouse-client")
    return [*([name] if name else ["clickhouse", "client"]), "--host=127.0.0.1",
            f"--port={server.tcp}", "--multiquery", "--query", sql, *words]


class Questions:
    def __init__(self, bench, size):
        self.bench, self.server, self.tool = bench, bench.server, bench.tool
        self.__dict__.update(SIZES[size])
        self.is_full = size == "full"
        self.begin = (int(time.time()) // 3600 - 2) * 3600
        self.end = self.begin + self.windows * 10
        self.db = "questions"
        self.url = f"{self.server.url}/{self.db}"

    def client(self, sql, **options):
        return client(self.server, sql, **options)

    def fill(self):
        subprocess.run([self.tool, "fleet", "schema", "--apply", "--store", self.url], check=True,
                       stdout=subprocess.DEVNULL)

        def of_service(s):
            words = {"db": self.db, "s": s, "begin": self.begin, "hour": self.begin // 3600,
                     "processes": self.processes, "methods": self.methods, "hosts": HOSTS,
                     "stacks": STACKS, "slow": SLOW_HOSTS,
                     "stack": STACK.format(s=s, rank="rank"),
                     "frame": FRAME.format(s=s, of="rank"), "series": SERIES.format(s=s),
                     "even1": EVEN.format(s=s, what=1), "even3": EVEN.format(s=s, what=3)}
            rows = {PROFILE: 81 * self.processes * self.windows,
                    METHODS: self.methods * self.processes * (self.windows // 6),
                    HEALTH: self.processes * self.windows}
            for sql in (PROFILE, METHODS, HEALTH, PROCESSES, STACKS_OF, NAMES):
                subprocess.run(self.client(sql.format(rows=rows.get(sql), **words)), check=True)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(of_service, range(SERVICES)))
        more = {"db": self.db, "begin": self.begin, "hour": self.begin // 3600}
        after = [TYPES.format(**more)]
        after += [f"OPTIMIZE TABLE {self.db}.{table} PARTITION {part} FINAL"
                  for table in ("profile_10s", "methods_1m", "health_10s")
                  for part in [time.strftime("%Y%m%d", time.gmtime(self.begin))]]
        after += [TOTALS.format(table=table, count=count, weight=weight, **more)
                  for table, count, weight in (("profile_10s", "count", "weight"),
                                               ("methods_1m", "calls", "self_ns"),
                                               ("health_10s", "events", "lost"))]
        subprocess.run(self.client(";\n".join(after)), check=True)

    def told_sizes(self):
        for table, most in (("profile_10s", 7), ("methods_1m", None), ("health_10s", None)):
            rows, size = map(int, self.server.rows(
                f"SELECT sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active AND "
                f"database = '{self.db}' AND table = '{table}'")[0])
            what = f"{table}: {rows / 1e6:.2f} M rows, bytes a row"
            if most is None:
                measure.show(what, f"{size / rows:.2f}")
            else:
                self.bench.told(what, f"{size / rows:.2f}", most, size / rows <= most)

    def within(self, where="1", begin=None):
        return (f"hour = {self.begin // 3600} AND t >= {begin or self.begin} AND t < {self.end} "
                f"AND {where}")

    def series(self, where):
        return f"(SELECT series FROM {self.db}.series WHERE {where})"

    def names(self, services):
        """What a tree of stacks is named by: as many rows as the command fetches."""
        of = ", ".join(map(str, services))
        return (f"SELECT id, any(frames) FROM {self.db}.stacks WHERE id IN (SELECT "
                f"{STACK.format(s='s', rank='rank')} FROM (SELECT arrayJoin([{of}]) AS s, "
                f"arrayJoin(range({STACKS})) AS rank)) GROUP BY id; "
                f"SELECT id, any(name), any(file), any(line) FROM {self.db}.frames WHERE id IN "
                f"(SELECT cityHash64('frame', toUInt8(arrayJoin([{of}])), number) FROM (SELECT "
                "number FROM system.numbers LIMIT 5100)) GROUP BY id")

    def asked(self):
        """Of each question: the statements' milliseconds elsewhere, the command's words, and the
        statements."""
        one = "service = cityHash64('service', 7)"
        version = f"{one} AND series IN " + self.series("version = '2' AND "
                                                        "label_values[1] = 'us'")
        flame = ("SELECT stack, count(), sum(count), sum(weight) AS w FROM {db}.profile_10s{final} "
                 "WHERE carrier = 0 AND {where} GROUP BY stack ORDER BY w DESC LIMIT 200000; "
                 "{names}")
        late = self.end - 300 if self.is_full else self.end - 60
        everyone = range(SERVICES)
        sides = ("sumIf(self_ns, series IN " + self.series("version = '1'") + "), "
                 "sumIf(self_ns, series IN " + self.series("version = '2'") + ")")
        diff = ("SELECT method, host, {sides}, sum(calls) FROM (SELECT method, series, self_ns, "
                "calls FROM {db}.methods_1m WHERE {where}) AS f ANY LEFT JOIN (SELECT series, host "
                "FROM {db}.series) AS s USING series GROUP BY method, host")
        methods = ("SELECT method, count(), sum(calls), sum(self_ns) AS s, sum(total_ns), "
                   "max(max_ns), sumMap(bucket, tally) FROM {db}.methods_1m WHERE {where} "
                   "GROUP BY method ORDER BY s DESC LIMIT 200000")
        db, page = self.db, ["-o", "{page}", "-f"]
        mine, ours = ["--where", "service=service-07"], []

        def add(name, spec, words, sql, **more):
            ours.append((name, spec, words, sql.format(db=db, **more)))

        add("series of a service", 8, ["series", *mine],
            "SELECT * FROM {db}.series WHERE " + one + "; SELECT series, sum(events), sum(lost), "
            "max(t) FROM {db}.health_10s FINAL WHERE {where} GROUP BY series",
            where=self.within(one))
        add("flame of all processes, as a page", 2068, ["flame", *page], flame,
            final="", where=self.within(), names=self.names(everyone))
        add("flame of one service, as a page", 230, ["flame", *mine, *page], flame,
            final="", where=self.within(one), names=self.names([7]))
        add("the same of one version and region", 113,
            ["flame", "--where", "service=service-07 and version=2 and region=us", *page],
            flame, final="", where=self.within(version), names=self.names([7]))
        add("the same of one service, --exact", 444, ["flame", *mine, "--exact", *page],
            flame, final=" FINAL", where=self.within(one), names=self.names([7]))
        add("flame of one service, the last minutes", 22,
            ["flame", *mine, "--from", str(late), *page],
            flame, final="", where=self.within(one, late), names=self.names([7]))
        add("diff of two versions of a service", 79,
            ["diff", "--base", "service=service-07 and version=1", "--where",
             "service=service-07 and version=2"], diff, sides=sides, where=self.within(one))
        add("diff of two versions of all", 2118, ["diff", "--base", "version=1", "--where",
                                                  "version=2"], diff, sides=sides,
            where=self.within())
        add("methods of all", 1878, ["methods"], methods, where=self.within())
        add("methods of one service", 360, ["methods", *mine], methods, where=self.within(one))
        add("pauses by service", 156, ["pauses"],
            "SELECT service, count(), sum(gcs), sum(pause_ns), max(pause_max_ns), "
            "sumMap(pause_bucket, pause_tally), uniqExact(series) FROM {db}.health_10s WHERE "
            "{where} GROUP BY service", where=self.within())
        add("hosts unlike the others", 9, ["hosts"],
            "SELECT grp, host, sum(v), sum(n) FROM (SELECT series, sum(pause_ns) AS v, "
            "uniqExact(t) AS n FROM {db}.health_10s WHERE {where} GROUP BY series) AS h ANY LEFT "
            "JOIN (SELECT series, grp, host FROM {db}.series) AS s USING series GROUP BY grp, host",
            where=self.within())
        add("allocations of one service", 46, ["allocations", *mine],
            "SELECT subject, sum(count), sum(weight) FROM {db}.profile_10s WHERE carrier = 3 AND "
            "{where} GROUP BY subject; SELECT stack, sum(count), sum(weight) FROM {db}.profile_10s "
            "WHERE carrier = 3 AND {where} GROUP BY stack; {names}",
            where=self.within(one), names=self.names([7]))
        return ours

    def command(self, words, page):
        times = [] if "--from" in words else ["--from", str(self.begin)]
        until = ["--until" if words[0] == "flame" else "--to", str(self.end)]
        filled = [word.format(page=page) for word in words]
        return [str(self.tool), "fleet", *filled, *times, *until, "--store", self.url, "--json"]

    def ask(self):
        page = Path(self.bench.folder) / "page.html"
        limits = {"flame of one service, as a page": 400, "flame of all processes, as a page": 3000}
        empty = statistics.median(measure.run(self.client("SELECT 1"))["wall"] for _ in range(5))
        print(f"clickhouse-client takes {empty * 1000:.0f} ms to begin and to end; in brackets: "
              "what the server alone took for such statements at 2.4 GHz")
        for name, known, words, sql in self.asked():
            command = self.command(words, page)
            client = self.client(sql, format="RowBinary", max_threads=2)
            both = [(measure.run(command)["wall"] * 1000, measure.run(client)["wall"] * 1000)
                    for _ in range(self.runs)]
            mine, theirs = (statistics.median(of) for of in zip(*both))
            ratio = mine / theirs
            self.bench.told(f"{name}, ms beside the client's", f"{mine:.0f} : {theirs:.0f}",
                            f"{ratio:.2f} <= 1.5  ({known})", ratio <= 1.5)
            if self.is_full and name in limits:
                self.bench.told(f"{name}, ms", f"{mine:.0f}", limits[name], mine <= limits[name])

    def answer(self, *words):
        done = subprocess.run(self.command(words, "-"), capture_output=True, check=True, text=True)
        return json.loads(done.stdout)

    def check(self):
        """What was planted is what is found, and sums are those of SQL."""
        first = self.answer("diff", "--base", "version=1", "--where", "version=2",
                            "--limit", str(SERVICES))["tables"][0]["rows"]
        methods = sorted(row["method"] for row in first)
        planted = sorted(f"com.example.shop{s}.part0.Class0.method3" for s in range(SERVICES))
        self.bench.told("methods that got slower, found first",
                        sum(one in planted for one in methods), SERVICES, methods == planted)
        hosts = {row["host"] for row in self.answer("hosts", "--limit", "0")["tables"][0]["rows"]}
        known = {f"host-{host}" for host in SLOW_HOSTS if host < SERVICES * self.processes}
        self.bench.told("hosts that pause longer", " ".join(sorted(hosts)),
                        " ".join(sorted(known)), hosts == known)
        folded = Path(self.bench.folder) / "folded"
        words = ["flame", "--to", "folded", "--limit", "0", "-o", str(folded), "-f"]
        subprocess.run(self.command(words, ""), check=True, stdout=subprocess.DEVNULL)
        own = sum(int(line.rsplit(" ", 1)[1]) for line in folded.open())
        sql = self.server.number(f"SELECT sum(weight) FROM {self.db}.profile_10s WHERE carrier = 0")
        self.bench.told("nanoseconds of the flame - of SQL", own - sql, 0, own == sql)

    def run(self):
        begin = time.monotonic()
        self.fill()
        print(f"{SERVICES * self.processes} processes, {self.windows} windows: made in "
              f"{time.monotonic() - begin:.0f} s")
        self.told_sizes()
        self.check()
        self.ask()
