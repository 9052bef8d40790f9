// SPDX-License-Identifier: Apache-2.0
// The natives of the probe, exported under the names the VM looks for. They call nothing of the VM
// but once per thread and per place that allocates; grid0 asks its array for lengths.
#pragma once

#include <span>

#include "agent/jvm/abi/jni.hpp"

namespace polytrace::agent::jvm {

// For a VM that did not load this library at its start and would not find the exported names.
std::span<const JNINativeMethod> probe_natives();

}  // namespace polytrace::agent::jvm
