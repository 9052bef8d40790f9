# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A bare Debian 12 in a folder, and commands in it. Sourced by checks; needs root.

can_have_roots() { [[ $(id -u) -eq 0 ]] && unshare --mount --pid --fork true 2>/dev/null; }

# make_root FOLDER: what debootstrap calls minbase, and nothing else.
make_root() {
  mkdir -p "$1"
  if [[ -n ${POLYTRACE_BARE_ROOT:-} ]]; then
    tar -C "$1" -xf "$POLYTRACE_BARE_ROOT"
  else
    mmdebstrap --quiet --variant=minbase bookworm "$1"
  fi
}

# in_root FOLDER COMMAND: by bash, with /proc, /dev, names of hosts, and nothing of this shell.
in_root() {
  # shellcheck disable=SC2016 # for the shell inside
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mount --bind "$1" "$1"
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
      LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -c "$2"' bash "$1" "$2"
}
