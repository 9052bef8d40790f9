#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heap snapshots: figures, dominators, HPROF. [RUNS] [--visualvm: beside its library, minutes]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
runs=$(sized 5 1) visualvm=
for argument; do
  case $argument in
    --visualvm) visualvm=1 ;;
    *) runs=$argument ;;
  esac
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dump=$folder/heap.hprof

"$BENCH_PROGRAMS/bench_heap_bench"
python3 bench/heap.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_heap_graph" "$dump" "$runs"

[[ -n $visualvm ]] || exit 0
library=/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar
[[ -f $library ]] || { echo "VisualVM is not installed"; exit 0; }
path=$library:$(printf '%s:' /usr/share/java/org-openide-util*.jar)$folder
javac -cp "$path" -d "$folder" tests/live/java/Retained.java
# With the classes that it looks for.
"$POLYTRACE" heap --no-progress --hprof "$folder/whole.hprof" "$dump"
python3 - "$POLYTRACE" "$folder/whole.hprof" "$path" <<'PYTHON'
import sys
sys.path.insert(0, "bench")
from measure import run

tool, dump, path = sys.argv[1:]
theirs = run(["java", "-Xmx4g", "-cp", path, "Retained", dump])
ours = run([tool, "heap", "--dominators", "--limit", "0", "--format", "csv", "--no-progress", dump])
print("retained size of every object, whole process on all cores:")
for name, figures in (("VisualVM's library", theirs), ("polytrace", ours)):
    print(f"{name:<20} {figures['wall']:7.1f} s  {figures['cpu']:7.1f} s CPU  "
          f"{figures['rss']:6.0f} MiB")
print(f"{theirs['wall'] / ours['wall']:.1f} times faster, "
      f"{theirs['cpu'] / ours['cpu']:.1f} times less CPU")
PYTHON
