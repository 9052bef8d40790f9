#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries the packages of FOLDER where nothing is installed: check.sh FOLDER LATER, which has
# the packages of a build of a higher version. lintian first; then the
# archive, the program's package, the library's, an upgrade, and that nothing of them stays behind.
# shellcheck disable=SC2016 # words in single quotes are for the shell in the root
set -euo pipefail
# shellcheck source=tools/bare/root.sh
source "$(dirname "$0")/../bare/root.sh"

folder=$(realpath "$1") later=$(realpath "$2")
lintian --fail-on error,warning "$folder"/*.deb
echo 'lintian: no errors, no warnings'
# What lintian does not know: where indirect calls may land is marked (-fcf-protection).
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" --strip-components=1 -xf "$folder"/*.tar.zst
for agent in jvm:Agent_OnLoad coreclr:DllGetClassObject; do
  library=$work/lib/polytrace/libpolytrace-${agent%:*}.so
  at=0x$(nm -D "$library" | sed -n "s/ T ${agent#*:}$//p")
  begin=$(objdump -d --start-address="$at" --stop-address=$((at + 4)) "$library")
  [[ $begin == *endbr64* ]] || {
    echo "package: FAILED: the agent ${agent%:*} is not hardened: $begin" >&2
    exit 1
  }
done
if ! can_have_roots; then
  printf '\n*** SKIPPED: packages are not installed anywhere: needs root and namespaces ***\n\n' >&2
  exit 77
fi

root=$work/root
examples=/usr/share/doc/polytrace/examples

# step NAME COMMAND: in the root; its output only when it fails.
step() {
  local begin=$SECONDS
  if ! in_root "$root" "set -euo pipefail; $2" >"$work/log" 2>&1; then
    tail -40 "$work/log" >&2
    printf 'package: FAILED: %s\n' "$1" >&2
    exit 1
  fi
  printf '  %-64s %3d s\n' "$1" $((SECONDS - begin))
}
# Whatever dpkg, apt and the runtime's own tools write down anywhere is not ours.
files() {
  (cd "$root" && find . -xdev \( -path ./var/lib -o -path ./var/cache -o -path ./var/log -o \
    -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./root \) \
    -prune -o -print | sort)
}

make_root "$root"
mkdir "$root/packages"
cp "$folder"/*.deb "$folder"/*.tar.zst "$root/packages"
cp -r "$later" "$root/packages/later"
cp tools/install/consumer.cpp tools/install/CMakeLists.txt "$root/packages"
cp examples/everything.mlpd "$root/packages"

apt='apt-get install -y -q --no-install-recommends'
step 'the archive is unpacked in two folders' \
  'apt-get update -q; command -v zstd || '"$apt"' zstd
   for place in /opt/one "/opt/the other"; do
     mkdir -p "$place"; tar -C "$place" --strip-components=1 -xf /packages/*.tar.zst
   done'
step 'the archive reports in both, with nothing installed' \
  'for place in /opt/one "/opt/the other"; do
     ! ldd "$place"/bin/* | grep "not found"
     "$place/bin/polytrace" ui --help; "$place/bin/polytrace" fleet --help
     "$place/bin/polytrace" version; "$place/bin/polytrace" report /packages/everything.mlpd
     ls "$place"/lib/polytrace/libpolytrace-jvm.so
   done; rm -r "/opt/the other"'

files >"$work/before"
step 'the Debian packages are installed' "$apt /packages/*.deb"
step 'version, report, manual page, completion' \
  "polytrace version; polytrace report $examples/everything.mlpd | grep Summary
   zcat /usr/share/man/man1/polytrace-report.1.gz | grep -q 'where did time'
   bash -c 'source /usr/share/bash-completion/completions/polytrace; complete -p polytrace'"
step 'the page and the fleet are there, by their commands' \
  'polytrace ui --help | grep -q browser; polytrace fleet plan --help | grep -q store'
step 'doctor finds the agents and says that no runtime is here' \
  'code=0; polytrace doctor >/tmp/doctor || code=$?; cat /tmp/doctor; [[ $code == 5 ]]'
step 'a program is built with the library: g++, cmake, nothing else' \
  "$apt g++ cmake make; cmake -S /packages -B /tmp/build; cmake --build /tmp/build
   [[ \$(/tmp/build/consumer $examples/everything.mlpd) -gt 10000 ]]"
step 'a program in C is built with the C library: pkg-config' \
  "cc $examples/c/hot_methods.c \$(pkg-config --cflags --libs polytrace) -o /tmp/hot
   /tmp/hot $examples/everything.mlpd 3 | grep calls"
cat >"$root/packages/three.py" <<END
import polytrace
trace = polytrace.open("$examples/everything.mlpd")
print(*[row.name for row in trace.sql("SELECT name FROM thread")])
END
step 'three lines of Python give rows' \
  "cd /tmp; python3 /packages/three.py | grep 'Profiler Writer'
   python3 -c 'import importlib.metadata as m; print(m.version(\"polytrace\"))'"
step 'runtimes are installed' "$apt openjdk-17-jdk-headless mono-runtime mono-mcs"
step 'the tutorial: record java, find the hot method' \
  "cd /tmp; mkdir classes; javac -g -d classes $examples/shop/java/*.java
   polytrace record --events calls,threads,gc,monitors,exceptions,alloc=sites \
     --option heapdump=end --filter 'Shop,Customer,Catalog,Till,Order,Article' \
     -o shop.ptrace java -cp classes Shop 20
   polytrace check shop.ptrace
   polytrace report --sections calls --sort calls --limit 3 shop.ptrace | grep similarity"
step 'the tutorial: record mono' \
  "cd /tmp; mcs -debug -optimize+ $examples/shop/csharp/*.cs -out:shop.exe
   polytrace record --events calls,threads,gc,monitors,exceptions,alloc -o mono.ptrace \
     mono --debug shop.exe 20
   polytrace report --sections calls --limit 3 mono.ptrace"
step 'doctor is content' 'polytrace doctor'
step 'a later build is installed over it' \
  "apt-get install -y -q /packages/later/*.deb
   [[ \$(dpkg-query -W -f '\${Version}' polytrace) == 99.1* ]]
   polytrace report $examples/everything.mlpd"
step 'all are purged' 'apt-get purge -y -q polytrace polytrace-fleet libpolytrace-dev \
     python3-polytrace libpolytrace1'
files >"$work/after"
# Runtimes and compilers that came in between stay: nothing with our name may.
if comm -13 "$work/before" "$work/after" | grep polytrace >&2; then
  echo 'package: FAILED: purged, and still there' >&2
  exit 1
fi
step 'the archive records, with the packages gone' \
  "cd /tmp; rm -f again.ptrace
   /opt/one/bin/polytrace record -o again.ptrace java -cp classes Shop 5
   /opt/one/bin/polytrace report --sections calls --limit 3 again.ptrace"
echo 'package: all well'
