# SPDX-License-Identifier: Apache-2.0
"""Figures of state histories next to their targets: the best of several runs.

usage: history.py PROGRAM FOLDER RUNS CHANGES
"""
import subprocess
import sys

# Name, unit, target for 10^7 changes of 10^4 keys, the reference system's figure (its published
# history tree on a workload of the same kind), whether more is better.
TARGETS = [
    ("build_changes_per_cpu_second", "changes per CPU second", 15e6, "2.1e6", True),
    ("bytes_per_interval", "bytes per interval", 4.8, "23.3", False),
    ("build_peak_mib", "MiB resident while building", 64, "560-880", False),
    ("full_us", "us, full state, warm", 600, "1600", False),
    ("at_us", "us, one key at a tick", 1.5, "300", False),
    ("whole_key_us", "us, one key, whole history", 100, "420000", False),
    ("sampled_us", "us, 1000 samples x 100 keys", 4000, "355000", False),
    ("open_us", "us, open", 2000, "310000", False),
    ("query_anonymous_mib", "MiB of memory while asking", 64, "550-1600", False),
]


def figures(*command):
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split() for line in output.splitlines())}


def best(runs):
    more = {name for name, _, _, _, better in TARGETS if better}
    return {name: (max if name in more else min)(run[name] for run in runs) for name in runs[0]}


def measure(program, path, keys, changes, runs, *extra):
    all_runs = []
    for _ in range(runs):
        run = figures(program, "build", keys, changes, path, *extra)
        run.update(figures(program, "query", path))
        all_runs.append(run)
    return best(all_runs)


def main():
    program, folder, runs, changes = sys.argv[1:5]
    path = f"{folder}/history.bin"
    got = measure(program, path, "1e4", changes, int(runs))
    for name, unit, target, reference, more in TARGETS:
        held = got[name] >= target if more else got[name] <= target
        print(f"{got[name]:12.5g} {unit:32} target {target:9.5g} reference {reference:>10}"
              f"  {'held' if held else 'missed'}")
    cold = figures(program, "cold", path, "full")
    print(f"{cold['cold_us']:12.5g} us, full state, cold             "
          f" {cold['cold_read_kib']:.0f} KiB read, 2 requests asked for,"
          f" {cold['cold_major_faults']:.0f} major faults")
    path = f"{folder}/churn.bin"
    got = measure(program, path, "1e5", changes, 1, "churn")
    cold = figures(program, "cold", path, "full")
    print(f"{cold['cold_us']:12.5g} us, full state, cold, 10^5 short-lived keys, target 10000;"
          f" {got['bytes_per_interval']:.3g} bytes per interval")


if __name__ == "__main__":
    main()
