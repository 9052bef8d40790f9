#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heap snapshots: figures, dominators, HPROF; --visualvm also times VisualVM's library (minutes)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dump=$folder/heap.hprof

"$BENCH_PROGRAMS/bench_heap_bench"
"$BENCH_PROGRAMS/bench_heap_graph"
"$BENCH_PROGRAMS/bench_heap_graph" "$dump"
python3 - "$POLYTRACE" "$dump" <<'PYTHON'
import os
import subprocess
import sys
import time

program, dump = sys.argv[1:]


def seconds(*command):
    best = float("inf")
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.monotonic() - start)
    return best


size = os.path.getsize(dump)
read = seconds("cat", dump)
check = seconds(program, "check", "--no-progress", dump)
heap = seconds(program, "heap", "--no-progress", dump)
print(f"HPROF of {size / 1e6:.0f} MB: check {check:.2f} s ({size / check / 1e9:.2f} GB/s, "
      f"{check / read:.1f} times cat), heap {heap:.2f} s ({heap / check:.1f} times check)")
PYTHON

[[ ${1:-} == --visualvm ]] || exit 0
library=/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar
[[ -f $library ]] || { echo "VisualVM is not installed"; exit 0; }
path=$library:$(printf '%s:' /usr/share/java/org-openide-util*.jar)$folder
javac -cp "$path" -d "$folder" tests/live/java/Retained.java
start=$SECONDS
java -Xmx4g -cp "$path" Retained "$dump" >/dev/null
echo "VisualVM's library, retained sizes of the same dump: $((SECONDS - start)) s"
