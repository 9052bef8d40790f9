// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/threads.hpp"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include <cstdarg>
#include <string>

#include "agent/common/record/recorder.hpp"

namespace polytrace::agent::jvm {

thread_local constinit std::uint32_t t_round __attribute__((tls_model("initial-exec"))) = 0;
constinit std::atomic<std::uint32_t> g_round{1};

namespace {

constinit std::atomic<jclass> g_thread_class{nullptr};  // a global reference

// Found once: FindClass may run Java code, for which a thread at the end of its stack has no room.
jclass thread_class(JNIEnv* env) {
  if (const jclass known = g_thread_class.load(std::memory_order_acquire); known != nullptr)
    return known;
  const Local<jclass> type(env, env->FindClass("java/lang/Thread"));
  if (!type) {
    env->ExceptionClear();
    return nullptr;
  }
  const auto kept = static_cast<jclass>(env->NewGlobalRef(type.get()));
  jclass before = nullptr;
  if (g_thread_class.compare_exchange_strong(before, kept)) return kept;
  env->DeleteGlobalRef(kept);
  return before;
}

constexpr std::uint32_t kUnmet = ~std::uint32_t{0};  // no round has this number

// Numbers in the current recording; what is above was defined by it.
constinit std::atomic<std::uint64_t> g_first_number{1};

struct ThreadTexts {
  TiText name;
  TiText group;
  TiText parent;
};

void ask_group(JNIEnv* env, jthreadGroup group, ThreadTexts& texts) {
  jvmtiThreadGroupInfo info{};
  if (!ok(vm().ti->GetThreadGroupInfo(group, &info))) return;
  *texts.group.out() = info.name;
  const Local<jthreadGroup> parent(env, info.parent);
  if (!parent) return;
  jvmtiThreadGroupInfo above{};
  if (!ok(vm().ti->GetThreadGroupInfo(parent.get(), &above))) return;
  *texts.parent.out() = above.name;
  const Local<jthreadGroup> unused(env, above.parent);
}

void ask_names(JNIEnv* env, jthread thread, ThreadTexts& texts) {
  jvmtiThreadInfo info{};
  if (!ok(vm().ti->GetThreadInfo(thread, &info))) return;
  *texts.name.out() = info.name;
  const Local<jobject> loader(env, info.context_class_loader);
  const Local<jthreadGroup> group(env, info.thread_group);
  if (group) ask_group(env, group.get(), texts);
}

void define_thread(JNIEnv* env, jthread thread, std::uint64_t number, bool is_own,
                   bool is_virtual) {
  ThreadTexts texts;
  ask_names(env, thread, texts);
  event::Thread details;
  details.name = texts.name.view();
  details.group = texts.group.view();
  details.parent_group = texts.parent.view();
  if (is_own) details.os_thread = static_cast<base::Id>(gettid());
  details.is_virtual = is_virtual ? 1 : 0;
  define(details, number);
}

// Somebody who starts and somebody who refers to him can meet a thread at once: who comes second
// has its number before it is defined, and must not record with it yet. Whoever defines waits for
// no other who does.
class Defining {
 public:
  Defining() : outer_(t_defining) {
    t_defining = true;
    g_defining.fetch_add(1, std::memory_order_seq_cst);
  }
  ~Defining() {
    g_defining.fetch_sub(1, std::memory_order_seq_cst);
    t_defining = outer_;
  }
  Defining(const Defining&) = delete;
  Defining& operator=(const Defining&) = delete;

  static void await_others() {
    while (!t_defining && g_defining.load(std::memory_order_seq_cst) != 0) sched_yield();
  }

 private:
  static thread_local constinit bool t_defining __attribute__((tls_model("initial-exec")));
  static constinit std::atomic<std::uint32_t> g_defining;  // those under way

