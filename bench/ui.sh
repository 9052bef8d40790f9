#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page against its gates, in Chromium. [FOLDER] [MILLIONS of calls] [SECONDS of wandering]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench/ui}
./dev setup page
mkdir -p "$folder"
trace=$folder/deep-${2:-10}.mlpd
[[ -s $trace ]] || "$BENCH_PROGRAMS/bench_mlpd_generate" deep "${2:-10}" "$trace"
exec node bench/ui.mjs "$trace" "${3:-60}"
