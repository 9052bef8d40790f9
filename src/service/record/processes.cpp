// SPDX-License-Identifier: Apache-2.0
#include "service/record/processes.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/codes.hpp"

namespace polytrace::service {
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

std::string name_of_variable(std::string_view assignment) {
  return std::string(assignment.substr(0, assignment.find('=') + 1));
}

// Our environment with the launch's variables in it.
std::vector<char*> environment_of(const Launch& launch) {
  std::vector<char*> all;
  for (char** at = environ; *at != nullptr; ++at) {
    bool replaced = false;
    for (const std::string& own : launch.environment)
      replaced |= std::string_view(*at).starts_with(name_of_variable(own));
    if (!replaced) all.push_back(*at);
  }
  for (const std::string& own : launch.environment) all.push_back(const_cast<char*>(own.c_str()));
  all.push_back(nullptr);
  return all;
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// The plan of one process of several: its own files.
RecordingPlan plan_for_process(const RecordingPlan& plan, pid_t process) {
  RecordingPlan own = plan;
  for (std::string* name : {&own.named, &own.output, &own.stream})
    *name = name_for_process(*name, std::to_string(process));
  return own;
}

// Those that have a recording under the plan.
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

}  // namespace

bool is_alive(pid_t process) { return kill(process, 0) == 0; }

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

RecordedProgram::RecordedProgram(const PreparedRecording& prepared, pid_t process)
    : plan_(prepared.plan),
      own_(prepared.children ? plan_for_process(plan_, process) : plan_),
      children_(prepared.children),
      process_(process),
      watch_(process) {}

base::result<RecordedProgram> RecordedProgram::start(const PreparedRecording& prepared,
                                                     bool output_to_error) {
  const Launch& launch = prepared.launch;
  std::set<pid_t> before;
  if (prepared.children) before = recorded_processes(prepared.plan);
  std::vector<char*> words;
  for (const std::string& word : launch.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output_to_error) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = -1;
  const int error = posix_spawn(&process, words[0], &actions, nullptr, words.data(),
                                environment_of(launch).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return base::fail(base::Code::open_failed,
                      fmt::format("{}: {}", launch.words[0], std::strerror(error)));
  RecordedProgram program(prepared, process);
  program.before_ = std::move(before);
  return program;
}

bool RecordedProgram::ended() {
  if (!children_) watch_.look();
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return false;
  ending_ = ending_of(status);
  return true;
}

void RecordedProgram::signal(int number) const { kill(process_, number); }

std::vector<RecordedProgram::Other> RecordedProgram::others() const {
  std::vector<Other> all;
  if (!children_) return all;
  for (const pid_t process : recorded_processes(plan_)) {
    if (process == process_ || before_.contains(process)) continue;
    all.push_back({process, plan_for_process(plan_, process)});
  }
  return all;
}

}  // namespace polytrace::service
