# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev drill
#: Proves that a new format is one folder and one line: adds one to a copy and runs its checks.
#:
#:   ./dev drill

dev setup test
bash tools/drill/drill.sh
