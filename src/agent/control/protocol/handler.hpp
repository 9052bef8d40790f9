// SPDX-License-Identifier: Apache-2.0
// What an agent gives the server: how to do what clients command, and the stream they get. All of
// it is called on the server's thread, one call at a time; while a call runs, nobody else is
// served.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/common/memory/status.hpp"
#include "agent/control/protocol/messages.hpp"

namespace polytrace::agent::control {

struct Counter {
  std::string name;  // "events.enter", "bytes", "drops"
  std::uint64_t value = 0;
};

// The answer to a command. By default: this agent cannot do that.
struct Reply {
  Outcome outcome = Outcome::unsupported;
  std::string text;  // for people; may be empty
  std::vector<Counter> figures;

  static Reply ok() { return {Outcome::ok, {}, {}}; }
  static Reply refused(Outcome why, std::string_view text) { return {why, std::string(text), {}}; }
};

// Who is recorded, for WELCOME.
struct Facts {
  std::string runtime;                    // "OpenJDK 64-Bit Server VM 17.0.15"
  std::string agent;                      // "polytrace-jvm 0.1.0"
  std::string clock;                      // "tsc", "monotonic"
  std::vector<std::string> capabilities;  // kinds of events that can be had
  std::vector<std::string> labels = {};   // NAME=VALUE
};

struct StartRequest {
  std::string session;              // a name, for people
  std::vector<std::string> events;  // as the option events= has them; empty: as they are
  std::uint64_t duration_ms = 0;    // 0: until STOP
  std::uint64_t limit_bytes = 0;    // 0: none
};

struct Notice {
  NoticeCode code = NoticeCode::gap;
  std::string text;
};

// What clients are told without having asked, numbered from 0 on. The last ones are kept.
class Notices {
 public:
  void add(NoticeCode code, std::string_view text) {
    if (kept_.size() == kMost) kept_.pop_front();
    kept_.push_back({code, std::string(text)});
    ++end_;
  }
  std::uint64_t end() const { return end_; }
  std::uint64_t begin() const { return end_ - kept_.size(); }
  // REQUIRES: begin() <= number < end().
  const Notice& at(std::uint64_t number) const {
    return kept_[static_cast<std::size_t>(number - begin())];
  }

 private:
  static constexpr std::size_t kMost = 64;
  std::deque<Notice> kept_;
  std::uint64_t end_ = 0;
};

// The native stream as it lies in its file: it only grows, until it has ended.
struct StreamState {
  std::uint64_t id = 0;      // another stream has another id; 0: there is none yet
  std::uint64_t length = 0;  // bytes that can be read
  bool ended = false;        // it will not grow any more
};

// Everything is defined here, so that code with and without type information may derive from it.
class Handler {
 public:
  virtual ~Handler() = default;

  virtual Facts facts() = 0;
  // Never kFailed: to clients that is kIdle.
  virtual State state() = 0;
  // Counters: events by kind, bytes, drops, stalls and so on.
  virtual Reply status() = 0;

  virtual Reply start(const StartRequest& /*request*/) { return {}; }
  virtual Reply stop() { return {}; }
  virtual Reply pause() { return {}; }
  virtual Reply resume() { return {}; }
  // The whole new list, one rule each: "class method INCLUDE". Bounds were checked.
  virtual Reply set_filters(const std::vector<std::string>& /*rules*/) { return {}; }
  virtual Reply set_option(std::string_view /*name*/, std::string_view /*value*/) { return {}; }
  virtual Reply heap_dump(std::string_view /*name*/) { return {}; }
  virtual Reply run_gc() { return {}; }
  // Returns when everything recorded before it is in the stream.
  virtual Reply flush() { return {}; }
  virtual Reply annotate(std::string_view /*text*/) { return {}; }

  // Whether something happened by itself, between commands; in how many milliseconds to look again
  // at the latest, -1 for whenever.
  virtual int look_around() { return -1; }
  const Notices& notices() const { return notices_; }

  // By default there is no stream, and so no DATA.
  virtual StreamState stream() { return {}; }
  // Bytes of the current stream from `offset` on; how many were read, 0 where there are none.
  virtual std::size_t read_stream(std::uint64_t /*offset*/, std::span<std::uint8_t> /*into*/) {
    return 0;
  }
  // The first offset at or behind `offset` that can be read: parts of a stream may be gone.
  virtual std::uint64_t next_kept(std::uint64_t offset) const { return offset; }
  // A client has everything before `offset`, durably: it need not be kept for clients.
  virtual Reply kept(std::uint64_t /*stream*/, std::uint64_t /*offset*/) { return {}; }
  // Where clients are in the current stream, as far as they read it: the server's, at each turn.
  void set_readers(std::vector<std::uint64_t> readers) { readers_ = std::move(readers); }

 protected:
  Notices notices_;
  std::vector<std::uint64_t> readers_;
};

}  // namespace polytrace::agent::control
