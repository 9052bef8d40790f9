// SPDX-License-Identifier: Apache-2.0
// Where the VM comes in: -agentpath:libpolytrace-jvm.so=OPTIONS, or an attach to a VM that runs. A
// program is never kept from running: what is wrong is said on stderr, and nothing is recorded.
#include "agent/jvm/facts/vm.hpp"
#include "agent/jvm/life.hpp"

namespace polytrace::agent::jvm {

extern "C" {

[[gnu::visibility("default")]] jint agent_on_load(JavaVM* java, char* options,
                                                  void*) __asm__("Agent_OnLoad");
[[gnu::visibility("default")]] jint agent_on_attach(JavaVM* java, char* options,
                                                    void*) __asm__("Agent_OnAttach");

}  // extern "C"

namespace {

// JDK 8 calls itself 1.8, later ones tell their number.
std::uint32_t version_of(jvmtiEnv* ti) {
  jint version = 0;
  ti->GetVersionNumber(&version);
  const auto major =
      static_cast<std::uint32_t>((version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR);
  return major == 1 ? 8 : major;
}

bool find_vm(JavaVM* java, bool at_start) {
  Vm& found = vm();
  if (found.ti != nullptr) return true;
  found.java = java;
  found.at_start = at_start;
  void* ti = nullptr;
  if (java->GetEnv(&ti, JVMTI_VERSION_1_2) != JNI_OK || ti == nullptr) {
    say("this VM has no tool interface; nothing is recorded");
    return false;
  }
  found.ti = static_cast<jvmtiEnv*>(ti);
  found.version = version_of(found.ti);
  return true;
}

}  // namespace

jint agent_on_load(JavaVM* java, char* options, void*) {
  if (!find_vm(java, true) || !prepare(options)) return JNI_OK;
  set_event(JVMTI_EVENT_VM_INIT, true);
  set_event(JVMTI_EVENT_VM_DEATH, true);
  return JNI_OK;
}

jint agent_on_attach(JavaVM* java, char* options, void*) {
  void* env = nullptr;
  if (!find_vm(java, false) || java->GetEnv(&env, JNI_VERSION_1_6) != JNI_OK) return JNI_OK;
  auto* const jni = static_cast<JNIEnv*>(env);
  if (is_recording()) {
    obey(jni, options == nullptr ? "" : options);
  } else if (prepare(options)) {
    set_event(JVMTI_EVENT_VM_DEATH, true);
    launch(jni);
  }
  return JNI_OK;
}

}  // namespace polytrace::agent::jvm
