#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# anonymize: no name is left, everything else is.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
all=$data/everything.mlpd.gz
shop=$TEST_DATA/trcxml/shop.trcxml

# What a trace says without its texts.
untexted() {
  "$POLYTRACE" cat "$1" | sed -E 's/"(\\.|[^"\\])*"/""/g'
}
# Words that are nobody's names, and the vocabulary of runtimes and recorders.
free='object|string|void|long|bool|boolean|byte|char|double|float|short|single|sbyte|ulong|ushort'
free+='|uint|intptr|uintptr|decimal|ctor|cctor|init|clinit'
names_of() {
  "$POLYTRACE" cat --kind class,method,thread,assembly,module,domain,note,process "$1" |
    sed -E 's/(runtime|runtime_version|os|architecture|agent|agent_version)="[^"]*"//g' |
    sed -E 's/\(wrapper [^)]*\)//' |
    grep -oE '"(\\.|[^"\\])*"' | grep -oE '[A-Za-z_][A-Za-z0-9_]{3,}' | sort -u |
    grep -vxE "$free"
}

for trace in "$all" "$data/alloc_bt.mlpd" "$shop"; do
  ending=.mlpd
  [[ $trace == *.trcxml ]] && ending=.trcxml
  out=$scratch/$(basename "$trace" | cut -d . -f 1)$ending
  run anonymize "$trace" -o "$out"
  expect_code 0
  run check "$out"
  expect_code 0
  names_of "$trace" >"$scratch/names"
  [[ $(wc -l <"$scratch/names") -gt 10 ]] || fail "$trace: no names to look for"
  "$POLYTRACE" cat "$out" | sed -E 's/\(wrapper [^)]*\)//' |
    grep -oE '"(\\.|[^"\\])*"' >"$scratch/texts"
  while IFS= read -r name; do
    ! grep -qwF -- "$name" "$scratch/texts" || printf '%s\n' "$name"
  done <"$scratch/names" >"$scratch/found"
  # Vocabulary that a name may be equal to: kept texts of roots and recorders.
  "$POLYTRACE" cat --kind root_region,root,gc,process "$out" | grep -oE '[A-Za-z_]{4,}' |
    sort -u >"$scratch/kept"
  grep -vxF -f "$scratch/kept" "$scratch/found" >"$scratch/left"
  [[ ! -s $scratch/left ]] || fail "$trace: names are left: $(head -5 "$scratch/left" | xargs)"
done
# The same events, ids, sizes and times.
cmp -s <(untexted "$all") <(untexted "$scratch/everything.mlpd") ||
  fail 'more than texts has changed'
run report --sections calls "$scratch/everything.mlpd"
expect_in out 'Runtime helpers (7,021 calls'

# Nothing of them in the bytes either.
for word in alice build7 10.0.0.7 org.example Shop; do
  ! grep -qF "$word" "$scratch/shop.trcxml" || fail "\"$word\" is in the bytes"
done
zcat "$all" | grep -aF mix.exe >/dev/null || fail 'the original has no path to look for'
! grep -qaE 'mix\.exe|everything\.mlpd|System|Program' "$scratch/everything.mlpd" ||
  fail 'a name is in the bytes'

# Stable: again, in another trace, in another format; another key gives other tokens.
run anonymize "$all" -o "$scratch/second.mlpd"
cmp -s "$scratch/everything.mlpd" "$scratch/second.mlpd" || fail 'a second run differs'
token_of_main() {
  "$POLYTRACE" cat --kind thread "$1" | grep 'thread=0x2 .*begin' | grep -o ' name="[^"]*"'
}
run anonymize "$shop" -o "$scratch/shop.trcbin"
expect_code 0
[[ -n $(token_of_main "$scratch/shop.trcbin") &&
  $(token_of_main "$scratch/shop.trcbin") == "$(token_of_main "$scratch/shop.trcxml")" ]] ||
  fail 'formats have different tokens'
printf 'a secret' >"$scratch/key"
run anonymize --key @"$scratch/key" "$shop" -o "$scratch/keyed.trcxml"
expect_code 0
run anonymize --key 'a secret' "$shop" -o "$scratch/keyed2.trcxml"
cmp -s "$scratch/keyed.trcxml" "$scratch/keyed2.trcxml" || fail 'a key in a file is another key'
[[ $(token_of_main "$scratch/keyed.trcxml") != "$(token_of_main "$scratch/shop.trcxml")" ]] ||
  fail 'the key changes nothing'
run anonymize --key @"$scratch/nothing" "$shop" -o "$scratch/new.trcxml"
expect_code 1

# What shall stay.
run anonymize --keep runtime "$all" -o "$scratch/kept.mlpd"
expect_code 0
run cat --kind class "$scratch/kept.mlpd"
expect_in out 'name="System.String"'
expect_not_in out 'Program'
run anonymize --keep org.example --keep Shop "$shop" -o "$scratch/kept.trcxml"
expect_code 0
run cat --kind class "$scratch/kept.trcxml"
expect_in out 'name="org.example.Shop" source="Shop.java"'
finish
