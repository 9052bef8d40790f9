// SPDX-License-Identifier: Apache-2.0
// What arrays take in this VM: measured once, as it depends on options of the VM.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

struct ArrayLayout {
  std::uint32_t base = 16;    // bytes before the first element
  std::uint32_t element = 8;  // bytes each
};

void measure_arrays(JNIEnv* env);
// Of an array class as a class file names it: [I, [[Ljava/lang/String;.
ArrayLayout array_layout(std::string_view name);

}  // namespace polytrace::agent::jvm
