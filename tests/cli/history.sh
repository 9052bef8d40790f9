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

# --- rows as others write them ---
# The ticks, values and type of one timeline, as Python would sort and type them.
printf 'Value;Path;Start;End\n7;P/b;20;29\n5;P/b;0;9\nx;P/a;5;29\n' >"$scratch/other.csv"
run history import "$scratch/other.csv" -o "$scratch/other"
expect_code 0
run history export "$scratch/other" -o -
[[ $(tail -n +2 "$scratch/out") == $'P/b,0,9,int,5\nP/b,20,29,int,7\nP/a,5,29,string,x' ]] ||
  fail "rows of another order and form: $(cat "$scratch/out")"
run history info "$scratch/other" --paths --json
expect_json '[.paths[] | .type] == ["null", "null", "int", "string"]'

printf 'path,start,end,type,value\nN,0,4,none,\nN,5,9,null,\n' >"$scratch/none-null.csv"
run history import "$scratch/none-null.csv" -o "$scratch/none-null"
run history export "$scratch/none-null" -o -
cmp -s "$scratch/none-null.csv" "$scratch/out" || fail 'null beside values that just exist is lost'

# By path, 300 000 of them: more than one segment, and each path begins at the start again.
python3 - "$scratch" <<'MAKE'
import sys
with open(sys.argv[1] + "/by-path.csv", "w") as rows, open(sys.argv[1] + "/none.csv", "w") as none:
    rows.write("time,path,type,value\n")
    for path in range(300):
        rows.writelines(f"{7 * i},P/{path},int,{i}\n" for i in range(1000))
    none.write("time,path,type,value\n" + "1;2\n" * 5)
MAKE
run history import --json "$scratch/by-path.csv" --end 0.00001 -o "$scratch/by-path"
expect_code 0
expect_json '.notices == [] and .states == 300002 and .end == 10000'
run history import --tick us "$scratch/changes.csv" --end 1.5 --json -o "$scratch/us"
expect_code 0
expect_json '.end == 1500000'
run history info "$scratch/us" --json
expect_json '.ticks_per_second == 1000000'
run history import "$scratch/changes.csv" --end soon -o "$scratch/us" -f
expect_code 2
printf 'time,path,value\n2026-11-21T10:00:00.5Z,Lamp,on\n2026-11-21T10:00:02Z,Lamp,off\n' |
  gzip >"$scratch/wall.csv.gz"
run history import "$scratch/wall.csv.gz" -o "$scratch/wall"
expect_code 0
run history query "$scratch/wall" --at 2026-11-21T10:00:01Z --path Lamp --format csv
expect_in out ',on'
run history import -f "$scratch/none.csv" -o "$scratch/by-path"
expect_code 4
expect_in err 'no row is sound'
run history info "$scratch/by-path" --json
expect_json '.states == 300002'

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

run history query "$states" --at 12 --path 'L*' --format csv
[[ $(grep -c '^/L' "$scratch/out") -eq 2 && $(wc -l <"$scratch/out") -eq 3 ]] ||
  fail 'L* is not Lamp and Level'
run history query "$states" --at 12 --path '**' --format csv
[[ $(wc -l <"$scratch/out") -eq 5 ]] || fail '** is not all timelines'
printf 'at 0 Lamp\nat never Lamp\nat 0 Lmap\nat 12 Lamp\n' >"$scratch/asked"
run history query "$states" --batch "$scratch/asked" --json
expect_code 2
expect_in err 'line 2'
expect_in err 'line 3'
expect_json '[.table.rows[] | .query, .value] == [1, "red", 4, "green"]'
cat >"$scratch/odd.csv" <<'ROWS'
path,start,end,type,value
Short,-9223372036854775807,5500000,int,1
Short,5500001,5500001,double,nan
Short,5500002,9223372036854775807,double,-inf
ROWS
run history import "$scratch/odd.csv" -o "$scratch/odd"
run history query "$scratch/odd" --at 5500001 --path Short --json
expect_json '.table.rows[0].value == "NaN"'
run history query "$scratch/odd" --at 100% --path Short --json
expect_json '.table.rows[0].value == "-Infinity"'
run history query "$scratch/odd" --at 75% --path Short --json
expect_json '.table.rows[0].value == "-Infinity"'
run history query "$scratch/odd" --at 0% --path Short --json
expect_json '.table.rows[0].value == 1'
printf 'path,start,end,value\nA,0,5500000,1\nA,5500001,5500001,2\nA,5500002,90000000000,3\n' |
  tee "$scratch/short.csv" >/dev/null
