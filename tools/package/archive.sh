#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The archive that runs from any folder: archive.sh FOLDER. What it needs of a system is the C
# library and libstdc++, as old as Debian 12's or newer.
#
# The other libraries come along, and its programs look for them beside themselves: Debian has no
# static ones of three of them (fmt, simdjson, isa-l). Their licences come along, too.
set -euo pipefail

folder=$(realpath -m "$1")
version=$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")/\1/p' build/release/CPackConfig.cmake)
name=polytrace-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
root=$work/$name
for component in runtime fleet licence; do
  cmake --install build/release --prefix "$root" --component "$component" --strip >/dev/null
done

# library's path on this machine, for each that is not the system's.
libraries() {
  ldd "$root"/bin/* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
    grep -Ev '/(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl)\.so' | sort -u
}
while IFS= read -r library; do
  install -m 644 "$(realpath "$library")" "$root/lib/polytrace/$(basename "$library")"
  # dpkg knows some files by the name that they had before /lib became /usr/lib.
  path=$(realpath "$library")
  package=$( (dpkg -S "$path" || dpkg -S "${path#/usr}") 2>/dev/null | cut -d: -f1)
  install -D -m 644 "/usr/share/doc/$package/copyright" \
    "$root/share/doc/polytrace/licences/$package"
done < <(libraries)
# An RPATH, which the libraries' own libraries are looked for by, too; a RUNPATH is not.
# shellcheck disable=SC2016 # the loader's word, not the shell's
for program in "$root"/bin/*; do
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib/polytrace' "$program"
done

mkdir -p "$folder"
rm -f "$folder"/*.tar.zst
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
  -C "$work" -cf - "$name" | zstd -q -19 -T0 -o "$folder/$name.tar.zst"
