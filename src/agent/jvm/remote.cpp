// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/remote.hpp"

#include <string>

#include "agent/common/recorder.hpp"
#include "agent/control/recorder_handler.hpp"
#include "agent/jvm/heap_dump.hpp"
#include "agent/jvm/life.hpp"

namespace polytrace::agent::jvm {

namespace {

using control::Outcome;
using control::Reply;

constexpr std::uint32_t kDrain = 2000;  // milliseconds

control::ServerConfig g_config;
control::Server* g_server = nullptr;

JNIEnv* current_env() {
  void* env = nullptr;
  return vm().java->GetEnv(&env, JNI_VERSION_1_6) == JNI_OK ? static_cast<JNIEnv*>(env) : nullptr;
}

class JvmHandler final : public control::RecorderHandler {
 public:
  using RecorderHandler::RecorderHandler;

  Reply start(const control::StartRequest& request) override {
    const Reply reply = RecorderHandler::start(request);
    if (reply.outcome == Outcome::kOk && !is_recording()) begin(current_env());
    return reply;
  }
  Reply stop() override {
    if (!is_recording()) return Reply::refused(Outcome::kWrongState, "does not run");
    if (end(current_env())) return Reply::ok();
    return Reply::refused(Outcome::kFailed, "not everything could be written in time");
  }
  Reply pause() override {
    if (!Recorder::the().running()) return RecorderHandler::pause();
    jvm::pause(current_env());
    return Reply::ok();
  }
  Reply resume() override {
    const Reply reply = RecorderHandler::resume();
    if (reply.outcome == Outcome::kOk) jvm::resume(current_env());
    return reply;
  }
  Reply set_filters(const std::vector<std::string>& rules) override;
  Reply heap_dump(std::string_view name) override;
  Reply run_gc() override {
    vm().ti->ForceGarbageCollection();
    return Reply::ok();
  }
  Reply annotate(std::string_view text) override {
    emit(event::Note{.text = text}, base::kNoId);
    return Reply::ok();
  }

 private:
  std::uint32_t dumps_ = 0;
};

Reply JvmHandler::set_filters(const std::vector<std::string>& rules) {
  Faults faults;
  Filters filters;
  for (const std::string& rule : rules) filters.add_lines(rule, faults);
  if (!faults.empty()) return Reply::refused(Outcome::kFailed, faults.front());
  if (!is_recording()) return Reply::refused(Outcome::kWrongState, "does not run");
  const Retransformed done = replace_filters(current_env(), filters);
  Reply reply = Reply::ok();
  reply.figures = {{"classes.transformed", done.classes}, {"classes.refused", done.refused}};
  return reply;
}

Reply JvmHandler::heap_dump(std::string_view name) {
  if (!is_recording()) return Reply::refused(Outcome::kWrongState, "does not run");
  const DumpResult done = take_heap_dump(current_env(), name, ++dumps_);
  if (!done.whole) return Reply::refused(Outcome::kFailed, done.fault);
  Reply reply = Reply::ok();
  reply.figures = {{"objects", done.objects},
                   {"references", done.references},
                   {"stood_still_ns", done.stood_still}};
  return reply;
}

std::vector<std::string> capabilities() {
  const Vm& has = vm();
  std::vector<std::string> names = {"threads"};
  if (has.can_retransform) names.emplace_back("calls");
  if (has.can_tell_collections) names.emplace_back("gc");
  if (has.can_tell_monitors) names.emplace_back("monitors");
  if (has.can_sample_allocations) names.emplace_back("alloc");
  if (has.can_tell_exceptions) names.emplace_back("exceptions");
  if (has.can_tag) names.emplace_back("heapdump");
  return names;
}

void JNICALL serve(jvmtiEnv*, JNIEnv*, void*) { g_server->run(); }

// A Java thread whose code is ours; it keeps no program alive.
bool run_thread(JNIEnv* env) {
  const Local<jclass> type(env, env->FindClass("java/lang/Thread"));
  if (!type) return false;
  const jmethodID make = env->GetMethodID(type.get(), "<init>", "(Ljava/lang/String;)V");
  const Local<jstring> name(env, env->NewStringUTF("polytrace"));
  if (make == nullptr || !name) return false;
  const Local<jobject> thread(env, env->NewObject(type.get(), make, name.get()));
  if (env->ExceptionCheck() != JNI_FALSE || !thread) return false;
  return ok(vm().ti->RunAgentThread(thread.get(), serve, nullptr, JVMTI_THREAD_NORM_PRIORITY));
}

}  // namespace

bool prepare_remote(Settings& settings, Faults& faults) {
  g_config = control::server_config(settings.common, faults);
  return g_config.wanted();
}

void start_remote(JNIEnv* env, const Settings& settings) {
  if (!g_config.wanted() || g_server != nullptr) return;
  TiText name;
  vm().ti->GetSystemProperty("java.vm.name", name.out());
  control::Facts facts;
  facts.runtime = std::string(name.view()) + " " + std::to_string(vm().version);
  facts.agent = "polytrace-jvm " POLYTRACE_VERSION;
  facts.clock = settings.common.clock == ClockChoice::kMonotonic ? "monotonic" : "tsc";
  facts.capabilities = capabilities();
  auto* const handler = new JvmHandler(settings.common, facts);  // for ever, as is the server
  auto* const server = new control::Server(*handler, g_config);
  std::string why;
  if (!server->open(why)) {
    say(why);
    return;
  }
  g_server = server;
  if (!run_thread(env)) {
    env->ExceptionClear();
    say("no thread for commands");
    g_server = nullptr;
  }
}

void stop_remote() {
  if (g_server != nullptr) g_server->stop(kDrain);
}

}  // namespace polytrace::agent::jvm
