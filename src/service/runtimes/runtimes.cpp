// SPDX-License-Identifier: Apache-2.0
#include "service/runtimes/runtimes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/codes.hpp"
#include "service/words/environment.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;

constexpr std::array kRuntimes = {
    Runtime{"java", "Java", "java", "libpolytrace-jvm.so", "Debian: default-jdk-headless"},
    Runtime{"mono", "Mono", "mono", "libmono-profiler-polytrace.so", "Debian: mono-runtime"},
    Runtime{"dotnet", ".NET", "dotnet", "libpolytrace-coreclr.so",
            "https://dotnet.microsoft.com/download"}};

// The folders of a list such as PATH.
std::vector<std::string> folders_of(std::string_view list) {
  std::vector<std::string> folders;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return folders;
}

std::vector<std::string> agent_folders() {
  std::vector<std::string> folders = folders_of(variable("POLYTRACE_AGENTS"));
  const fs::path own = fs::path(own_path()).parent_path();
  folders.push_back(own);
  for (const std::string_view folder : {"../lib/polytrace", "../lib64/polytrace"})
    folders.push_back((own / folder).lexically_normal());
  // The library folders of this machine's architecture, whatever it is called.
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(own / "../lib", none)) {
    if (entry.path().filename().string().ends_with("-linux-gnu"))
      folders.push_back((entry.path() / "polytrace").lexically_normal());
  }
  return folders;
}

// Programs of .NET are either libraries that `dotnet` runs or executables that bring it along.
bool is_executable(const std::string& path) {
  std::error_code none;
  return path.find('/') != path.npos && !path.ends_with(".dll") &&
         access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, none);
}

void launch_java(Launch& launch, const std::string& agent, const std::string& options) {
  launch.words.push_back(fmt::format("-agentpath:{}={}", agent, options));
}

// Mono looks for libmono-profiler-NAME.so where the loader looks for libraries.
void launch_mono(Launch& launch, const std::string& agent, const std::string& options) {
  launch.words.push_back(fmt::format("--profile=polytrace:{}", options));
  const std::string_view before = variable("LD_LIBRARY_PATH");
  launch.environment.push_back(fmt::format("LD_LIBRARY_PATH={}{}{}",
                                           fs::path(agent).parent_path().string(),
                                           before.empty() ? "" : ":", before));
}

// The variable with a number wins over the other, and the user's shell may have it.
void launch_dotnet(Launch& launch, const std::string& agent, const std::string& options,
                   const std::vector<std::string>& arguments) {
  if (is_executable(arguments.front())) launch.words.clear();
  launch.environment = {"CORECLR_ENABLE_PROFILING=1",
                        fmt::format("CORECLR_PROFILER={}", kProfilerClass),
                        "CORECLR_PROFILER_PATH=" + agent, "CORECLR_PROFILER_PATH_64=" + agent,
                        "POLYTRACE_OPTIONS=" + options};
}

}  // namespace

std::string own_path() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

std::string find_in_path(std::string_view name) {
  for (const std::string& folder : folders_of(variable("PATH"))) {
    const std::string path = fmt::format("{}/{}", folder, name);
    std::error_code none;
    if (access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, none)) return path;
  }
  return {};
}

std::span<const Runtime> runtimes() { return kRuntimes; }

const Runtime* find_runtime(std::string_view name) {
  for (const Runtime& runtime : kRuntimes) {
    if (runtime.name == name) return &runtime;
  }
  return nullptr;
}

base::result<std::string> find_program(const Runtime& runtime, const std::string& told) {
  const bool by_path = told.find('/') != told.npos;
  const std::string path =
      by_path ? told : find_in_path(told.empty() ? runtime.program : std::string_view(told));
  if (!path.empty() && access(path.c_str(), X_OK) == 0) return path;
  return base::fail(base::Code::open_failed,
                    fmt::format("no {} to run the program with{} ({})", runtime.title,
                                told.empty() ? " in PATH" : "", runtime.source));
}

// A program that was built in a source tree lies in build/PRESET of it; one of a package in
// /usr/bin.
std::string remedy_of(std::string_view package) {
  std::error_code none;
  const fs::path folder = fs::path(own_path()).parent_path();
  const fs::path tree = folder.parent_path().parent_path();
  if (folder.parent_path().filename() == "build" && access((tree / "dev").c_str(), X_OK) == 0)
    return fmt::format("{}/dev build", tree.string());
  if (folder == "/usr/bin") return fmt::format("apt install --reinstall {}", package);
  return "unpack polytrace again, with its folders bin and lib";
}

base::result<std::string> find_agent(const Runtime& runtime, const std::string& told) {
  std::error_code fault;
  if (!told.empty()) {
    const fs::path path = fs::canonical(told, fault);
    if (!fault) return path.string();
    return base::fail(base::Code::open_failed, fmt::format("{}: {}", told, fault.message()));
  }
  std::string looked;
  for (const std::string& folder : agent_folders()) {
    const fs::path path = fs::canonical(fs::path(folder) / runtime.library, fault);
    if (!fault) return path.string();
    looked += fmt::format("{}{}", looked.empty() ? "" : ", ", folder);
  }
  return base::fail(base::Code::open_failed,
                    fmt::format("no agent for {} ({}) in {}; {}", runtime.title, runtime.library,
                                looked, remedy_of("polytrace")));
}

// Both variables hold options, separated by blanks; quotes keep a word together.
Launch launch_with_children(const Runtime& runtime, const std::string& program,
                            const std::string& agent, const std::string& options,
                            const std::vector<std::string>& arguments) {
  Launch launch = launch_of(runtime, program, agent, options, {arguments.front()});
  launch.words.pop_back();
  const std::string_view name = runtime.name == "java"   ? "JAVA_TOOL_OPTIONS"
                                : runtime.name == "mono" ? "MONO_ENV_OPTIONS"
                                                         : "";
  if (!name.empty()) {
    const std::string_view before = variable(std::string(name).c_str());
    launch.environment.push_back(
        fmt::format("{}={}{}'{}'", name, before, before.empty() ? "" : " ", launch.words.back()));
    launch.words.pop_back();
  }
  launch.words.insert(launch.words.end(), arguments.begin(), arguments.end());
  return launch;
}

Launch launch_of(const Runtime& runtime, const std::string& program, const std::string& agent,
                 const std::string& options, const std::vector<std::string>& arguments) {
  Launch launch;
  launch.words.push_back(program);
  if (runtime.name == "java") launch_java(launch, agent, options);
  else if (runtime.name == "mono") launch_mono(launch, agent, options);
  else launch_dotnet(launch, agent, options, arguments);
  launch.words.insert(launch.words.end(), arguments.begin(), arguments.end());
  return launch;
}

}  // namespace polytrace::service
