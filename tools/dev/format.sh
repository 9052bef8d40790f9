# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev format [--check]
#: Lays out every C++ file with clang-format 19; --check only reports.
#:
#:   ./dev format
#:   ./dev format --check

mapfile -t files < <(find src tests fuzz bench tools examples -name '*.[hc]pp' 2>/dev/null | sort)
[[ ${#files[@]} -gt 0 ]] || return 0
case ${1:-} in
  '') clang-format-19 -i "${files[@]}" ;;
  --check)
    mapfile -t loose < <(clang-format-19 --dry-run "${files[@]}" 2>&1 |
      sed -n 's/^\([^:]*\):.*\[-Wclang-format-violations\]$/\1/p' | sort -u)
    [[ ${#loose[@]} -eq 0 ]] || printf '%s: ./dev format would change it\n' "${loose[@]}"
    [[ ${#loose[@]} -eq 0 ]]
    ;;
  *) usage "format: unknown argument \"$1\"" ;;
esac
