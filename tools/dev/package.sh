# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev package [--check]
#: Makes Debian packages and an archive that runs from any folder, in build/packages.
#:
#:   polytrace_VERSION_amd64.deb            the program, agents, manual pages, completions, examples
#:   libpolytrace1_VERSION_amd64.deb        the C interface as a shared library
#:   libpolytrace-dev_VERSION_amd64.deb     headers, static libraries, the CMake package
#:   python3-polytrace_VERSION_all.deb      the Python package
#:   polytrace-VERSION-linux-x86_64.tar.zst the program, agents and libraries: unpack and run
#:
#: --check installs all of them in a bare Debian 12 and tries them there: needs root and takes some
#: minutes. --with-later only makes, too, what --check tries upgrades with: build/packages-later.
#:
#:   ./dev package
#:   ./dev package --check

case ${1:-} in
  '' | --check | --with-later) ;;
  *) usage "package: unknown argument \"$1\"" ;;
esac
dev setup package
# The same sources give the same packages.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
build release product
say 'Debian packages'
bash tools/package/debian.sh build/packages
say 'archive'
bash tools/package/archive.sh build/packages
find build/packages -maxdepth 1 -type f -printf '  %9s bytes  %f\n' | sort -k3
[[ $# -eq 0 ]] || bash tools/package/debian.sh build/packages-later 99.1
if [[ ${1:-} == --check ]]; then
  dev setup bare
  bash tools/package/check.sh build/packages build/packages-later
fi
