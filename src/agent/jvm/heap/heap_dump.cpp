// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/heap/heap_dump.hpp"

#include <algorithm>
#include <vector>

#include "agent/common/memory/clock.hpp"
#include "agent/common/record/recorder.hpp"
#include "agent/jvm/facts/threads.hpp"
#include "agent/jvm/heap/heap_walk.hpp"

namespace polytrace::agent::jvm {

namespace {

constexpr unsigned kDumpShift = 40;          // of a dump's number in its objects' ids
constexpr std::size_t kMostPerEvent = 4096;  // references; more of them follow with size 0

std::uint64_t g_dumps = 0;

std::string_view root_type(std::uint8_t kind) {
  switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL: return "JNI global";
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS: return "system class";
    case JVMTI_HEAP_REFERENCE_MONITOR: return "monitor";
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL: return "stack local";
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL: return "JNI local";
    case JVMTI_HEAP_REFERENCE_THREAD: return "thread";
    default: return "other";
  }
}

base::Id class_id_of(std::uint32_t type) { return type == 0 ? base::kNoId : type; }

bool emit_stage(std::uint64_t dump, event::DumpStage stage, std::string_view name) {
  event::Dump details;
  details.stage = stage;
  details.name = name;
  return emit(details, dump);
}

bool emit_roots(HeapWalk& walk) {
  bool all = true;
  for (const HeapWalk::Root& root : walk.roots()) {
    event::Root details;
    details.type = root_type(root.kind);
    details.class_id = class_id_of(walk.type_of(root.object));
    all = emit(details, walk.id_of(root.object)) && all;
  }
  return all;
}

bool emit_object(HeapWalk& walk, const HeapWalk::Object& object,
                 std::span<const std::uint32_t> targets, std::vector<event::Ref>& refs) {
  event::DumpObject details;
  details.class_id = class_id_of(object.type);
  details.size = object.size;
  bool all = true;
  do {
    const auto part = targets.first(std::min(targets.size(), kMostPerEvent));
    refs.clear();
    for (const std::uint32_t target : part) refs.push_back({walk.id_of(target), 0});
    Lists lists;
    lists.refs = refs;
    details.refs = whole_refs(lists);
    all = emit(details, object.id, lists) && all;
    details.size = 0;
    targets = targets.subspan(part.size());
  } while (!targets.empty());
  return all;
}

// Everything that was found. False: not all of it could be recorded.
bool emit_walk(HeapWalk& walk) {
  walk.sort();
  bool all = emit_roots(walk);
  std::vector<event::Ref> refs;
  const std::span<HeapWalk::Object> objects = walk.objects();
  for (std::size_t i = 0; i < objects.size(); ++i)
    all = emit_object(walk, objects[i], walk.references_of(i), refs) && all;
  return all;
}

}  // namespace

DumpResult dump_heap(JNIEnv* env, std::string_view name) {
  DumpResult result;
  const std::uint64_t dump = ++g_dumps;
  HeapWalk walk(dump << kDumpShift);
  bool all = emit_stage(dump, event::DumpStage::start, name);
  const base::Time before = monotonic_now();
  result.fault = walk.run(env);
  result.stood_still = static_cast<std::uint64_t>(monotonic_now() - before);
  result.objects = walk.objects().size();
  result.references = walk.reference_count();
  all = emit_walk(walk) && all;
  all = emit_stage(dump, event::DumpStage::end, name) && all;
  if (!all && result.fault.empty()) result.fault = "not all of the dump could be recorded";
  result.whole = result.fault.empty();
  return result;
}

namespace {

bool call_dump_heap(JNIEnv* env, const std::string& path) {
  const Local<jclass> factory(env, env->FindClass("java/lang/management/ManagementFactory"));
  if (!factory) return false;
  const Local<jclass> type(env, env->FindClass("com/sun/management/HotSpotDiagnosticMXBean"));
  if (!type) return false;
  const jmethodID get =
      env->GetStaticMethodID(factory.get(), "getPlatformMXBean",
                             "(Ljava/lang/Class;)Ljava/lang/management/PlatformManagedObject;");
  if (get == nullptr) return false;
  const Local<jobject> bean(env, env->CallStaticObjectMethod(factory.get(), get, type.get()));
  if (env->ExceptionCheck() != JNI_FALSE || !bean) return false;
  const jmethodID dump = env->GetMethodID(type.get(), "dumpHeap", "(Ljava/lang/String;Z)V");
  const Local<jstring> name(env, dump == nullptr ? nullptr : env->NewStringUTF(path.c_str()));
  if (!name) return false;
  env->CallVoidMethod(bean.get(), dump, name.get(), JNI_TRUE);
  return env->ExceptionCheck() == JNI_FALSE;
}

}  // namespace

DumpResult dump_hprof(JNIEnv* env, const std::string& path) {
  DumpResult result;
  const Unmet unmet;
  const base::Time before = monotonic_now();
  result.whole = call_dump_heap(env, path);
  if (env->ExceptionCheck() != JNI_FALSE) env->ExceptionClear();
  if (!result.whole) result.fault = "the JDK could not write " + path;
  result.stood_still = static_cast<std::uint64_t>(monotonic_now() - before);
  return result;
}

}  // namespace polytrace::agent::jvm
