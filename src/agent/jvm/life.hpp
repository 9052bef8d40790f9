// SPDX-License-Identifier: Apache-2.0
// The life of a recording inside the VM: prepared while it loads or at attach, begun when Java code
// can run, paused, ended. One thread at a time may command; commands run on threads of the VM.
#pragma once

#include <string>

#include "agent/jvm/code/instrument.hpp"
#include "agent/jvm/facts/settings.hpp"
#include "agent/jvm/facts/vm.hpp"
#include "agent/jvm/heap/heap_dump.hpp"

namespace polytrace::agent::jvm {

// Reads the options, asks for capabilities and opens the output. False: nothing is to be recorded,
// and the reasons were said.
bool prepare(const char* options);
// Begins to record, or waits for the command to, and takes commands where that was asked for.
void launch(JNIEnv* env);
// What the options asked for and this VM cannot tell.
const Faults& missing();
// What the next recording is to hold, as the option events has it. False with what is `wrong`;
// `lacking` is what this VM cannot tell of it.
bool choose_events(std::string_view events, Faults& wrong, Faults& lacking);
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
// As the options say: into the stream, or as a file of the JDK beside it, named by the number.
DumpResult take_heap_dump(JNIEnv* env, std::string_view name, std::uint32_t number);
// What `name` may command of a recording that runs: detach, pause, resume, flush, filter=...
void obey(JNIEnv* env, std::string_view command);

// --- commands of clients (remote.cpp) ---

// Before the recorder is started: changes the options as clients need them. Whether there will be a
// server at all.
bool prepare_remote(Settings& settings, Faults& faults);
// Once Java code can run.
void start_remote(JNIEnv* env, const Settings& settings);
// After the recorder was stopped: clients get the rest.
void stop_remote();

// --- what the VM calls ---

void on_vm_init(jvmtiEnv* ti, JNIEnv* env, jthread thread);
void on_vm_death(jvmtiEnv* ti, JNIEnv* env);

}  // namespace polytrace::agent::jvm
