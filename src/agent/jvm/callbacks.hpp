// SPDX-License-Identifier: Apache-2.0
// Events of the VM that become events of the stream, each in the file of its subject: what this VM
// can be asked for, which of them are enabled, and what is called. The latter's names are those of
// the catalogue in abi/events.def.
#pragma once

#include "agent/common/tools/faults.hpp"
#include "agent/jvm/facts/settings.hpp"
#include "agent/jvm/facts/vm.hpp"
#include "base/types.hpp"

namespace polytrace::agent::jvm {

// Asks for what `settings` need and this VM has now; what is missing is told in `faults` and left
// out of `settings`.
void ask_capabilities(Settings& settings, Faults& faults);
// Sets the callbacks of all events, enabled or not.
void set_callbacks();
// Enables those that `settings` want, or disables all of them.
void enable_events(const Settings& settings, bool on);

// How long stacks may be, and what allocations tell. Before the events are enabled.
void set_limits(const Settings& settings);
std::size_t stack_depth();
// kNoId: it cannot be numbered.
base::Id number_of_object(JNIEnv* env, jobject object);

void on_sampled_allocation(jvmtiEnv* ti, JNIEnv* env, jthread thread, jobject object, jclass type,
                           jlong size);
void on_object_free(jvmtiEnv* ti, jlong tag);
void on_collection_start(jvmtiEnv* ti);
void on_collection_finish(jvmtiEnv* ti);
void on_contended_enter(jvmtiEnv* ti, JNIEnv* env, jthread thread, jobject object);
void on_contended_entered(jvmtiEnv* ti, JNIEnv* env, jthread thread, jobject object);
void on_wait(jvmtiEnv* ti, JNIEnv* env, jthread thread, jobject object, jlong timeout);
void on_waited(jvmtiEnv* ti, JNIEnv* env, jthread thread, jobject object, jboolean timed_out);
void on_exception(jvmtiEnv* ti, JNIEnv* env, jthread thread, jmethodID method, jlocation location,
                  jobject exception, jmethodID catcher, jlocation catch_location);

}  // namespace polytrace::agent::jvm
