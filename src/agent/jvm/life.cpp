// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/life.hpp"

#include <cstdio>
#include <mutex>

#include "agent/common/record/recorder.hpp"
#include "agent/common/runtime/introduction.hpp"
#include "agent/jvm/callbacks.hpp"
#include "agent/jvm/code/left_out.hpp"
#include "agent/jvm/code/probe.hpp"
#include "agent/jvm/code/sites.hpp"
#include "agent/jvm/code/stacks.hpp"
#include "agent/jvm/facts/array_layout.hpp"
#include "agent/jvm/facts/registry.hpp"
#include "agent/jvm/facts/threads.hpp"

namespace polytrace::agent::jvm {

namespace {

constexpr base::Duration kPatience = 30'000'000'000;

struct Life {
  std::mutex mutex;    // of commands; the VM's events do not take it
  std::mutex dumping;  // a dump that has begun is recorded to its end; taken before the other
  Settings settings;
  Faults missing;
  const Plan* plan = nullptr;  // of the recording
  bool recording = false;
  bool waits = false;  // for a command to begin
  bool dead = false;
};
Life& life() {
  static Life& life = *new Life;
  return life;
}

void say_all(const Faults& faults) {
  for (const std::string& fault : faults) say(fault);
}

// Plans are never freed: a thread may be judging by an old one.
const Plan* new_plan(const Settings& settings) { return new Plan(plan_of(settings)); }

bool rewrites() { return vm().can_retransform; }

std::string property(const char* name) {
  TiText value;
  return ok(vm().ti->GetSystemProperty(name, value.out())) ? std::string(value.view()) : "";
}

void tell_session(const Settings& settings, const Plan& plan) {
  const std::string command = redacted(property("sun.java.command"));
  const std::string runtime = property("java.vm.name");
  const std::string version = property("java.vm.version");
  const std::pair<std::string, std::string> own[] = {
      {"jvm.accessors", plan.accessors ? "yes" : "no"}};
  introduce({.agent = "polytrace-jvm",
             .written = settings.text,
             .name = std::string_view(command).substr(0, command.find(' ')),
             .command = command,
             .runtime = runtime,
             .runtime_version = version,
             .own = own},
            settings.common, plan.filters);
}

void define_stage(event::RecordingStage stage) {
  event::Recording details;
  details.stage = stage;
  define(details, base::kNoId);
}

void start_rewriting(JNIEnv* env, const Plan* plan) {
  if (!rewrites() || !install_probe(env)) return;
  set_plan(plan);
  set_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true);
  const Retransformed done = retransform_loaded(env);
  if (done.refused != 0) say(std::to_string(done.refused) + " classes cannot be transformed");
  set_probe(env, Recorder::the().running());
}

}  // namespace

bool prepare(const char* options) {
  Faults faults;
  Life& all = life();
  all.settings = read_settings(options, faults);
  Options& common = all.settings.common;
  if (common.help) std::fputs((option_help() + own_help()).c_str(), stderr);
  if (common.off || common.help) return false;
  ask_capabilities(all.settings, all.missing);
  faults.insert(faults.end(), all.missing.begin(), all.missing.end());
  set_callbacks();
  set_limits(all.settings);
  const bool remote = prepare_remote(all.settings, faults);
  all.waits = remote && common.server == Server::controlled;
  const bool started = all.waits || Recorder::the().start(common, faults);
  say_all(faults);
  if (!started) say("nothing is recorded");
  return started;
}

const Faults& missing() { return life().missing; }

bool choose_events(std::string_view events, Faults& wrong, Faults& lacking) {
  Life& all = life();
  const std::lock_guard guard(all.mutex);
  Options changed = all.settings.common;
  if (!set_option(changed, "events", events, wrong)) return false;
  all.settings.common = std::move(changed);
  ask_capabilities(all.settings, lacking);
  set_limits(all.settings);
  return true;
}

