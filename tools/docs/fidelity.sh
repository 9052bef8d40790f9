#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/fidelity.md. usage: fidelity.sh FOLDER; $POLYTRACE is the program.
set -euo pipefail
mkdir -p "$1/docs"
"$(dirname "$POLYTRACE")/tests/polytrace_fidelity" >"$1/docs/fidelity.md"
