// SPDX-License-Identifier: Apache-2.0
// The text of a file of Chrome's trace events. Times are microseconds since the trace's start with
// three decimals: readers hold them as doubles. Errors of the sink stick. One thread at a time.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/json_writer.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"

namespace polytrace::exports {

// Microseconds with three decimals.
inline void append_microseconds(std::string& out, std::int64_t nanoseconds) {
  char digits[32];
  char* at = digits;
  auto rest = static_cast<std::uint64_t>(nanoseconds);
  if (nanoseconds < 0) {
    *at++ = '-';
    rest = 0 - rest;
  }
  at = std::to_chars(at, std::end(digits), rest / 1000).ptr;
  const auto part = static_cast<unsigned>(rest % 1000);
  *at++ = '.';
  *at++ = static_cast<char>('0' + part / 100);
  *at++ = static_cast<char>('0' + part / 10 % 10);
  *at++ = static_cast<char>('0' + part % 10);
  out.append(digits, static_cast<std::size_t>(at - digits));
}

class ChromeFile {
 public:
  // Both outlive this.
  ChromeFile(base::Sink& sink, const Origin& origin);

  // Once, before any event.
  void set_start(base::Time start) { start_ = start; }
  base::Time since_start(base::Time time) const {
    return static_cast<base::Time>(static_cast<std::uint64_t>(time) -
                                   static_cast<std::uint64_t>(start_));
  }

  // For calls, which are encoded by hand: how an event begins up to its time, and where it goes.
  std::string head(char phase, std::uint32_t tid) const;
  std::string& text() { return sink_.text(); }
  void drain() {
    if (auto drained = sink_.drain(); !drained && !failure_) failure_ = drained.error();
  }

  // Opens the object of an event; the caller adds members and ends it. 0 is the process.
  void begin_event(const char* phase, std::uint32_t tid);
  void begin_event(const char* phase, std::uint32_t tid, base::Time time, std::string_view name,
                   std::string_view category);
  base::JsonWriter& json() { return json_; }
  void end_event() { json_.end_object(); }
  void begin_arguments() {
    json_.key("args");
    json_.begin_object();
  }
  void add_counter(base::Time time, std::string_view name, double value);
  void name_process();
  void name_thread(std::uint32_t tid, std::string_view name) { add_name(tid, "thread_name", name); }

  base::result<void> state() const {
    if (failure_) return base::Unexpected(*failure_);
    return {};
  }
  // Once, after the last event.
  base::result<void> finish(const Account& account);

 private:
  base::Id pid() const { return origin_.pid == base::kNoId ? 1 : origin_.pid; }
  void add_name(std::uint32_t tid, std::string_view key, std::string_view name);

  TextSink sink_;
  base::JsonWriter json_;
  const Origin& origin_;
  base::Time start_ = 0;
  std::optional<base::Error> failure_;
};

}  // namespace polytrace::exports
