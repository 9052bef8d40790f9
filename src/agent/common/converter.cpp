// SPDX-License-Identifier: Apache-2.0
#include "agent/common/converter.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace polytrace::agent {
namespace {

bool runs(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

std::string beside_this_library() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&find_converter), &about) == 0 ||
      about.dli_fname == nullptr)
    return {};
  const std::string_view path = about.dli_fname;
  const std::size_t slash = path.rfind('/');
  const std::string folder(slash == std::string_view::npos ? "." : path.substr(0, slash));
  for (const char* const place : {"/polytrace", "/../bin/polytrace", "/../../bin/polytrace"})
    if (runs(folder + place)) return folder + place;
  return {};
}

std::string in_path() {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate(rest.substr(0, end));
    candidate += "/polytrace";
    if (end != 0 && runs(candidate)) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

// What a child shall not inherit from a process that ignores and blocks what it likes.
struct Attributes {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;

  explicit Attributes(int input) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&files);
    sigset_t set;
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    // Its words go where ours go, and never among those of the program.
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  }
  ~Attributes() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

// Ours, without what would load an agent into the child.
std::vector<char*> environment_of_child() {
  static char off[] = "POLYTRACE_AGENT=off";
  std::vector<char*> all;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    if (!entry.starts_with("LD_PRELOAD=") && !entry.starts_with("POLYTRACE_AGENT="))
      all.push_back(*at);
  }
  all.push_back(off);
  all.push_back(nullptr);
  return all;
}

int spawn(const std::string& program, const Options& options, const std::string& file, int input,
          pid_t& process) {
  const Attributes with(input);
  const std::string words[] = {program,        "convert",      "-",  "--to",
                               options.format, "--leave-open", "-o", file};
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_of_child();
  return posix_spawn(&process, program.c_str(), &with.files, &with.attributes, arguments.data(),
                     environment.data());
}

}  // namespace

std::string find_converter(const Options& options) {
  if (!options.converter.empty()) return runs(options.converter) ? options.converter : "";
  const char* const named = std::getenv("POLYTRACE");
  if (named != nullptr && runs(named)) return named;
  std::string beside = beside_this_library();
  return beside.empty() ? in_path() : beside;
}

Converter start_converter(const Options& options, const std::string& file, Faults& faults) {
  Converter converter;
  const std::string program = find_converter(options);
  if (program.empty()) {
    faults.push_back("format=" + options.format +
                     ": the program polytrace was not found; tell it with converter=");
    return converter;
  }
  if (access(file.c_str(), F_OK) == 0) {
    faults.push_back("file=" + file + ": " + std::strerror(EEXIST));
    return converter;
  }
  int ends[2] = {-1, -1};
  int error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
  if (error == 0) error = spawn(program, options, file, ends[0], converter.process);
  if (ends[0] >= 0) close(ends[0]);
  if (error != 0) {
    if (ends[1] >= 0) close(ends[1]);
    faults.push_back(program + ": " + std::strerror(error));
    return converter;
  }
  constexpr int kPipeBytes = 1 << 20;
  fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  fcntl(ends[1], F_SETFL, O_WRONLY | O_NONBLOCK);
  converter.input = ends[1];
  return converter;
}

}  // namespace polytrace::agent
