// SPDX-License-Identifier: Apache-2.0
#include "agent/common/runtime/introduction.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "agent/common/record/recorder.hpp"
#include "event/details.hpp"
#include "event/missing.hpp"

namespace polytrace::agent {
namespace {

void define_process(const Introduction& introduction) {
  utsname machine{};
  uname(&machine);
  const std::string shown = redacted(introduction.written);
  event::Process details;
  details.name = introduction.name;
  details.host = machine.nodename;
  details.os = "linux";
  details.architecture =
      introduction.architecture.empty() ? machine.machine : introduction.architecture;
  details.pointer_size = sizeof(void*);
  details.command = introduction.command;
  details.agent = introduction.agent;
  details.agent_version = POLYTRACE_VERSION;
  details.options = shown;
  details.runtime = introduction.runtime;
  details.runtime_version = introduction.runtime_version;
  define(details, static_cast<base::Id>(getpid()));
}

void define_rule(const Rule& rule) {
  const std::string type = rule.type.written();
  const std::string method = rule.method.written();
  event::FilterRule details;
  details.pattern = type;
  details.method = method;
  details.mode = rule.include ? "INCLUDE" : "EXCLUDE";
  define(details, base::kNoId);
}

}  // namespace

std::string command_line() {
  std::string text;
  if (std::FILE* file = std::fopen("/proc/self/cmdline", "re"); file != nullptr) {
    char buffer[4096];
    const std::size_t size = std::fread(buffer, 1, sizeof buffer, file);
    std::fclose(file);
    text.assign(buffer, size);
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text)
    if (c == '\0') c = ' ';
  return redacted(text);
}

void introduce(const Introduction& introduction, const Options& options, const Filters& filters) {
  define_process(introduction);
  for (const auto& [key, value] : options.settings) define_setting(key, value);
  for (const auto& [key, value] : options.labels) define_setting("label." + key, value);
  for (const auto& [key, value] : introduction.own) define_setting(key, value);
  define_filters(filters);
}

void define_setting(std::string_view key, std::string_view value) {
  define(event::Setting{.key = key, .value = value}, base::kNoId);
}

void define_filters(const Filters& filters) {
  for (const Rule& rule : filters.rules()) define_rule(rule);
  // Who reads them need not know how they were written.
  if (filters.leaves_out_the_rest()) {
    Rule rest;
    rest.include = false;
    define_rule(rest);
  }
}

// Two threads may both define it, which does no harm.
base::Id truncated_frame() {
  static constinit std::atomic<std::uint64_t> told{0};  // when the recording started
  const std::uint64_t recording = Recorder::the().status().started.load(std::memory_order_relaxed);
  if (told.load(std::memory_order_acquire) == recording) return kTruncatedFrame;
  if (define(event::Method{.name = event::kTruncated}, kTruncatedFrame))
    told.store(recording, std::memory_order_release);
  return kTruncatedFrame;
}

}  // namespace polytrace::agent
