#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What record says of programs of .NET and Mono before they start, and of those that left no
# recording; the runtimes are scripts that load no agent.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

mkdir "$scratch/bin" "$scratch/agents"
touch "$scratch/agents/"{libpolytrace-coreclr.so,libmono-profiler-polytrace.so}
cat >"$scratch/bin/dotnet" <<'DOTNET'
#!/bin/sh
echo "$CORECLR_PROFILER" >seen
DOTNET
cat >"$scratch/bin/mono" <<'MONO'
#!/bin/sh
exit "${CODE:-0}"
MONO
chmod +x "$scratch/bin/"*
export PATH=$scratch/bin:$PATH POLYTRACE_AGENTS=$scratch/agents
unset CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH
cd "$scratch" || exit 1
touch app.dll app.exe

# --- nothing was recorded, and why ---
# cause SENTENCE ARGUMENT...: of a program that ended well.
cause() {
  run record -f -o none.ptrace "${@:2}"
  expect_code 1
  expect_in err "there is no recording: $1"
}
cause 'the program ended before the agent began' dotnet app.dll
for name in DOTNET_EnableDiagnostics DOTNET_EnableDiagnostics_Profiler COMPlus_EnableDiagnostics; do
  export $name=0
  cause "$name=0 in the environment keeps profilers out of .NET" dotnet app.dll
  unset $name
done
cause 'there is no lost.dll' dotnet lost.dll
cause '/bin/true is a native program, without .NET' dotnet /bin/true
cp /bin/true ahead && printf '__managedcode' >>ahead
cause './ahead was compiled ahead (NativeAOT)' dotnet ./ahead
cp /bin/true host && printf 'libhostfxr.so' >>host
cause 'the program ended before the agent began' dotnet ./host
printf '{"runtimeOptions": {"tfm": "netcoreapp3.1"}}' >app.runtimeconfig.json
cause 'app.dll wants .NET 3.1, which is too old' dotnet app.dll
rm app.runtimeconfig.json
cause '/bin/true is a native program (perhaps a bundle with Mono inside)' mono /bin/true
cause "\`mono --aot\` compiles, and runs no program" mono --aot=full app.exe
cause 'there is no lost.exe' mono --debug lost.exe
CODE=3 run record -f -o none.ptrace mono app.exe
expect_code 3

# --- another profiler is not replaced in silence ---
export CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{AAAAAAAA-0000-0000-0000-000000000000}'
export CORECLR_PROFILER_PATH=/opt/other.so
rm -f seen
run record -o none.ptrace dotnet app.dll
expect_code 2
expect_in err "another profiler for .NET: CORECLR_PROFILER=$CORECLR_PROFILER"
expect_in err 'CORECLR_PROFILER_PATH=/opt/other.so'
expect_in err '--replace-profiler'
[[ ! -e seen ]] || fail 'the program was started'
ours='{8F0C6B52-3E1D-4A7B-9C42-51D7E6A90B34}'
run record --replace-profiler -o none.ptrace dotnet app.dll
expect_in seen "$ours"
run record -o none.ptrace mono app.exe
expect_in err 'there is no recording'
rm seen
CORECLR_ENABLE_PROFILING=0 run record -o none.ptrace dotnet app.dll
expect_in seen "$ours"
CORECLR_PROFILER=${ours,,} run record -o none.ptrace dotnet app.dll
expect_in err 'there is no recording'
unset CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH

# --- what a recording changes of the program ---
run record -o none.ptrace dotnet app.dll
expect_not_in err 'tiered'
for mode in objects sites; do
  run record -o none.ptrace --events +alloc=$mode dotnet app.dll
  expect_in err 'no tiered compilation, no fast allocation; alloc=sampled leaves both'
done
run record -o none.ptrace --events alloc=sites mono app.exe
expect_not_in err 'tiered'
for word in run test build; do
  run record -o none.ptrace dotnet $word
  expect_in err "\`dotnet $word\` starts other processes, which are not recorded"
done
finish
