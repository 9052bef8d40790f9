# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev help [VERB]
#: Lists the verbs, or explains one.
#:
#:   ./dev help
#:   ./dev help fuzz

if [[ $# -gt 0 ]]; then
  [[ -f tools/dev/$1.sh ]] || usage "no verb \"$1\""
  verb_help "$1"
  return 0
fi

printf 'usage: ./dev VERB [ARGUMENT...]\n\n'
for verb in setup build run test check bare bench fuzz package docs drill format tidy help; do
  printf '  %s%-8s%s %s\n' "$bold" "$verb" "$plain" "$(verb_help $verb | sed -n 2p)"
done
printf '\n  ./dev run --help        what the program itself can do\n'
printf '  ./dev help VERB         more about one verb, with examples\n'
