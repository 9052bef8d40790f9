# SPDX-License-Identifier: Apache-2.0
"""A small fleet, made in Python and put into a store as text: its rows are the facts that tests
count for themselves. Two services, two versions, hosts, a region; methods, stacks, allocation,
waits, exceptions and pauses of 40 minutes in windows of 10 s."""
import hashlib
import random

BEGIN = 1_790_000_400  # a multiple of 3600
MINUTES = 40
CALLS, ALLOCATIONS, CONTENTIONS, EXCEPTIONS = 0, 3, 4, 5


def escaped(value):
    if isinstance(value, (list, tuple)):
        return "[" + ",".join("'" + escaped(one) + "'" if isinstance(one, str) else str(one)
                              for one in value) + "]"
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def insert(server, table, columns, rows):
    text = "".join("\t".join(escaped(row[column]) for column in columns) + "\n" for row in rows)
    server.ask(f"INSERT INTO {table} ({', '.join(columns)}) FORMAT TabSeparated", text.encode())


def stack_id(frames):
    """As hexadecimal: any 16 bytes that differ will do."""
    return hashlib.md5(repr(frames).encode()).hexdigest()


class Fleet:
    def __init__(self, seed=1, slow_version=None):
        draw = random.Random(seed)
        self.services = {"shop": 11, "search it's": 12}
        self.series = []
        number = 100
        for service, own in self.services.items():
            for version in ("1", "2"):
                for host in ("a", "b", "c"):
                    number += 1
                    self.series.append({
                        "series": number, "service": own, "grp": own * 10 + int(version),
                        "service_name": service, "version": version, "host": host,
                        "instance": str(number), "runtime": "jvm", "agent": "polytrace",
                        "label_names": ["region"], "label_values": ["eu" if host == "a" else "us"],
                        "skew_ms": -7, "first": BEGIN - 60, "last": BEGIN + 60 * MINUTES})
        self.methods = [{"id": 1000 + i, "kind": 1, "name": f"Shop.step{i}(int)",
                         "file": "Shop.java", "line": 10 * i, "seen": "2026-09-21"}
                        for i in range(12)]
        self.types = [{"id": 2000 + i, "kind": 2, "name": f"java.lang.Thing{i}", "file": "",
                       "line": 0, "seen": "2026-09-21"} for i in range(4)]
        self.stacks = []
        for _ in range(40):
            frames = [1000 + draw.randrange(12) for _ in range(draw.randrange(1, 9))]
            self.stacks.append(frames)
        self.profile, self.method_rows, self.health = [], [], []
        for series in self.series:
            for window in range(MINUTES * 6):
                self.window(draw, series, BEGIN + window * 10, slow_version)
            for minute in range(MINUTES):
                self.minute(draw, series, BEGIN + minute * 60)

    def window(self, draw, series, t, slow_version):
        common = {"service": series["service"], "hour": t // 3600, "series": series["series"],
                  "t": t, "gen": 0}
        slow = 3 if series["version"] == slow_version else 1
        used = set()
        for carrier in (CALLS, CALLS, CALLS, ALLOCATIONS, CONTENTIONS, EXCEPTIONS):
            frames = draw.choice(self.stacks)
            subject = 0 if carrier == CALLS else 2000 + draw.randrange(4)
            key = (carrier, stack_id(frames), subject)
            if key in used:
                continue
            used.add(key)
            count = draw.randrange(1, 50)
            weight = {EXCEPTIONS: count, CALLS: slow * count * draw.randrange(1000, 2000)}.get(
                carrier, count * draw.randrange(16, 4096))
            self.profile.append({**common, "carrier": carrier, "stack": frames, "subject": subject,
                                 "count": count, "weight": weight})
        pause = draw.randrange(1_000_000, 9_000_000)
        self.health.append({
            **common, "cpu_ns": 10 ** 9, "calls": 1000, "alloc_bytes": 2 ** 20,
            "alloc_objects": 512, "gcs": 1, "pause_ns": pause, "pause_max_ns": pause, "waits": 3,
            "wait_ns": 40_000, "throws": 2, "heap_used": 2 ** 28, "threads": 9, "events": 500,
            "lost": 7 if series["series"] == 101 and t == BEGIN else 0,
            "pause_bucket": [bucket(pause)], "pause_tally": [1]})

    def minute(self, draw, series, t):
        for method in self.methods:
            lengths = [draw.randrange(100, 100_000) for _ in range(draw.randrange(1, 6))]
            tally = {}
            for length in lengths:
                tally[bucket(length)] = tally.get(bucket(length), 0) + 1
            self.method_rows.append({
                "service": series["service"], "hour": t // 3600, "method": method["id"],
                "series": series["series"], "t": t, "gen": 0, "calls": len(lengths),
                "self_ns": sum(lengths) // 2, "total_ns": sum(lengths), "max_ns": max(lengths),
                "bucket": sorted(tally), "tally": [tally[key] for key in sorted(tally)],
                "lengths": lengths})

    def put(self, server, database, profile=None):
        insert(server, f"{database}.series", list(self.series[0]), self.series)
        for rows in (self.methods, self.types):
            insert(server, f"{database}.frames", list(rows[0]), rows)
        for frames in {stack_id(one): one for one in self.stacks}.values():
            server.ask(f"INSERT INTO {database}.stacks (id, frames, seen) VALUES "
                       f"(unhex('{stack_id(frames)}'), {escaped(frames)}, '2026-09-21')")
        self.put_profile(server, database, self.profile if profile is None else profile)
        for table, rows in (("methods_1m", self.method_rows), ("health_10s", self.health)):
            insert(server, f"{database}.{table}",
                   [column for column in rows[0] if column != "lengths"], rows)

        moments = [{"service": 11, "kind": kind, "hour": BEGIN // 3600, "series": 101, "t": BEGIN,
                    "at": 5, "took": took, "subject": 0, "stack": "", "stream": 0xabc,
                    "block": 4, "thread": took} for kind, took in ((2, 9_000_000), (2, 8_000_000),
                                                                  (1, 99_000_000))]
        columns = [column for column in moments[0] if column != "stack"]
        insert(server, f"{database}.moments", columns, moments)

    @staticmethod
    def put_profile(server, database, rows):
        """RowBinary by hand: an id of 16 bytes is no text."""
        data = bytearray()
        for row in rows:
            data += row["service"].to_bytes(8, "little") + bytes([row["carrier"]])
            data += row["hour"].to_bytes(4, "little") + bytes.fromhex(stack_id(row["stack"]))
            data += row["subject"].to_bytes(8, "little") + row["series"].to_bytes(8, "little")
            data += row["t"].to_bytes(4, "little") + bytes([row["gen"]])
            data += row["count"].to_bytes(8, "little") + row["weight"].to_bytes(8, "little")
        server.ask(f"INSERT INTO {database}.profile_10s (service, carrier, hour, stack, subject, "
                   "series, t, gen, count, weight) FORMAT RowBinary", bytes(data))

    def name(self, frame):
        return next(one["name"] for one in self.methods + self.types if one["id"] == frame)

    def who(self, **labels):
        """The numbers of the series with these labels."""
        return {one["series"] for one in self.series
                if all(one[key] == value for key, value in labels.items())}


def bucket(length):
    """Sixteenths of powers of two, as docs/fleet.md tells them."""
    if length < 16:
        return length
    shift = length.bit_length() - 4
    return shift * 16 + ((length >> (shift - 1)) & 15)
