// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/converter.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "agent/common/tools/child.hpp"

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
  const char* const path = secure_getenv("PATH");
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

// Its words go where ours go, and never among those of the program.
int start_program(const std::string& program, const Options& options, const std::string& file,
                  int input, int segments, pid_t& process) {
  const std::string words[] = {
      program,        "convert",      "-",         "--segments", "/dev/fd/3", "--to",
      options.format, "--leave-open", "--private", "-o",         file};
  return start_child(words, {input, STDERR_FILENO, STDERR_FILENO, segments}, process);
}

}  // namespace

std::string find_converter(const Options& options) {
  if (!options.converter.empty()) return runs(options.converter) ? options.converter : "";
  const char* const named = secure_getenv("POLYTRACE");
  if (named != nullptr && runs(named)) return named;
  std::string beside = beside_this_library();
  return beside.empty() ? in_path() : beside;
}

Converter start_converter(const Options& options, const std::string& file, int segments,
                          Faults& faults) {
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
  if (error == 0)
    error = start_program(program, options, file, ends[0], segments, converter.process);
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
