// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/code/probe.hpp"

#include <string>
#include <vector>

#include "agent/jvm/facts/threads.hpp"
#include "agent/jvm/rewriter/probe_class.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"

namespace polytrace::agent::jvm {

namespace {

jclass g_probe = nullptr;  // a global reference
jfieldID g_on = nullptr;

jclass find_or_define(JNIEnv* env) {
  const std::string name(rewriter::kProbeClass);
  const std::vector<std::uint8_t> bytes = rewriter::probe_class();
  jclass type =
      env->DefineClass(name.c_str(), nullptr, reinterpret_cast<const jbyte*>(bytes.data()),
                       static_cast<jsize>(bytes.size()));
  if (type != nullptr) return type;
  env->ExceptionClear();  // it is there, from another recording
  type = env->FindClass(name.c_str());
  if (type == nullptr) env->ExceptionClear();
  return type;
}

bool bind(JNIEnv* env) {
  if (vm().at_start) return true;
  const std::span<const JNINativeMethod> natives = probe_natives();
  return env->RegisterNatives(g_probe, natives.data(), static_cast<jint>(natives.size())) == 0;
}

bool call_natives(JNIEnv* env) {
  const Unmet unmet;
  for (const JNINativeMethod& native : probe_natives()) {
    const jmethodID method = env->GetStaticMethodID(g_probe, native.name, native.signature);
    if (method == nullptr) return false;
    const jvalue arguments[2] = {};
    env->CallStaticVoidMethodA(g_probe, method, arguments);
    if (env->ExceptionCheck() != JNI_FALSE) return false;
  }
  return true;
}

}  // namespace

bool install_probe(JNIEnv* env) {
  if (g_on != nullptr) return true;
  const Local<jclass> type(env, find_or_define(env));
  if (type) g_probe = static_cast<jclass>(env->NewGlobalRef(type.get()));
  if (g_probe != nullptr && bind(env) && call_natives(env))
    g_on = env->GetStaticFieldID(g_probe, "on", "Z");
  if (g_on != nullptr) return true;
  env->ExceptionClear();
  say("the probe's class cannot be defined; no calls are recorded");
  return false;
}

void set_probe(JNIEnv* env, bool on) {
  if (g_on != nullptr) env->SetStaticBooleanField(g_probe, g_on, on ? JNI_TRUE : JNI_FALSE);
}

bool is_probe(JNIEnv* env, jclass type) {
  return g_probe != nullptr && env->IsSameObject(type, g_probe) != JNI_FALSE;
}

}  // namespace polytrace::agent::jvm
