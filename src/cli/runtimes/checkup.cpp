// SPDX-License-Identifier: Apache-2.0
#include "cli/runtimes/checkup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "agent/control/protocol/endpoint.hpp"
#include "base/text/figure_text.hpp"
#include "service/runtimes/runtimes.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;
using Findings = std::vector<Finding>;
using service::agent_remedy;
using service::find_agent;
using service::find_in_path;
using service::find_runtime;
using service::Runtime;

// The value of a line NAME="VALUE" in a JDK's file `release`.
std::string release_value(const fs::path& home, std::string_view name) {
  std::ifstream file(home / "release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() + 2) continue;
    const std::string value = line.substr(name.size() + 1);
    return value.starts_with('"') ? value.substr(1, value.size() - 2) : value;
  }
  return {};
}

// Homes of JDKs: of java in PATH, $JAVA_HOME, and where distributions put them.
std::set<std::string> java_homes() {
  std::set<std::string> homes;
  std::error_code none;
  const auto add = [&](const fs::path& home) {
    const fs::path real = fs::canonical(home, none);
    if (!none && access((real / "bin/java").c_str(), X_OK) == 0) homes.insert(real);
  };
  const fs::path java = fs::canonical(find_in_path("java"), none);
  if (!none) add(java.parent_path().parent_path());
  if (const char* home = std::getenv("JAVA_HOME"); home != nullptr) add(home);
  for (const auto& entry : fs::directory_iterator("/usr/lib/jvm", none)) add(entry.path());
  return homes;
}

// What each agent tells. Kinds that it refuses are said when a recording asks for them.
struct Abilities {
  std::string_view runtime;
  std::vector<std::string_view> kinds;
  std::vector<std::string_view> lacking;
  std::string_view example;  // a program
  std::string_view remedy;   // how to get the runtime
};
const std::vector<Abilities>& abilities() {
  static const std::vector<Abilities> all = {
      {"java",
       {"calls", "threads", "gc", "monitors", "exceptions", "alloc"},
       {"jit", "classes", "counters", "samples"},
       "-jar app.jar",
       "apt install default-jdk-headless"},
      {"mono",
       {"calls", "threads", "gc", "monitors", "exceptions", "alloc", "jit", "classes", "counters",
        "samples"},
       {},
       "app.exe",
       "apt install mono-runtime"},
      {"dotnet",
       {"calls", "threads", "gc", "monitors", "exceptions", "alloc", "jit", "classes", "samples"},
       {"counters"},
       "app.dll",
       "https://dotnet.microsoft.com/download"}};
  return all;
}

const Abilities& abilities_of(std::string_view runtime) {
  return *std::ranges::find(abilities(), runtime, &Abilities::runtime);
}

