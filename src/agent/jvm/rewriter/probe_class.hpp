// SPDX-License-Identifier: Apache-2.0
// The class that rewritten code calls, java.lang.$TraceProbe:
//
//   static volatile boolean on;
//   static void enter(int), exit(int), unwind(int), site(int), array(int length, int site),
//               grid(Object array, int site)
//     each: if (on) <name>0(..)
//   static native void enter0(int), exit0(int), unwind0(int), site0(int), array0(int, int),
//                      grid0(Object, int)
#pragma once

#include <cstdint>
#include <vector>

namespace polytrace::agent::jvm::rewriter {

// Its class file.
std::vector<std::uint8_t> probe_class();

}  // namespace polytrace::agent::jvm::rewriter
