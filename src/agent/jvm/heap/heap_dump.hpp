// SPDX-License-Identifier: Apache-2.0
// The heap, object by object, into the stream, or by the JDK into a file beside it. The program
// stands still while the heap is walked.
#pragma once

#include <string>

#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

struct DumpResult {
  bool whole = false;
  std::string fault;  // why not
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
  std::uint64_t stood_still = 0;  // nanoseconds
};

// On a thread of the VM, one at a time. `name` is for people.
DumpResult dump_heap(JNIEnv* env, std::string_view name);
// By the JDK's diagnostic bean: Java code runs. `path` must not exist.
DumpResult dump_hprof(JNIEnv* env, const std::string& path);

}  // namespace polytrace::agent::jvm
