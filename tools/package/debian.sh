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
# cpack takes the agents' folder for one of the loader's and calls ldconfig for it.
for package in "$work"/*.deb; do
  dpkg-deb --raw-extract "$package" "$work/raw"
  [[ $package == */python3-* ]] || rm -f "$work/raw/DEBIAN"/post{inst,rm}
  dpkg-deb --root-owner-group -Zxz --build "$work/raw" "$folder/$(basename "$package")" >/dev/null
  rm -r "$work/raw"
done
