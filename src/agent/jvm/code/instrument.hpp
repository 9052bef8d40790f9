// SPDX-License-Identifier: Apache-2.0
// Which classes get probes, and when: the VM hands over each class before it defines it, and again
// when we ask for it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agent/jvm/facts/settings.hpp"
#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

// Classes that come from now on are judged by this plan; null: they stay as they are.
void set_plan(const Plan* plan);

struct Retransformed {
  std::uint32_t classes = 0;
  std::uint32_t refused = 0;  // by the VM: they stay as they were
};
// Brings the classes that are loaded into the state the plan wants; those that `before`, the plan
// until now, wanted as a whole just as this one does stay as they are. On a thread of the VM.
Retransformed retransform_loaded(JNIEnv* env, const Plan* before = nullptr);

// Counts for people: classes and methods that were rewritten, and those left alone.
std::vector<std::pair<const char*, std::uint64_t>> rewriting_figures();
// Settings events with what was rewritten and what was left alone, by reason.
void tell_counts();

void on_class_file(jvmtiEnv* ti, JNIEnv* env, jclass redefined, jobject loader, const char* name,
                   jobject domain, jint size, const unsigned char* bytes, jint* new_size,
                   unsigned char** new_bytes);

}  // namespace polytrace::agent::jvm
