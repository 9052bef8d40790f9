# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev drill [--here]
#: Proves that a new format is one folder and one row, a new section, target or command one file and
#: one row: adds one of each to a copy and runs their checks.
#: --here adds it to this checkout and takes it away again: quick, since most is compiled already
#: (CI does so).
#:
#:   ./dev drill

dev setup test
case ${1:-} in
  '') bash tools/drill/drill.sh release ;;
  --here) bash tools/drill/drill.sh release here ;;
  *) usage "no option \"$1\"" ;;
esac
