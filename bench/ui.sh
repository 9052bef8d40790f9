#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page against its gates, in Chromium. [FOLDER] [MILLIONS of calls] [SECONDS of wandering]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
./dev setup page
millions=${2:-$(sized 10 0.5)}
recording deep "$millions" "deep-$millions"
exec node bench/ui.mjs "$folder/deep-$millions.mlpd" "${3:-$(sized 60 5)}"