run history import "$scratch/short.csv" -o "$scratch/short"
run history query "$scratch/short" --from 0 --to 100% --path A
expect_in out '+5.500001 ms'
expect_in out '+5.500002 ms'
expect_in out '+90 s'

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

# What people noted in types.json goes with a snapshot as it is, and into what is made of it.
cp -r "$states" "$scratch/noted"
sed -i '0,/"type":"string"/s//"type":"string","unit":"lm","x-own":[1, 2]/' \
  "$scratch/noted/types.json"
run history snapshot "$scratch/noted" --at 12 -o "$scratch/noted-at"
expect_code 0
cmp -s "$scratch/noted/types.json" "$scratch/noted-at/types.json" || fail 'types.json is not kept'
run history import "$scratch/noted-at" -o "$scratch/noted-again"
cp "$scratch/noted-again/types.json" "$scratch/out"
expect_json '[.types[] | select(.unit == "lm")] | length == 1'
run history convert "$scratch/noted" -o "$scratch/noted-too"
expect_in noted-too/types.json '"unit":"lm"'

# Absent stays absent.
printf 'path,start,end,value\nHere,0,9,1\nGone,0,4,1\n' >"$scratch/gone.csv"
run history import "$scratch/gone.csv" -o "$scratch/gone"
run history snapshot "$scratch/gone" --at 7 -o "$scratch/gone-at"
run history import "$scratch/gone-at" -o "$scratch/gone-again"
expect_code 0
run history export "$scratch/gone-again" -o -
[[ $(tail -n +2 "$scratch/out") == Here,7,7,int,1 ]] || fail "more than Here: $(cat "$scratch/out")"

# A trace goes on from a snapshot.
run history build "$data/calls.mlpd" --from-snapshot "$scratch/noted-at" -o "$scratch/gone-on"
expect_code 0
run history query "$scratch/gone-on" --at 100% --path Lamp --path Recording --json
expect_json '[.table.rows[] | .path, .value] == ["/Lamp", "green", "/Recording", "running"]'
expect_json '.table.rows[0].start == 12'
cp "$scratch/gone-on/types.json" "$scratch/out"
expect_json '[.types[] | select(.unit == "lm")] | length == 1'
sed -i 's/"timestamp":12/"timestamp":9223372036854775806/' "$scratch/noted-at/state.json"
run history build "$data/calls.mlpd" --from-snapshot "$scratch/noted-at" -o "$scratch/gone-on" -f
expect_code 2
expect_in err 'behind the trace'

# --- layouts, damage ---
run history convert "$states" --layout stream -o "$scratch/stream"
expect_code 0
run history export "$scratch/stream" -o "$scratch/rows3.csv"
cmp -s "$scratch/rows.csv" "$scratch/rows3.csv" || fail 'the stream layout says otherwise'
run history check "$states"
expect_code 0
expect_in out 'whole'
cp -r "$states" "$scratch/differing"
sed -i 's/"type":"int"/"type":"bool"/' "$scratch/differing/types.json"
run history check "$scratch/differing"
expect_code 3
expect_in out 'types.json: key 2 is bool, not int'
cp "$states/types.json" "$scratch/differing/types.json"
sed -i 's/"Lamp"/"Lump"/' "$scratch/differing/tree.json"
run history check --json "$scratch/differing"
expect_code 3
expect_json '.whole == false and (.notices | length > 0)'
cp "$states/tree.json" "$scratch/differing/tree.json"
# JSON files of another history, small and larger than what is read to open one.
for blanks in 1 1100000; do
  sed -E 's/"history_id":"[0-9a-f]{4}/"history_id":"zzzz/' "$states/types.json" \
    >"$scratch/differing/types.json"
  printf "%${blanks}s" '' >>"$scratch/differing/types.json"
  run history query "$scratch/differing" --at 12 --path Lamp
  expect_code 3
  expect_in err '--mixed'
  run history query --mixed "$scratch/differing" --at 12 --path Lamp
  expect_code 0
