#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# history and state: building, asking, snapshots, import and export, damage.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
export XDG_CACHE_HOME=$scratch/cache
states=$scratch/states

# --- rows in, rows out ---
cat >"$scratch/changes.csv" <<'ROWS'
time,path,type,value
0,Lamp,string,red
10,Lamp,string,green
10,Count,int,7
25,Count,int,9007199254740993
30,Lamp,null,
30,Level,double,0.5
ROWS
run history import --json "$scratch/changes.csv" -o "$states"
expect_code 0
expect_json '.schema == "polytrace.history.made/1" and .end == 30 and .notices == []'
run history export "$states" --form changes -o -
expect_code 0
grep -qx '25,Count,int,9007199254740993' "$scratch/out" || fail 'a large number changes on its way'
run history export "$states" -o "$scratch/rows.csv"
expect_code 0
grep -qx 'Lamp,10,29,string,green' "$scratch/rows.csv" || fail 'the lamp is not green from 10 to 29'
run history import "$scratch/rows.csv" -o "$scratch/again"
expect_code 0
run history export "$scratch/again" -o "$scratch/rows2.csv"
cmp -s "$scratch/rows.csv" "$scratch/rows2.csv" || fail 'rows change on the way through a history'
run history import "$scratch/changes.csv" -o "$states"
expect_code 1
expect_in err 'exists already'

# --- questions ---
run history query "$states" --at 12 --json
expect_code 0
expect_json '[.table.rows[] | select(.path == "/Lamp") | .value, .start, .end] == ["green", 10, 29]'
run history query "$states" --path Lamp --from 0 --to 30 --format csv
expect_code 0
[[ $(grep -c '/Lamp' "$scratch/out") -eq 3 ]] || fail 'the lamp has three states'
run history query "$states" --path Lamp --from 30 --to 0 --format csv
[[ $(sed -n 2p "$scratch/out") == *,30,30,null,* ]] || fail 'backwards does not begin at the end'
run history query "$states" --path Count --from 0 --to 30 --samples 4 --format csv
expect_code 0
printf '# about the lamp\nat 0 Lamp\nrange 0 30 Lamp\n\nsamples 2 0 30 Count\n' >"$scratch/asked"
run history query "$states" --batch "$scratch/asked" --json
expect_code 0
expect_json '[.table.rows[].query] == [2, 3, 3, 3, 5, 5]'
run history query "$states" --at 31
expect_code 2
expect_in err 'time outside the history'
run history query "$states" --at 1 --path Lmap
expect_code 2
run history query "$states"
expect_code 2
run history info "$states" --json --paths
expect_code 0
expect_json ".complete and .start == 0 and .end == 30"
expect_json "[.paths[].path] | index(\"/Level\") != null"

# --- snapshots ---
run history snapshot "$states" --at 12 -o "$scratch/snapshot"
expect_code 0
cmp -s "$states/types.json" "$scratch/snapshot/types.json" || fail 'types.json is another'
cmp -s "$states/tree.json" "$scratch/snapshot/tree.json" || fail 'tree.json is another'
cp "$scratch/snapshot/state.json" "$scratch/out"
expect_json '.format == "state-snapshot" and .timestamp == 12'
run history import "$scratch/snapshot" -o "$scratch/restored"
expect_code 0
run history query "$scratch/restored" --at 12 --path Lamp --format csv
expect_in out 'green'

# --- layouts, damage ---
run history convert "$states" --layout stream -o "$scratch/stream"
expect_code 0
run history export "$scratch/stream" -o "$scratch/rows3.csv"
cmp -s "$scratch/rows.csv" "$scratch/rows3.csv" || fail 'the stream layout says otherwise'
run history check "$states"
expect_code 0
expect_in out 'whole'
mkdir "$scratch/cut"
head -c -40 "$states/history.bin" >"$scratch/cut/history.bin"
run history check "$scratch/cut"
expect_code 4
run history repair --json "$scratch/cut"
expect_code 0
expect_json '.notices | length > 0'
run history check "$scratch/cut"
expect_code 0
run history export "$scratch/cut" -o "$scratch/rows4.csv"
cmp -s "$scratch/rows.csv" "$scratch/rows4.csv" || fail 'the repaired history says otherwise'
# Without its last segment, too: whole again, but not all that was.
run history build "$data/calls.mlpd" -o "$scratch/calls"
mkdir "$scratch/short"
head -c -8000 "$scratch/calls/history.bin" >"$scratch/short/history.bin"
run history repair "$scratch/short"
expect_code 4
expect_in err 'not read'
run history repair "$scratch/short"
expect_code 0
run history info "$data/calls.mlpd"
expect_code 3

# --- Trace Compass ---
for name in mixed stack; do
  run history import "$TEST_DATA/history/$name.ht.gz" -o "$scratch/$name"
  expect_code 0
  run history export "$scratch/$name" --form keys -o "$scratch/$name.csv"
  expect_code 0
  # Their attribute numbers are one lower than our keys.
  cmp -s <(zcat "$TEST_DATA/history/$name.intervals.csv.gz" |
    awk -F, -v OFS=, 'NR > 1 { $1 += 1; print }' | sort) \
    <(tail -n +2 "$scratch/$name.csv" | sort) || fail "$name: other intervals than the file has"
done

# --- traces ---
run history build "$data/calls.mlpd" -o "$scratch/trace"
expect_code 0
run history check "$scratch/trace"
expect_code 0
run history query "$scratch/trace" --at 50% --path 'Threads/*/Status' --json
expect_code 0
expect_json '.table.rows | length > 0'
run state "$data/calls.mlpd" --at 50%
expect_code 0
expect_in out 'Threads'
cp "$scratch/out" "$scratch/first"
[[ -d $scratch/cache/polytrace/states ]] || fail 'nothing is kept'
run state "$data/calls.mlpd" --at 50%
cmp -s "$scratch/out" "$scratch/first" || fail 'the second answer is another'
run state "$data/calls.mlpd" --at 50% --path 'Threads/*/Status' --format csv
expect_code 0
expect_in out 'path,key,start,end,type,value'
run state - --at 50% --json <"$data/calls.mlpd"
expect_code 0
expect_json '.states | length > 0'
[[ $(find "$scratch/cache/polytrace/states" -mindepth 1 -maxdepth 1 | wc -l) -eq 1 ]] ||
  fail 'standard input is kept'

# Several at once make one history; where none can be kept, the answer is the same.
rm -rf "$scratch/cache"
for i in 1 2 3 4; do
  "$POLYTRACE" state "$data/calls.mlpd" --at 50% >"$scratch/at-once.$i" 2>&1 &
done
wait
for i in 1 2 3 4; do
  cmp -s "$scratch/at-once.$i" "$scratch/first" ||
    fail "of four at once, $i: $(cat "$scratch/at-once.$i")"
done
[[ $(find "$scratch/cache/polytrace/states" -mindepth 1 -maxdepth 1 | wc -l) -eq 1 ]] ||
  fail 'four at once leave more than one history'
mkdir "$scratch/temporary"
TMPDIR=$scratch/temporary XDG_CACHE_HOME=/proc run state "$data/calls.mlpd" --at 50%
expect_code 0
cmp -s "$scratch/out" "$scratch/first" || fail 'another answer without a cache'
[[ -z $(ls "$scratch/temporary") ]] || fail 'a history without a name is left behind'

finish
