// SPDX-License-Identifier: Apache-2.0
#include "cli/runtimes/cautions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "cli/runtimes/runtimes.hpp"
#include "cli/show/environment.hpp"

namespace polytrace::cli {
namespace {

// As the runtime compares them: letters count alike.
bool is_same_class(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other,
                            [](char a, char b) { return std::toupper(a) == std::toupper(b); });
}

std::string cost_of_allocations(const std::string& options) {
  agent::Faults faults;
  const agent::EventSet events = agent::parse_options(options, faults).events;
  const bool every =
      events.alloc == agent::AllocMode::objects || events.alloc == agent::AllocMode::sites;
  if (!every) return {};
  return "alloc=objects and alloc=sites change how .NET runs the program: no tiered compilation, "
         "no fast allocation; alloc=sampled leaves both as they are";
}

// Commands of `dotnet` that start a program, or compilers, as other processes.
constexpr std::array<std::string_view, 7> kStarters = {"run",  "test",    "build",  "watch",
                                                       "pack", "publish", "msbuild"};

std::string starter_of(const std::vector<std::string>& arguments) {
  const std::string& first = arguments.front();
  if (std::ranges::find(kStarters, first) == kStarters.end()) return {};
  return fmt::format(
      "`dotnet {0}` starts other processes, which are not recorded: build first, then `polytrace "
      "record dotnet PROGRAM.dll`; or `polytrace record --children dotnet {0}`",
      first);
}

}  // namespace

base::result<void> check_profiler(std::string_view runtime) {
  const std::string_view other = variable("CORECLR_PROFILER");
  if (runtime != "dotnet" || variable("CORECLR_ENABLE_PROFILING") != "1" || other.empty() ||
      is_same_class(other, kProfilerClass))
    return {};
  const std::string_view path = variable("CORECLR_PROFILER_PATH");
  return base::fail(
      base::Code::usage,
      fmt::format("the environment has another profiler for .NET: CORECLR_PROFILER={}{}{}; "
                  "--replace-profiler records without it",
                  other, path.empty() ? "" : ", CORECLR_PROFILER_PATH=", path));
}

std::vector<std::string> cautions(std::string_view runtime, const std::string& options,
                                  const std::vector<std::string>& arguments, bool children) {
  std::vector<std::string> all;
  if (runtime == "java" && children)
    all.emplace_back(
        "each JVM says on standard error that it picked up JAVA_TOOL_OPTIONS: that is "
        "how the agent gets into children");
  if (runtime != "dotnet") return all;
  for (std::string& text :
       std::array{children ? "" : starter_of(arguments), cost_of_allocations(options)})
    if (!text.empty()) all.push_back(std::move(text));
  return all;
}

}  // namespace polytrace::cli