void begin(JNIEnv* env) {
  Life& all = life();
  const std::lock_guard guard(all.mutex);
  const Settings& settings = all.settings;
  Registry::the().clear();
  forget_methods();
  begin_round();
  const Plan* const plan = all.plan = new_plan(settings);
  tell_session(settings, *plan);
  forget_sites();
  forget_left_out();
  if (plan->sites) measure_arrays(env);
  watch_unloading();
  enable_events(settings, true);
  if (vm().can_tell_virtual_threads) watch_virtual_threads();
  tell_threads(env);
  meet_thread(env);
  all.recording = true;
  start_rewriting(env, plan);
  define_stage(event::RecordingStage::ready);
}

bool end(JNIEnv* env) {
  Life& all = life();
  const std::lock_guard whole_dumps(all.dumping);
  const std::lock_guard guard(all.mutex);
  if (!all.recording) return true;
  all.recording = false;
  set_probe(env, false);
  enable_events(all.settings, false);
  set_plan(nullptr);
  if (rewrites() && !all.dead) {
    retransform_loaded(env);
    set_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, false);
  }
  tell_counts();
  if (all.dead) define_stage(event::RecordingStage::shutdown);
  const bool whole = Recorder::the().stop(kPatience);
  if (!whole) say("the recording could not be finished; what is missing lies beside it");
  return whole;
}

DumpResult take_heap_dump(JNIEnv* env, std::string_view name, std::uint32_t number) {
  const std::lock_guard guard(life().dumping);
  const Settings& settings = life().settings;
  if (settings.common.heap_dump == HeapDump::never) return {.fault = "heapdump=never"};
  if (!Recorder::the().running()) return {.fault = "the recording is paused, or has ended"};
  if (!settings.hprof) return dump_heap(env, name);
  return dump_hprof(
      env, std::string(Recorder::the().output_name()) + "." + std::to_string(number) + ".hprof");
}

void launch(JNIEnv* env) {
  if (!life().waits) begin(env);
  start_remote(env, life().settings);
}

bool is_recording() {
  const std::lock_guard guard(life().mutex);
  return life().recording;
}

void pause(JNIEnv* env) {
  set_probe(env, false);
  Recorder::the().pause();
}

void resume(JNIEnv* env) {
  Recorder::the().resume();
  set_probe(env, true);
}

Retransformed replace_filters(JNIEnv* env, const Filters& filters) {
  Life& all = life();
  const std::lock_guard guard(all.mutex);
  if (!all.recording || !rewrites()) return {};
  all.settings.common.filters = filters;
  const Plan* const before = all.plan;
  all.plan = new_plan(all.settings);
  set_plan(all.plan);
  define_filters(all.plan->filters);
  return retransform_loaded(env, before);
}

void obey(JNIEnv* env, std::string_view command) {
  constexpr std::string_view kFilter = "filter=";
  if (command == "detach") {
    end(env);
  } else if (command == "pause") {
    pause(env);
  } else if (command == "resume") {
    resume(env);
  } else if (command == "flush") {
    Recorder::the().flush(kPatience);
  } else if (command.starts_with(kFilter)) {
    Faults faults;
    Filters filters;
    filters.add_short(command.substr(kFilter.size()), faults);
    say_all(faults);
    replace_filters(env, filters);
  } else {
    say("a recording runs; commands are detach, pause, resume, flush and filter=PATTERNS");
  }
}

void on_vm_init(jvmtiEnv*, JNIEnv* env, jthread) { launch(env); }

void on_vm_death(jvmtiEnv*, JNIEnv* env) {
  if (is_recording() && life().settings.common.heap_dump == HeapDump::at_end) {
    const DumpResult dump = take_heap_dump(env, "end", 0);
    if (!dump.whole) say("no heap dump at the end: " + dump.fault);
  }
  life().dead = true;
  end(env);
  stop_remote();
}

}  // namespace polytrace::agent::jvm
