#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the picture of the README anew: javac compiles examples/shop, polytrace records it and makes
# a flame page, Chromium takes its picture. Needs a JDK and Debian's chromium, fonts-dejavu-core and
# pngquant; after ./dev build.
#   tools/picture.sh [OUTPUT]
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
output=$(realpath -m "${1:-$root/docs/pictures/flame.png}")
polytrace=${POLYTRACE:-$root/build/release/polytrace}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$polytrace" record --quiet --events calls --filter 'com.sun.tools.javac.*' -o javac.ptrace \
  java -m jdk.compiler/com.sun.tools.javac.Main -d classes "$root"/examples/shop/java/*.java
"$polytrace" flame --quiet javac.ptrace -o javac.html
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
  --window-size=1200,600 --virtual-time-budget=3000 --screenshot=plain.png \
  "file://$folder/javac.html#order=heavy" 2>chromium.log ||
  { cat chromium.log >&2; exit 1; }
pngquant --force --nofs --speed 1 --output "$output" 64 plain.png
ls -l "$output"
