// SPDX-License-Identifier: Apache-2.0
// The control server runs on a thread of the VM, so that it can do what needs the VM.
#include <string>

#include "agent/common/record/recorder.hpp"
#include "agent/control/recorder_handler.hpp"
#include "agent/jvm/heap/heap_dump.hpp"
#include "agent/jvm/life.hpp"

namespace polytrace::agent::jvm {

namespace {

using control::Outcome;
using control::Reply;

control::ServerConfig g_config;
control::Server* g_server = nullptr;

JNIEnv* current_env() {
  void* env = nullptr;
  return vm().java->GetEnv(&env, JNI_VERSION_1_6) == JNI_OK ? static_cast<JNIEnv*>(env) : nullptr;
}

class JvmHandler final : public control::RecorderHandler {
 public:
  JvmHandler(Options options, control::Facts facts)
      : RecorderHandler(std::move(options), std::move(facts)) {
    tell_missing(missing());
  }

  Reply status() override;
  Reply start(const control::StartRequest& request) override;
  Reply stop() override {
    if (!is_recording()) return Reply::refused(Outcome::wrong_state, "does not run");
    if (end(current_env())) return Reply::ok();
    return Reply::refused(Outcome::failed, "not everything could be written in time");
  }
  Reply pause() override {
    if (!Recorder::the().running()) return RecorderHandler::pause();
    jvm::pause(current_env());
    return Reply::ok();
  }
  Reply resume() override {
    const Reply reply = RecorderHandler::resume();
    if (reply.outcome == Outcome::ok) jvm::resume(current_env());
    return reply;
  }
  Reply set_filters(const std::vector<std::string>& rules) override;
  Reply set_option(std::string_view name, std::string_view value) override;
  Reply heap_dump(std::string_view name) override;
  Reply run_gc() override {
    vm().ti->ForceGarbageCollection();
    return Reply::ok();
  }

 private:
  void tell_missing(const Faults& faults) {
    for (const std::string& fault : faults) notices_.add(control::NoticeCode::capability, fault);
  }
  Reply replace(const Filters& filters, const Faults& faults);

  std::uint32_t dumps_ = 0;
};

Reply JvmHandler::status() {
  Reply reply = RecorderHandler::status();
  for (const auto& [name, value] : rewriting_figures()) reply.figures.push_back({name, value});
  return reply;
}

Reply JvmHandler::start(const control::StartRequest& request) {
  const bool chooses = !request.events.empty();
  if (chooses && state() != State::idle)
    return Reply::refused(Outcome::wrong_state, "what is recorded cannot change while it runs");
  std::string events;
  for (const std::string& event : request.events) (events += events.empty() ? "" : "+") += event;
  Faults wrong;
  Faults lacking;
  if (chooses && !choose_events(events, wrong, lacking))
    return Reply::refused(Outcome::invalid, wrong.front());
  tell_missing(lacking);
  control::StartRequest rest = request;
  rest.events.clear();
  const Reply reply = RecorderHandler::start(rest);
  if (reply.outcome == Outcome::ok && !is_recording()) begin(current_env());
  return reply;
}

Reply JvmHandler::replace(const Filters& filters, const Faults& faults) {
  if (!faults.empty()) return Reply::refused(Outcome::invalid, faults.front());
  if (!is_recording()) return Reply::refused(Outcome::wrong_state, "does not run");
  const Retransformed done = replace_filters(current_env(), filters);
  Reply reply = Reply::ok();
  reply.figures = {{"classes.transformed", done.classes}, {"classes.refused", done.refused}};
  return reply;
}

// Of those that may be set while recording there is one.
Reply JvmHandler::set_option(std::string_view name, std::string_view value) {
  if (name != "filter")
    return Reply::refused(Outcome::invalid, "while recording, only filter may be set");
  Faults faults;
  Filters filters;
  filters.add_short(value, faults);
  return replace(filters, faults);
}

Reply JvmHandler::set_filters(const std::vector<std::string>& rules) {
  Faults faults;
  Filters filters;
  for (const std::string& rule : rules) filters.add_lines(rule, faults);
  return replace(filters, faults);
}

Reply JvmHandler::heap_dump(std::string_view name) {
  if (!is_recording()) return Reply::refused(Outcome::wrong_state, "does not run");
  const DumpResult done = take_heap_dump(current_env(), name, ++dumps_);
  if (!done.whole) return Reply::refused(Outcome::failed, done.fault);
  Reply reply = Reply::ok();
  reply.figures = {{"objects", done.objects},
                   {"references", done.references},
                   {"stood_still_ns", done.stood_still}};
  return reply;
}

// What a recording may be started for from now on.
std::vector<std::string> capabilities() {
  jvmtiCapabilities can{};
  vm().ti->GetPotentialCapabilities(&can);
  std::vector<std::string> names = {"threads"};
  const auto add = [&](bool has, const char* name) {
    if (has) names.emplace_back(name);
  };
  add(can.has(can_retransform_classes) && can.has(can_generate_all_class_hook_events), "calls");
  add(can.has(can_generate_garbage_collection_events), "gc");
  add(can.has(can_generate_monitor_events), "monitors");
  add(can.has(can_generate_sampled_object_alloc_events), "alloc");
  add(can.has(can_generate_exception_events), "exceptions");
  add(can.has(can_tag_objects), "heapdump");
  return names;
}

void serve(jvmtiEnv*, JNIEnv*, void*) { g_server->run(); }

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
  facts.capabilities = capabilities();
  auto* const handler = new JvmHandler(settings.common, facts);  // for ever, as is the server
  auto* const server = new control::Server(*handler, g_config);
  if (const auto opened = server->open(); !opened) {
    say(opened.error().detail);
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
  if (g_server != nullptr) g_server->stop(g_config.drain_ms);
}

}  // namespace polytrace::agent::jvm
