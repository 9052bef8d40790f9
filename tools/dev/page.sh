# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev page [--check|--test|--pictures]
#: Builds the page of `polytrace ui` from ui/src into ui/dist, which is committed, so that nobody
#: who builds the program needs node. Needs node 20 and npm.
#:
#: --check builds it elsewhere and fails where the committed files are others.
#: --test checks the types and runs the tests of ui/test.
#: --pictures makes docs/pictures anew, with the release build and Chromium.
#:
#:   ./dev page
#:   ./dev page --check

case ${1:-} in
  '' | --check | --test | --pictures) ;;
  *) usage "page: unknown argument \"$1\"" ;;
esac
command -v npm >/dev/null || die 'page: npm is missing: node 20.19 or newer has it'
node -e 'const [a, b] = process.versions.node.split("."); process.exit(+(a * 100 + +b < 2019))' ||
  die "page: node 20.19 or newer is needed, this is $(node --version)"

# The packages of the lock file, and nothing that they would like to run.
packages_into() {
  [[ $1/node_modules/.package-lock.json -nt $1/package-lock.json ]] ||
    (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund >/dev/null)
}

packages_into ui
if [[ ${1:-} == --test ]]; then
  (cd ui && npx tsc --noEmit && npx vitest run)
  return
fi
if [[ ${1:-} == --pictures ]]; then
  node tools/page_pictures.mjs
  return
fi
if [[ ${1:-} == '' ]]; then
  (cd ui && npx tsc --noEmit && npx vite build >/dev/null)
  git status --short ui/dist
  return
fi
fresh=build/page
rm -rf "$fresh"
mkdir -p "$fresh"
git ls-files -co --exclude-standard ui | grep -v '^ui/dist/' | xargs cp --parents -t "$fresh"
ln -s "$PWD/ui/node_modules" "$fresh/ui/node_modules"
(cd "$fresh/ui" && npx vite build >/dev/null)
diff -r ui/dist "$fresh/ui/dist" || die 'page: ui/dist is not what ui/src gives; run ./dev page'
