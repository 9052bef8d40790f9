# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev docs [--check]
#: Regenerates the generated documentation; --check fails where it is out of date.
#:
#: A generator is an executable file in tools/docs/. It gets a folder as its argument and the
#: program in $POLYTRACE, and writes its files below that folder as they lie in the project.
#: Links between the project's pages are checked as well.
#:
#:   ./dev docs
#:   ./dev docs --check

case ${1:-} in
  '' | --check) ;;
  *) usage "docs: unknown argument \"$1\"" ;;
esac
dev setup build test
build_with TESTS release polytrace polytrace_fidelity
export POLYTRACE=$PWD/build/release/polytrace
fresh=build/docs
rm -rf "$fresh"
mkdir -p "$fresh"
for generator in tools/docs/*; do
  [[ -x $generator ]] || continue
  "$generator" "$PWD/$fresh"
done

status=0
while IFS= read -r file; do
  if [[ ${1:-} != --check ]]; then
    mkdir -p "$(dirname "$file")"
    cp "$fresh/$file" "$file"
  elif ! diff -u "$file" "$fresh/$file"; then
    printf 'docs: %s is out of date; run ./dev docs\n' "$file" >&2
    status=1
  fi
done < <(cd "$fresh" && find . -type f -printf '%P\n' | sort)
python3 tools/check_links.py || status=1
return "$status"
