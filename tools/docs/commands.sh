#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes what the program itself knows: its manual pages and the reference pages of its commands.
#   commands.sh FOLDER    with the program in $POLYTRACE
# shellcheck disable=SC2016 # backquotes are for Markdown
set -euo pipefail

folder=$1
mkdir -p "$folder/docs/man" "$folder/docs/reference"
mapfile -t commands < <("$POLYTRACE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')

for group in history index fleet; do
  mapfile -t grouped < <("$POLYTRACE" "$group" | sed -n "s/^  \($group [a-z]*\) .*/\1/p")
  commands+=("${grouped[@]}")
done

"$POLYTRACE" man >"$folder/docs/man/polytrace.1"
for command in "${commands[@]}"; do
  # Those of a group are two words.
  read -ra words <<<"$command"
  "$POLYTRACE" man "${words[@]}" >"$folder/docs/man/polytrace-${command/ /-}.1"
done

block() {
  printf '\n```\n'
  "$POLYTRACE" "$@"
  printf '```\n'
}

{
  printf '# The commands\n\nThis page is what `polytrace --help` and '
  printf '`polytrace COMMAND --help` print.\n'
  block --help
  for command in "${commands[@]}"; do
    printf '\n## %s\n' "$command"
    read -ra words <<<"$command"
    block "${words[@]}" --help
  done
  for topic in times kinds; do
    printf '\n## Topic: %s\n' "$topic"
    block help "$topic"
  done
} >"$folder/docs/reference/commands.md"

{
  printf '# Exit codes and names of faults\n\n'
  printf 'This page is what `polytrace help exit-codes` prints.\n'
  block help exit-codes
} >"$folder/docs/reference/exit-codes.md"