done
# A large file is read whole by check alone.
printf '%1100000s]' '' | cat "$states/types.json" - >"$scratch/differing/types.json"
run history query "$scratch/differing" --at 12 --path Lamp
expect_code 0
run history check "$scratch/differing"
expect_code 4
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
# Right checksums, wrong content: whole for check, or said.
for name in overlaps_173 overlaps_260; do
  mkdir "$scratch/$name"
  cp "$TEST_DATA/history/$name.bin" "$scratch/$name/history.bin"
  run history repair "$scratch/$name"
  repaired=$code
  run history check "$scratch/$name"
  [[ $repaired -eq 4 || $code -eq 0 ]] ||
    fail "$name: history repair ends with $repaired, history check behind it with $code"
done

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

# A history in the cache that is damaged is made again.
kept=$(echo "$scratch"/cache/polytrace/states/*/history.bin)
cp "$kept" "$scratch/whole.bin"
for damage in 'head -c -40' 'head -c 100' 'tail -c +9'; do
  $damage "$scratch/whole.bin" >"$kept"
  run state "$data/calls.mlpd" --at 50%
  expect_code 0
  cmp -s "$scratch/out" "$scratch/first" || fail "another answer after $damage"
done
# In the middle of its segment, which only an answer meets.
python3 - "$kept" <<'DAMAGE'
import sys
with open(sys.argv[1], "r+b") as file:
    at = file.read().index(b"SEGM") + 24 + 100
    file.seek(at)
    byte = file.read(1)[0]
    file.seek(at)
    file.write(bytes([byte ^ 0xff]))
DAMAGE
run state "$data/calls.mlpd" --at 50%
expect_code 0
cmp -s "$scratch/out" "$scratch/first" || fail 'another answer after damage in a segment'
run state "$data/calls.mlpd" --at 2
expect_code 2

# Only the last used ones stay.
for i in $(seq 18); do
  cp "$data/calls.mlpd" "$scratch/copy.$i.mlpd"
  "$POLYTRACE" state "$scratch/copy.$i.mlpd" --at 0% >"$scratch/out" 2>"$scratch/err" ||
    fail "copy $i: $(cat "$scratch/err")"
done
[[ $(find "$scratch/cache/polytrace/states" -mindepth 1 -maxdepth 1 | wc -l) -eq 16 ]] ||
  fail 'the cache grows'

# Who waits for whom: as the recording has it, times and threads read off its events.
run state "$data/locks.mlpd" --at 3852534000000
expect_code 0
expect_in out 'worker-0 (0x7fdca05fc6c0)'
expect_in out 'waits for 0x7fdca4000498'
grep -q 'waits for .*, which .*0x7fdc937fe6c0.* owns' "$scratch/out" || fail 'nobody owns the lock'
sed -n 3p "$scratch/out" | grep -q '^Threads' || fail 'threads do not come first'
run state "$data/alloc_bt.mlpd" --at 100% --all --json
expect_json '[.states[] | select(.path | endswith("/Allocated")) | .unit] | unique == ["B"]'
run state "$data/alloc_bt.mlpd" --at 100% --path 'Threads/*/Allocated'
grep -Eq 'Allocated .*[0-9] (B|KiB|MiB)$' "$scratch/out" || fail 'no bytes'

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
expect_in err 'no history of this trace is kept: '
[[ -z $(ls "$scratch/temporary") ]] || fail 'a history without a name is left behind'

finish
