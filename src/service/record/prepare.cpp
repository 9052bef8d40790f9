// SPDX-License-Identifier: Apache-2.0
// What is decided before a recording begins.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/codes.hpp"
#include "service/convert/conversion_target.hpp"
#include "service/record/recording.hpp"
#include "service/runtimes/causes.hpp"
#include "service/runtimes/jvm_attach.hpp"
#include "service/selection/times.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;

base::result<void> clear_place(const std::string& path, bool force) {
  std::error_code fault;
  if (!fs::exists(fs::symlink_status(path, fault))) return {};
  if (!force) return base::fail(base::Code::output_exists, path);
  if (fs::is_regular_file(path, fault) && fs::remove(path, fault)) return {};
  return base::fail(base::Code::write_failed, fmt::format("{}: cannot be replaced", path));
}

base::result<RecordingPlan> plan_recording(const RecordingOptions& options) {
  if (options.output == "-")
    return base::fail(base::Code::usage, "standard output belongs to the program: name a file");
  const format::Format* native = format::find_format("native");
  TargetOptions target;
  target.output = options.output;
  target.to = options.to;
  const auto chosen = choose_format(target, *native);
  if (!chosen) return tl::unexpected(chosen.error());
  RecordingPlan plan;
  plan.named = options.output;
  plan.output = fs::absolute(options.output).lexically_normal();
  plan.to = options.to.empty() ? std::string((*chosen)->name) : options.to;
  plan.stream = *chosen == native ? plan.output : plan.output + ".ptrace";
  if (!options.duration.empty()) {
    const auto length = parse_shift(options.duration);
    if (!length) return tl::unexpected(length.error());
    plan.duration = std::chrono::nanoseconds(*length);
  }
  for (const std::string& path : {plan.output, plan.stream, plan.stream + ".segments"}) {
    if (const auto free = clear_place(path, options.force); !free)
      return tl::unexpected(free.error());
  }
  return plan;
}

// What is recorded, as far as it is remembered behind its end.
void remember(RecordingPlan& plan, const AgentOptions& agent) {
  plan.events = kinds_of(agent);
  plan.limit = agent.limit;
}

// Else a method whose last statement is a call may be gone before that begins, with all its time.
void keep_frames(const AgentOptions& agent, Launch& launch) {
  constexpr const char* kVariable = "DOTNET_TailCallOpt";
  const auto kinds = kinds_of(agent);
  const auto words = listed(kinds);
  if (std::ranges::find(words, "calls") != words.end() && std::getenv(kVariable) == nullptr)
    launch.environment.push_back(fmt::format("{}=0", kVariable));
}

}  // namespace

base::result<PreparedRecording> prepare_recording(RecordQuestion question) {
  AgentOptions& agent = question.agent;
  const Runtime* runtime = find_runtime(question.runtime);
  if (runtime == nullptr)
    return base::fail(base::Code::usage,
                      fmt::format("\"{}\" is no runtime that can be recorded: java, mono or dotnet",
                                  question.runtime));
  PreparedRecording made;
  made.gaps = gaps_of(agent, runtime->name, Beginning::with_program);
  complete_events(agent, runtime->name);
  if (question.arguments.empty())
    return base::fail(base::Code::usage, fmt::format("no program for {} to run", runtime->name));
  if (const auto free = check_profiler(runtime->name); !free && !question.replaces_profiler)
    return tl::unexpected(free.error());
  const auto program = find_program(*runtime, question.program);
  if (!program) return tl::unexpected(program.error());
  const auto library = find_agent(*runtime, agent.agent);
  if (!library) return tl::unexpected(library.error());
  auto plan = plan_recording(question.recording);
  if (!plan) return tl::unexpected(plan.error());
  made.plan = std::move(*plan);
  agent.controllable |= made.plan.duration.count() != 0;
  // The agent for .NET keeps itself out of children otherwise.
  if (agent.children && runtime->name == "dotnet")
    agent.others.emplace_back("coreclr.children=yes");
  remember(made.plan, agent);
  made.plan.runtime = runtime->name;
  made.plan.arguments = question.arguments;
  const auto text = option_string(agent, made.plan.stream);
  if (!text) return tl::unexpected(text.error());
  made.cautions = cautions(runtime->name, *text, question.arguments, agent.children);
  made.children = agent.children;
  const auto launch = agent.children ? launch_with_children : launch_of;
  made.launch = launch(*runtime, *program, *library, *text, question.arguments);
  if (runtime->name == "dotnet") keep_frames(agent, made.launch);
  return made;
}

base::result<AttachedRecording> attach_recording(AttachQuestion question) {
  constexpr std::chrono::seconds kPatience{10};
  AgentOptions& agent = question.agent;
  const pid_t process = question.process;
  if (const auto fit = check_jvm(process); !fit) return tl::unexpected(fit.error());
  const auto library = find_agent(*find_runtime("java"), agent.agent);
  if (!library) return tl::unexpected(library.error());
  std::error_code unknown;
  const fs::path folder =
      fs::weakly_canonical(fs::absolute(question.recording.output).parent_path(), unknown);
  for (const auto& [path, option] :
       {std::pair(*library, "--agent"), std::pair(folder.string(), "--output")})
    if (const auto seen = check_sees(process, path, option); !seen)
      return tl::unexpected(seen.error());
  auto plan = plan_recording(question.recording);
  if (!plan) return tl::unexpected(plan.error());
  agent.controllable = true;  // to be able to stop it
  // And whatever becomes of us, it ends.
  plan->ends_itself = plan->duration.count() != 0;
  if (plan->ends_itself)
    agent.others.push_back(fmt::format("duration={}ns", plan->duration.count()));
  AttachedRecording made{std::move(*plan), gaps_of(agent, "java", Beginning::while_it_runs)};
  complete_events(agent, "java");
  remember(made.plan, agent);
  made.plan.ends_when_cut = true;
  const auto text = option_string(agent, made.plan.stream);
  if (!text) return tl::unexpected(text.error());
  if (const auto loaded = load_into_jvm(process, *library, *text, kPatience); !loaded)
    return tl::unexpected(loaded.error());
  return made;
}

}  // namespace polytrace::service
