// SPDX-License-Identifier: Apache-2.0
// Numbers of classes and loaders that the VM names by references. On threads of the VM; no Java
// code runs.
#pragma once

#include <string>

#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

// 0 is the bootstrap loader.
std::uint64_t number_of_loader(JNIEnv* env, jobject loader);
// The name of its class, "" for the bootstrap loader.
std::string name_of_loader(std::uint64_t loader);

// The number of a class, defined in the stream. 0: none.
std::uint32_t number_of_class(JNIEnv* env, jclass type);
// Of an object.
std::uint32_t number_of_class_of(JNIEnv* env, jobject object);

// "java.lang.String", "int[]".
std::string name_of_class(jclass type);

}  // namespace polytrace::agent::jvm