// What the program of a runtime says about itself, line by line; nothing where it cannot be run.
std::vector<std::string> lines_of(const std::string& program, const char* option) {
  std::vector<std::string> lines;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return lines;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char* const words[] = {const_cast<char*>(program.c_str()), const_cast<char*>(option), nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::FILE* const said = fdopen(ends[0], "r");
  char line[512];
  while (error == 0 && std::fgets(line, sizeof line, said) != nullptr) {
    lines.emplace_back(line);
    while (!lines.back().empty() && lines.back().back() == '\n') lines.back().pop_back();
  }
  std::fclose(said);
  if (error == 0) waitpid(child, nullptr, 0);
  return lines;
}

// "Mono JIT compiler version 6.8.0.105 (Debian ...)"
std::string mono_version(const std::string& program) {
  constexpr std::string_view kMark = " version ";
  for (const std::string& line : lines_of(program, "--version")) {
    const std::size_t at = line.find(kMark);
    if (at == line.npos) continue;
    const std::string rest = line.substr(at + kMark.size());
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

// "Microsoft.NETCore.App 10.0.0 [/usr/share/dotnet/shared/Microsoft.NETCore.App]"
std::vector<std::string> dotnet_versions(const std::string& program) {
  constexpr std::string_view kRuntime = "Microsoft.NETCore.App ";
  std::vector<std::string> versions;
  for (const std::string& line : lines_of(program, "--list-runtimes")) {
    if (!line.starts_with(kRuntime)) continue;
    const std::string rest = line.substr(kRuntime.size());
    versions.push_back(rest.substr(0, rest.find(' ')));
  }
  return versions;
}

unsigned major_of(const std::string& version) {
  return static_cast<unsigned>(std::strtoul(version.c_str(), nullptr, 10));
}

// Versions before the oldest that an agent works with; "" for all others.
std::string too_old(std::string_view runtime, const std::string& version) {
  if (version.empty()) return {};
  const unsigned major = major_of(version);
  if (runtime == "mono" && major < 6) return "too old: 6.0 is the oldest that works";
  if (runtime == "dotnet" && major < 5) return "too old: 5.0 is the oldest that works";
  if (runtime == "java" && major < 8 && !version.starts_with("1.8"))
    return "too old: 8 is the oldest that works";
  return {};
}

// Whether PATH leads to it: else `record` must be told.
std::string command_for(const FoundRuntime& found, const Runtime& runtime) {
  std::error_code none;
  const std::string in_path = find_in_path(runtime.program);
  const bool is_first = !in_path.empty() && fs::equivalent(in_path, found.path, none);
  return fmt::format("polytrace record {}{} {}", is_first ? "" : "--runtime " + found.path + " ",
                     runtime.name, abilities_of(runtime.name).example);
}

void add_runtime(Checkup& checkup, std::string_view name, std::string version, std::string path) {
  const Runtime& runtime = *find_runtime(name);
  const Abilities& able = abilities_of(name);
  FoundRuntime found{.name = name,
                     .version = std::move(version),
                     .path = std::move(path),
                     .kinds = able.kinds,
                     .lacking = able.lacking,
                     .why = {},
                     .command = {}};
  const bool has_agent = find_agent(runtime, {}).has_value();
  found.why = too_old(name, found.version);
  if (found.why.empty() && !has_agent) found.why = "no agent: " + std::string(runtime.library);
  found.can_record = found.why.empty();
  found.can_attach = found.can_record && name == "java";
  if (found.can_record) found.command = command_for(found, runtime);
  else found.command = has_agent ? std::string(able.remedy) : agent_remedy();
  // Sampling allocations came with 11.
  if (name == "java" && major_of(found.version) < 11 && !found.version.empty())
    found.lacking.push_back("alloc=sampled");
  checkup.can_record |= found.can_record;
  checkup.findings.push_back(
      {runtime.title, found.can_record ? Health::good : Health::missing,
       fmt::format("{} in {}", found.version.empty() ? "version unknown" : found.version,
                   found.path),
       found.can_record ? "" : found.why + ": " + found.command});
  checkup.runtimes.push_back(std::move(found));
}

void add_none(Checkup& checkup, std::string_view name) {
  const Runtime& runtime = *find_runtime(name);
  checkup.findings.push_back({runtime.title, Health::missing,
                              fmt::format("no {} in PATH{}", runtime.program,
                                          name == "java" ? ", JAVA_HOME or /usr/lib/jvm" : ""),
                              std::string(abilities_of(name).remedy)});
}

void check_java(Checkup& checkup) {
  const std::set<std::string> homes = java_homes();
  for (const std::string& home : homes)
    add_runtime(checkup, "java", release_value(home, "JAVA_VERSION"), home + "/bin/java");
  if (homes.empty()) add_none(checkup, "java");
}

void check_mono(Checkup& checkup) {
  const std::string path = find_in_path("mono");
  if (path.empty()) add_none(checkup, "mono");
  else add_runtime(checkup, "mono", mono_version(path), path);
}

void check_dotnet(Checkup& checkup) {
  const std::string path = find_in_path("dotnet");
  if (path.empty()) return add_none(checkup, "dotnet");
  std::vector<std::string> versions = dotnet_versions(path);
  if (versions.empty()) versions.emplace_back();
  for (std::string& version : versions) add_runtime(checkup, "dotnet", std::move(version), path);
}

void check_agent(Findings& findings, const Runtime& runtime) {
  const auto library = find_agent(runtime, {});
  findings.push_back({"Agents", library ? Health::good : Health::missing,
                      library ? fmt::format("{}: {}", runtime.title, *library)
                              : fmt::format("{}: no {}", runtime.title, runtime.library),
                      library ? "" : agent_remedy()});
}

// Events take their time from the processor's counter where that runs evenly.
void check_clock(Findings& findings) {
  std::ifstream file("/proc/cpuinfo");
  std::string flags;
  for (std::string line; flags.empty() && std::getline(file, line);) {
    if (line.starts_with("flags")) flags = line + ' ';
  }
  const bool even =
      flags.find(" constant_tsc ") != flags.npos && flags.find(" nonstop_tsc ") != flags.npos;
  findings.push_back({"Clock",
                      even ? Health::good : Health::note,
                      even ? "the processor's counter runs evenly: 10 ns an event"
                           : "the processor's counter may not run evenly: the system's clock is "
                             "taken, at 20 to 30 ns an event",
                      {}});
}

void check_room(Findings& findings, std::string_view what, const std::string& folder) {
  struct statvfs room{};
  const bool known = statvfs(folder.c_str(), &room) == 0;
  const std::uint64_t free = known ? std::uint64_t{room.f_bavail} * room.f_frsize : 0;
  constexpr std::uint64_t kEnough = 256U << 20;
  const bool writable = access(folder.c_str(), W_OK) == 0;
  findings.push_back({"Room", writable && free >= kEnough ? Health::good : Health::missing,
                      fmt::format("{}: {} free{}", what, base::bytes_text(free),
                                  writable ? "" : ", and it may not be written"),
                      free >= kEnough ? "" : "recordings take 2 to 3 bytes an event"});
}

void check_meeting(Findings& findings) {
  const std::string folder = agent::control::meeting_folder();
  const std::string above = fs::path(folder).parent_path();
  struct stat found{};
  const bool there = lstat(folder.c_str(), &found) == 0;
  const bool good = there ? agent::control::is_private_folder(folder, geteuid())
                          : access(above.c_str(), W_OK) == 0;
  findings.push_back({"Control", good ? Health::good : Health::missing,
                      fmt::format("sockets of agents: {}", folder),
                      good ? "" : "this folder must be ours alone (mode 0700)"});
}

}  // namespace

Checkup check_machine() {
  Checkup checkup;
  check_java(checkup);
  check_mono(checkup);
  check_dotnet(checkup);
  Findings& findings = checkup.findings;
  for (const Runtime& runtime : service::runtimes()) check_agent(findings, runtime);
  check_clock(findings);
  check_room(findings, "this folder", ".");
  check_room(findings, "/dev/shm", "/dev/shm");
  check_meeting(findings);
  return checkup;
}

std::string_view name_of(Health health) {
  if (health == Health::good) return "ok";
  return health == Health::missing ? "missing" : "note";
}

}  // namespace polytrace::cli
