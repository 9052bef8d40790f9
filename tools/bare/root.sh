# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A bare Debian 12 in a folder, and commands in it. Sourced by checks; needs root.
#
# The system is fetched once and kept, with the packages that were installed in any root, in
# $POLYTRACE_BARE (~/.cache/polytrace/bare).

bare_store=${POLYTRACE_BARE:-${XDG_CACHE_HOME:-$HOME/.cache}/polytrace/bare}

can_have_roots() { [[ $(id -u) -eq 0 ]] && unshare --mount --pid --fork true 2>/dev/null; }

# make_root FOLDER: what debootstrap calls minbase, and nothing else.
make_root() {
  local system=$bare_store/bookworm.tar
  mkdir -p "$bare_store/archives"
  if [[ ! -f $system ]]; then
    mmdebstrap --quiet --format=tar --variant=minbase bookworm "$system.part"
    mv "$system.part" "$system"
  fi
  mkdir -p "$1"
  tar -C "$1" -xf "$system"
}

# in_root FOLDER COMMAND: by bash, with /proc, /dev, names of hosts, and nothing of this shell.
# $BARE_FOLDERS, separated by blanks, are lent to it, to be read only.
in_root() {
  # shellcheck disable=SC2016 # for the shell inside
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    root=$1
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount --bind "$3" "$root/var/cache/apt/archives"
    for folder in $4; do
      mkdir -p "$root$folder"
      mount --bind "$folder" "$root$folder"
      mount -o remount,ro,bind "$root$folder"
    done
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 bash -c "$2"' \
    bash "$1" "$2" "$bare_store/archives" "${BARE_FOLDERS:-}" </dev/null
}

# copy_checkout FOLDER: this checkout, with what is not committed yet, into a root.
copy_checkout() {
  mkdir -p "$1/src/polytrace"
  { git ls-files -z -c -o --exclude-standard 2>/dev/null ||
    find . -path ./build -prune -o -path ./.git -prune -o -type f -print0; } |
    tar --null -T - -cf - | tar -C "$1/src/polytrace" -xf -
}
