// SPDX-License-Identifier: Apache-2.0
#include "cli/record/children.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kDeepest = 32;

// What the runtimes are in: of Mono, Debian's has it in the program itself.
constexpr std::array<std::string_view, 4> kRuntimeFiles = {"/libjvm.so", "/libcoreclr.so",
                                                           "/libmonosgen-2.0.so", "/mono-sgen"};

bool has_runtime(pid_t process) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    const auto names = [&](std::string_view file) {
      const std::size_t at = line.rfind(file);
      const std::size_t end = at + file.size();
      return at != line.npos && (end == line.size() || line[end] == '.');
    };
    if (std::ranges::any_of(kRuntimeFiles, names)) return true;
  }
  return false;
}

// The number between the beginning and the end of a file's name; 0: it is another file.
pid_t process_of(std::string_view name, std::string_view begin, std::string_view end) {
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size())
    return 0;
  name = name.substr(begin.size(), name.size() - begin.size() - end.size());
  pid_t process = 0;
  const auto [at, fault] = std::from_chars(name.data(), name.data() + name.size(), process);
  return fault == std::errc{} && at == name.data() + name.size() && process > 0 ? process : 0;
}

}  // namespace

std::string name_for_process(const std::string& path, std::string_view process) {
  fs::path name = path;
  const std::string extension = name.extension();
  return name.replace_extension(fmt::format(".{}{}", process, extension)).string();
}

RecordingPlan plan_for_process(const RecordingPlan& plan, pid_t process) {
  RecordingPlan own = plan;
  own.stream = name_for_process(plan.stream, std::to_string(process));
  own.output = name_for_process(plan.output, std::to_string(process));
  return own;
}

std::set<pid_t> recorded_processes(const RecordingPlan& plan) {
  const fs::path stream = plan.stream;
  const std::string begin = stream.stem().string() + '.';
  const std::string end = stream.extension();
  std::set<pid_t> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(stream.parent_path(), none))
    if (const pid_t process = process_of(entry.path().filename().string(), begin, end))
      all.insert(process);
  return all;
}

void ChildWatch::look() {
  constexpr std::chrono::milliseconds kPause{40};
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kPause) return;
  last_ = now;
  look_below(above_, 0);
}

// Each thread has children of its own.
void ChildWatch::look_below(pid_t process, unsigned depth) {
  std::error_code none;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), none)) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) {
      if (!seen_.contains(child) && has_runtime(child)) seen_.insert(child);
      if (depth < kDeepest) look_below(child, depth + 1);
    }
  }
}

void finish_children(const Session& session, const RecordingPlan& plan,
                     const std::set<pid_t>& others) {
  for (const pid_t process : recorded_processes(plan)) {
    if (others.contains(process)) continue;
    const RecordingPlan own = plan_for_process(plan, process);
    const std::string name = fs::path(own.output).filename();
    if (kill(process, 0) == 0)
      session.remark(fmt::format("{}: process {} still runs and records", name, process));
    else finish_child(session, own);
  }
}

}  // namespace polytrace::cli
