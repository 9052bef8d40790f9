// SPDX-License-Identifier: Apache-2.0
// The life of a recording inside the VM: prepared while it loads or at attach, begun when Java code
// can run, paused, ended. One thread at a time may command; commands run on threads of the VM.
#pragma once

#include <string>

#include "agent/jvm/instrument.hpp"
#include "agent/jvm/settings.hpp"
#include "agent/jvm/vm.hpp"

namespace polytrace::agent::jvm {

// Reads the options, asks for capabilities and opens the output. False: nothing is to be recorded,
// and the reasons were said.
bool prepare(const char* options);
// Begins to record what prepare() said.
void begin(JNIEnv* env);
// Ends the recording; the program goes on as if it had never been, but for classes being compiled
// anew. False: not all could be written.
bool end(JNIEnv* env);

bool is_recording();
void pause(JNIEnv* env);
void resume(JNIEnv* env);
// The user's rules from now on; the loaded classes follow.
Retransformed replace_filters(JNIEnv* env, const Filters& filters);
// What `name` may command of a recording that runs: detach, pause, resume, flush, filter=...
void obey(JNIEnv* env, std::string_view command);

void JNICALL on_vm_init(jvmtiEnv* ti, JNIEnv* env, jthread thread);
void JNICALL on_vm_death(jvmtiEnv* ti, JNIEnv* env);

}  // namespace polytrace::agent::jvm
