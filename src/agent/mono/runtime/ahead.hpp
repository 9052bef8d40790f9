// SPDX-License-Identifier: Apache-2.0
// Code that was compiled ahead (mono --aot) lies in libraries beside assemblies, and tells no
// calls.
#pragma once

namespace polytrace::agent::mono {

// Settings "mono.aot" with the libraries that are loaded, where calls are recorded: once each in a
// recording. Any thread. REQUIRES: a recorder that runs.
void tell_compiled_ahead();
// A recording begins in which nothing is told yet.
void forget_compiled_ahead();

}  // namespace polytrace::agent::mono
