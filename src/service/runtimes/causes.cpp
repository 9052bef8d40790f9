// SPDX-License-Identifier: Apache-2.0
#include "service/runtimes/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "service/runtimes/runtimes.hpp"
#include "service/words/environment.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;

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

// What a file holds, as far as anybody would look.
std::string content_of(const std::string& path) {
  constexpr std::size_t kMost = 256U << 20;
  std::error_code none;
  const auto size = fs::file_size(path, none);
  std::ifstream file(path, std::ios::binary);
  if (none || !file || size > kMost) return {};
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_program(std::string_view content) { return content.starts_with("\177ELF"); }

// Both prefixes count, and either variable alone.
std::string diagnostics_off(const std::string&) {
  for (const char* prefix : {"DOTNET_", "COMPlus_"}) {
    for (const char* name : {"EnableDiagnostics", "EnableDiagnostics_Profiler"}) {
      const std::string whole = fmt::format("{}{}", prefix, name);
      if (variable(whole.c_str()) == "0")
        return fmt::format("{}=0 in the environment keeps profilers out of .NET; unset it", whole);
    }
  }
  return {};
}

std::string missing(const std::string& program) {
  std::error_code none;
  if (fs::exists(program, none)) return {};
  return fmt::format("there is no {}", program);
}

// Sections and names that only such programs have.
std::string native_program(const std::string& program) {
  const std::string content = content_of(program);
  if (!is_program(content)) return {};
  if (content.find("__managedcode") != content.npos)
    return fmt::format(
        "{} was compiled ahead (NativeAOT) and has no runtime that loads agents; "
        "publish it without PublishAot",
        program);
  for (const std::string_view mark : {"hostfxr", "DotNetRuntimeInfo"})
    if (content.find(mark) != content.npos) return {};
  return fmt::format("{} is a native program, without .NET", program);
}

std::string old_framework(const std::string& program) {
  constexpr std::string_view kMark = "\"netcoreapp";
  const std::string content =
      content_of(fs::path(program).replace_extension(".runtimeconfig.json").string());
  const std::size_t at = content.find(kMark);
  if (at == content.npos) return {};
  const std::size_t begin = at + kMark.size();
  const std::string version = content.substr(begin, content.find('"', begin) - begin);
  return fmt::format("{} wants .NET {}, which is too old to be recorded: 5.0 is the oldest",
                     program, version);
}

std::string native_for_mono(const std::string& program) {
  if (!is_program(content_of(program))) return {};
  return fmt::format(
      "{} is a native program (perhaps a bundle with Mono inside), which mono does "
      "not run; record its assembly",
      program);
}

struct Cause {
  std::string_view runtime;
  std::string (*look)(const std::string& program);
};
constexpr std::array kCauses = {Cause{"dotnet", diagnostics_off}, Cause{"dotnet", missing},
                                Cause{"dotnet", native_program},  Cause{"dotnet", old_framework},
                                Cause{"mono", missing},           Cause{"mono", native_for_mono}};

// Only compiles, and runs nothing.
bool compiles_ahead(std::string_view runtime, const std::string& argument) {
  return runtime == "mono" && argument.starts_with("--aot");
}

bool is_option(const std::string& argument) { return argument.starts_with('-'); }

// A word without a dot or a slash is a command of `dotnet`, not a program.
bool is_command(std::string_view runtime, const std::string& argument) {
  return runtime == "dotnet" && argument.find_first_of("./") == argument.npos;
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

std::string cause_of_nothing(std::string_view runtime, const std::vector<std::string>& arguments) {
  const auto program = std::ranges::find_if_not(arguments, is_option);
  if (std::any_of(arguments.begin(), program,
                  [&](const std::string& one) { return compiles_ahead(runtime, one); }))
    return "`mono --aot` compiles, and runs no program";
  if (program == arguments.end()) return {};
  for (const Cause& cause : kCauses) {
    if (cause.runtime != runtime) continue;
    if (is_command(runtime, *program) && cause.look != diagnostics_off) continue;
    if (std::string why = cause.look(*program); !why.empty()) return why;
  }
  return {};
}

}  // namespace polytrace::service
