// SPDX-License-Identifier: Apache-2.0
// The probe's class in the VM: what rewritten code calls.
#pragma once

#include <span>

#include "agent/jvm/abi/jni.hpp"
#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

// Defines the class and calls each of its natives, so that no program meets one that is not there,
// and none is looked for by Java code that calls it. Once; later calls find it. False with a
// sentence said.
bool install_probe(JNIEnv* env);
// Rewritten code records from now on, or no more.
void set_probe(JNIEnv* env, bool on);
bool is_probe(JNIEnv* env, jclass type);

// For a VM that did not load this library at its start and would not find the exported names.
std::span<const JNINativeMethod> probe_natives();

}  // namespace polytrace::agent::jvm
