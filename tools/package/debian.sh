#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Debian packages of build/release: debian.sh FOLDER [VERSION]. VERSION stands for a build of
# another day, to try upgrades with.
set -euo pipefail

folder=$1 version=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
cpack --config build/release/CPackConfig.cmake -B "$work" ${version:+-R "$version"} \
  >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mkdir -p "$folder"
[[ -n $version ]] || rm -f "$folder"/*.deb
cp "$work"/*.deb "$folder"
