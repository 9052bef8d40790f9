# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev first-use [NAME...]
#: Types into a bare Debian 12 what the README tells newcomers to type, as it stands there.
#:
#: NAMEs are those of the README's blocks; without one, all.
#: Needs root and mmdebstrap. The system lies in build/bare/first; remove it to begin anew.
#:
#:   ./dev first-use report build
#:   ./dev first-use

source tools/bare/root.sh
can_have_roots || die 'first-use needs root, and to be allowed namespaces'
dev setup bare
bash tools/bare/first_use.sh build/bare/first "$@"
