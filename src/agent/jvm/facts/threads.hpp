// SPDX-License-Identifier: Apache-2.0
// Threads have numbers of ours, in order of their meeting; the carrier of a virtual thread keeps
// its own, and events say whom they belong to.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

// Which recording the calling thread was made known to. Another one than the current: not yet.
extern thread_local constinit std::uint32_t t_round __attribute__((tls_model("initial-exec")));
extern constinit std::atomic<std::uint32_t> g_round;

// Makes the calling thread known to the recorder, on whose slow path every thread begins. Errno is
// kept, no Java code runs. False: what comes is not to be recorded.
bool meet_thread_slowly(JNIEnv* env);
inline bool meet_thread(JNIEnv* env) {
  return t_round == g_round.load(std::memory_order_relaxed) || meet_thread_slowly(env);
}

// For as long as it lives, the calling thread is met by nobody: its probes record nothing.
class Unmet {
 public:
  Unmet();
  Unmet(const Unmet&) = delete;
  Unmet& operator=(const Unmet&) = delete;
  ~Unmet();

 private:
  std::uint32_t round_;
};

// A new recording knows no thread.
void begin_round();
// Defines those that live.
void tell_threads(JNIEnv* env);
// The number of a thread, defined in the stream; 0: none.
std::uint64_t number_of_thread(JNIEnv* env, jthread thread);

bool is_thread(JNIEnv* env, jobject object);

// Events of the VM.
void on_thread_start(jvmtiEnv* ti, JNIEnv* env, jthread thread);
void on_thread_end(jvmtiEnv* ti, JNIEnv* env, jthread thread);
void on_virtual_thread_start(jvmtiEnv* ti, JNIEnv* env, jthread thread);
void on_virtual_thread_end(jvmtiEnv* ti, JNIEnv* env, jthread thread);
// Tells mounts and unmounts, where this VM has them.
bool watch_virtual_threads();

}  // namespace polytrace::agent::jvm
