# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev bare [NAME...]
#: Types into a bare Debian 12 what the README tells newcomers to type, as it stands there.
#:
#: NAMEs are those of the README's blocks; without one, all.
#: Needs root and mmdebstrap. The system lies in build/bare/first; remove it to begin anew.
#:
#:   ./dev bare report build
#:   ./dev bare

source tools/bare/root.sh
can_have_roots || die 'bare needs root, and to be allowed namespaces'
dev setup bare
bash tools/bare/first_use.sh build/bare/first "$@"
