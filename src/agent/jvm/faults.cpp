// SPDX-License-Identifier: Apache-2.0
// Exceptions. The VM tells one each time it is thrown, and names the handler that will run, which
// may do no more than pass it on: that is told again as a throw, of which we know better.
#include "agent/common/record/recorder.hpp"
#include "agent/jvm/callbacks.hpp"
#include "agent/jvm/catchers.hpp"
#include "agent/jvm/code/stacks.hpp"
#include "agent/jvm/facts/classes.hpp"
#include "agent/jvm/facts/threads.hpp"

namespace polytrace::agent::jvm {

namespace {

using rewriter::HandlerKind;

// The VM ends the process where a callback leaves an exception behind, and one is thrown in it
// where a stack has no room for what the callback asks of the VM. What was thrown before stays.
class NoException {
 public:
  explicit NoException(JNIEnv* env) : env_(env), before_(env->ExceptionOccurred()) {
    if (before_ != nullptr) env_->ExceptionClear();
  }
  NoException(const NoException&) = delete;
  NoException& operator=(const NoException&) = delete;
  ~NoException() {
    if (env_->ExceptionCheck() != JNI_FALSE) env_->ExceptionClear();
    if (before_ == nullptr) return;
    env_->Throw(before_);
    env_->DeleteLocalRef(before_);
  }

 private:
  JNIEnv* env_;
  jthrowable before_;
};

struct Catcher {
  jmethodID method;  // null: none
  jlocation at;

  HandlerKind kind() const { return kind_of_handler(method, at); }
};

void emit_throw(JNIEnv* env, jobject exception, base::Id object, const StackFrames& frames) {
  const Lists lists = frames.lists();
  event::Throw details;
  details.class_id = number_of_class_of(env, exception);
  details.stack = whole_stack(lists);
  emit(details, object, lists);
}

// Who catches what leaves code of the VM's own is not known: it may become another exception.
void emit_handler(JNIEnv* env, const Catcher& catcher, HandlerKind kind, base::Id object,
                  const StackFrames& frames) {
  const base::Id method = number_of_method(env, catcher.method);
  if (frames.has_border_before(method)) return;
  event::Clause details;
  details.clause =
      kind == HandlerKind::catches ? event::ClauseKind::catch_clause : event::ClauseKind::finally;
  details.object = object;
  emit(details, method);
}

}  // namespace

void on_exception(jvmtiEnv*, JNIEnv* env, jthread, jmethodID method, jlocation at,
                  jobject exception, jmethodID catch_method, jlocation catch_at) {
  if (!Recorder::the().running()) return;
  const NoException none(env);
  if (!meet_thread(env)) return;
  const bool thrown = !passes_on(method, at);
  const Catcher catcher{catch_method, catch_at};
  const HandlerKind kind = catch_method == nullptr ? HandlerKind::probe : catcher.kind();
  const bool handled = kind != HandlerKind::probe;
  if (!thrown && !handled) return;
  StackFrames frames;
  frames.take(env, nullptr, stack_depth());
  const base::Id object = number_of_object(env, exception);
  if (thrown) emit_throw(env, exception, object, frames);
  if (handled) emit_handler(env, catcher, kind, object, frames);
}

}  // namespace polytrace::agent::jvm
