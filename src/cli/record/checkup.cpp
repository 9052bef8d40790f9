// SPDX-License-Identifier: Apache-2.0
#include "cli/record/checkup.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "agent/control/endpoint.hpp"
#include "cli/record/runtimes.hpp"
#include "cli/show/units.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;
using Findings = std::vector<Finding>;

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

void check_java(Findings& findings) {
  const std::set<std::string> homes = java_homes();
  for (const std::string& home : homes) {
    const std::string version = release_value(home, "JAVA_VERSION");
    const std::string vendor = release_value(home, "IMPLEMENTOR");
    findings.push_back({"Java",
                        Health::good,
                        fmt::format("{} {} in {}", version.empty() ? "a JVM" : version,
                                    vendor.empty() ? "" : "(" + vendor + ")", home),
                        {}});
  }
  if (homes.empty())
    findings.push_back({"Java", Health::missing, "no java in PATH or /usr/lib/jvm",
                        "Debian: apt install default-jdk-headless"});
}

void check_program(Findings& findings, std::string_view topic, std::string_view name,
                   std::string_view hint) {
  const std::string path = find_in_path(name);
  const bool found = !path.empty();
  findings.push_back({topic, found ? Health::good : Health::missing,
                      found ? path : fmt::format("no {} in PATH", name),
                      found ? std::string() : std::string(hint)});
}

bool check_agent(Findings& findings, const Runtime& runtime) {
  const auto library = find_agent(runtime, {});
  findings.push_back(
      {"Agents", library ? Health::good : Health::missing,
       library ? fmt::format("{}: {}", runtime.title, *library)
               : fmt::format("{}: {}", runtime.title, library.error().detail),
       library ? "" : "install the agents, or name their folder in POLYTRACE_AGENTS"});
  return library.has_value();
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
                      fmt::format("{}: {} free{}", what, show::bytes_text(free),
                                  writable ? "" : ", and it may not be written"),
                      free >= kEnough ? "" : "recordings take 2 to 3 bytes an event"});
}

void check_meeting(Findings& findings) {
  const std::string folder = agent::control::meeting_folder();
  const std::string above = fs::path(folder).parent_path();
  struct stat found{};
  const bool there = lstat(folder.c_str(), &found) == 0;
  const bool ours =
      there && S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 077) == 0;
  const bool good = there ? ours : access(above.c_str(), W_OK) == 0;
  findings.push_back({"Control", good ? Health::good : Health::missing,
                      fmt::format("sockets of agents: {}", folder),
                      good ? "" : "this folder must be ours alone (mode 0700)"});
}

}  // namespace

Checkup check_machine() {
  Checkup checkup;
  Findings& findings = checkup.findings;
  check_java(findings);
  check_program(findings, "Mono", "mono", "Debian: apt install mono-runtime");
  check_program(findings, ".NET", "dotnet", "https://dotnet.microsoft.com/download");
  for (const Runtime& runtime : runtimes()) {
    const bool has_agent = check_agent(findings, runtime);
    checkup.can_record |= has_agent && !find_in_path(runtime.program).empty();
  }
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