  bool outer_;
};
thread_local constinit bool Defining::t_defining __attribute__((tls_model("initial-exec"))) = false;
constinit std::atomic<std::uint32_t> Defining::g_defining{0};

// The tag, and the definition if nobody has made it.
jlong tag_and_define(JNIEnv* env, jthread thread, bool is_own, bool is_virtual) {
  const Defining under_way;
  bool is_new = false;
  jlong tag = tagged(thread, TagKind::thread, is_new);
  if (tag == 0 || kind_of(tag) != TagKind::thread) return 0;
  if (!is_new && number_of(tag) < g_first_number.load(std::memory_order_relaxed)) {
    vm().ti->SetTag(thread, 0);
    tag = tagged(thread, TagKind::thread, is_new);
  }
  if (is_new) define_thread(env, thread, number_of(tag), is_own, is_virtual);
  return tag;
}

// `is_own`: it is the calling platform thread. 0: it has no number.
std::uint64_t number_and_define(JNIEnv* env, jthread thread, bool is_own, bool is_virtual) {
  jlong tag = tag_of(thread);
  const bool known = tag != 0 && kind_of(tag) == TagKind::thread &&
                     number_of(tag) >= g_first_number.load(std::memory_order_relaxed);
  if (!known) tag = tag_and_define(env, thread, is_own, is_virtual);
  Defining::await_others();
  return number_of(tag);
}

// The platform thread that runs, whatever virtual thread it carries.
jthread current_carrier(JNIEnv* env) {
  constexpr std::uint32_t kVirtualThreadsSince = 21;
  jthread thread = nullptr;
  if (vm().version < kVirtualThreadsSince) {
    vm().ti->GetCurrentThread(&thread);
    return thread;
  }
  const jclass type = thread_class(env);
  const jmethodID method = type == nullptr ? nullptr
                                           : env->GetStaticMethodID(type, "currentCarrierThread",
                                                                    "()Ljava/lang/Thread;");
  if (method != nullptr) thread = env->CallStaticObjectMethod(type, method);
  if (env->ExceptionCheck() != JNI_FALSE) env->ExceptionClear();
  if (thread == nullptr) vm().ti->GetCurrentThread(&thread);
  return thread;
}

void meet(JNIEnv* env, jthread thread) {
  const int before = errno;
  t_round = g_round.load(std::memory_order_relaxed);
  if (const std::uint64_t number = number_and_define(env, thread, true, false); number != 0)
    name_thread(number);
  errno = before;
}

// Arguments of both events: JNIEnv*, the virtual thread.
void on_mount(jvmtiEnv* ti, ...) {
  va_list arguments;
  va_start(arguments, ti);
  auto* const env = va_arg(arguments, JNIEnv*);
  const jthread thread = va_arg(arguments, jthread);
  va_end(arguments);
  meet_thread(env);
  const std::uint64_t number = number_and_define(env, thread, false, true);
  if (number != 0) switch_thread(number);
}

void on_unmount(jvmtiEnv*, ...) { switch_thread(base::kNoId); }

}  // namespace

bool meet_thread_slowly(JNIEnv* env) {
  if (t_round == kUnmet) return false;
  t_round = g_round.load(std::memory_order_relaxed);  // what follows may record
  const Local<jthread> thread(env, current_carrier(env));
  if (thread) meet(env, thread.get());
  return true;
}

Unmet::Unmet() : round_(t_round) {
  t_round = kUnmet;
  be_slow();
}
Unmet::~Unmet() { t_round = round_; }

void begin_round() {
  g_first_number.store(next_number(TagKind::thread), std::memory_order_relaxed);
  g_round.fetch_add(1, std::memory_order_relaxed);
}

void tell_threads(JNIEnv* env) {
  thread_class(env);  // before an event needs it
  jint count = 0;
  TiMemory<jthread> threads;
  if (!ok(vm().ti->GetAllThreads(&count, threads.out()))) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Local<jthread> thread(env, threads[i]);
    number_and_define(env, thread.get(), false, false);
  }
}

std::uint64_t number_of_thread(JNIEnv* env, jthread thread) {
  return number_and_define(env, thread, false, false);
}

bool is_thread(JNIEnv* env, jobject object) {
  const jclass type = thread_class(env);
  return type != nullptr && env->IsInstanceOf(object, type) != JNI_FALSE;
}

void on_thread_start(jvmtiEnv*, JNIEnv* env, jthread thread) { meet(env, thread); }

void on_thread_end(jvmtiEnv*, JNIEnv* env, jthread) {
  meet_thread(env);
  end_cpu();
  event::Thread details;
  details.life = event::Life::end;
  emit(details, this_thread());
  end_thread();
}

void on_virtual_thread_start(jvmtiEnv*, JNIEnv* env, jthread thread) {
  meet_thread(env);
  const std::uint64_t number = number_and_define(env, thread, false, true);
  if (number != 0) switch_thread(number);
}

void on_virtual_thread_end(jvmtiEnv*, JNIEnv*, jthread thread) {
  const jlong tag = tag_of(thread);
  if (kind_of(tag) != TagKind::thread) return;
  event::Thread details;
  details.life = event::Life::end;
  emit(details, number_of(tag));
}

bool watch_virtual_threads() {
  return set_extension_event("com.sun.hotspot.events.VirtualThreadMount", on_mount) &&
         set_extension_event("com.sun.hotspot.events.VirtualThreadUnmount", on_unmount);
}

}  // namespace polytrace::agent::jvm
