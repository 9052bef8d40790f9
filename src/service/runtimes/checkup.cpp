// SPDX-License-Identifier: Apache-2.0
#include "service/runtimes/checkup.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/control/protocol/endpoint.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "service/runtimes/runtimes.hpp"
#include "sql/duck_engine.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;
using Findings = std::vector<Finding>;

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

void add_runtime(Checkup& checkup, const Runtime& runtime, InstalledRuntime one) {
  const std::string_view name = runtime.name;
  const Abilities& able = abilities_of(name);
  FoundRuntime found{.name = name,
                     .version = std::move(one.version),
                     .path = std::move(one.path),
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
  else found.command = has_agent ? std::string(able.remedy) : remedy_of("polytrace");
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

void add_none(Checkup& checkup, const Runtime& runtime) {
  checkup.findings.push_back(
      {runtime.title, Health::missing,
       fmt::format("no {} in PATH{}", runtime.program,
                   runtime.name == "java" ? ", JAVA_HOME or /usr/lib/jvm" : ""),
       std::string(abilities_of(runtime.name).remedy)});
}

void check_runtime(Checkup& checkup, const Runtime& runtime) {
  std::vector<InstalledRuntime> all = installed(runtime);
  for (InstalledRuntime& one : all) add_runtime(checkup, runtime, std::move(one));
  if (all.empty()) add_none(checkup, runtime);
}

void check_agent(Findings& findings, const Runtime& runtime) {
  const auto library = find_agent(runtime, {});
  findings.push_back({"Agents", library ? Health::good : Health::missing,
                      library ? fmt::format("{}: {}", runtime.title, *library)
                              : fmt::format("{}: no {}", runtime.title, runtime.library),
                      library ? "" : remedy_of("polytrace")});
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

// What faster queries and Parquet need; nothing else does.
void check_duckdb(Findings& findings) {
  const auto found = sql::find_duckdb();
  findings.push_back(
      {"SQL", found ? Health::good : Health::note,
       found ? fmt::format("DuckDB {} in {}", found->version, found->file)
             : "no DuckDB: sql --engine duckdb and Parquet need it",
       found ? "" : found.error().detail + "; POLYTRACE_DUCKDB=FILE names a libduckdb.so"});
}

void runtimes_json(base::JsonWriter& json, const Checkup& checkup) {
  const auto list = [&](std::string_view key, const std::vector<std::string_view>& words) {
    json.key(key);
    json.begin_array();
    for (const std::string_view word : words) json.value(word);
    json.end_array();
  };
  json.key("runtimes");
  json.begin_array();
  for (const FoundRuntime& found : checkup.runtimes) {
    json.begin_object();
    json.member("name", found.name);
    json.member("version", found.version);
    json.member("path", found.path);
    json.member("can_record", found.can_record);
    json.member("can_attach", found.can_attach);
    list("events", found.kinds);
    list("lacking", found.lacking);
    json.member("why_not", found.why);
    json.member("command", found.command);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Checkup check_machine() {
  Checkup checkup;
  for (const Runtime& runtime : runtimes()) check_runtime(checkup, runtime);
  Findings& findings = checkup.findings;
  for (const Runtime& runtime : runtimes()) check_agent(findings, runtime);
  check_clock(findings);
  check_room(findings, "this folder", ".");
  check_room(findings, "/dev/shm", "/dev/shm");
  check_meeting(findings);
  check_duckdb(findings);
  return checkup;
}

std::string_view name_of(Health health) {
  if (health == Health::good) return "ok";
  return health == Health::missing ? "missing" : "note";
}

std::string next_command(const Checkup& checkup) {
  for (const FoundRuntime& found : checkup.runtimes) return found.command;
  for (const Finding& finding : checkup.findings)
    if (!finding.hint.empty()) return finding.hint;
  return "polytrace help record";
}

std::string doctor_json(const Checkup& checkup) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.doctor/1");
  json.member("can_record", checkup.can_record);
  runtimes_json(json, checkup);
  json.key("findings");
  json.begin_array();
  for (const Finding& finding : checkup.findings) {
    json.begin_object();
    json.member("topic", finding.topic);
    json.member("health", name_of(finding.health));
    json.member("text", finding.text);
    json.member("hint", finding.hint);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
