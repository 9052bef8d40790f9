// SPDX-License-Identifier: Apache-2.0
// A history as plain lists of intervals, by the definition of every call: what the engine's answers
// are compared with. Slow on purpose.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "history/builder.hpp"
#include "history/history.hpp"

namespace polytrace::history::test {

// A value that owns its text.
struct Owned {
  Type type = Type::open;
  std::uint64_t bits = 0;
  std::string text{};

  static Owned of(const Value& value) {
    return {value.type(), value.bits(), std::string(value.text())};
  }
  Value view() const;
  friend bool operator==(const Owned&, const Owned&) = default;
};

struct Span {
  Key key = kNoKey;
  Tick start = 0;
  Tick end = 0;
  Owned value{};
  friend bool operator==(const Span&, const Span&) = default;
};
std::string to_text(const Span& span);
void PrintTo(const Span& span, std::ostream* out);

class Oracle {
 public:
  explicit Oracle(Tick start) : start_(start) {}

  void touch(Key key) { (void)lines_[key]; }
  void modify(Tick t, Key key, const Value& value);
  void insert(Key key, Tick start, Tick end, const Value& value);
  void end(Tick t, Key key);
  void close(Tick end) { end_ = end; }
  void set_none(Key key) { none_.insert(key); }

  std::vector<Span> all(Key key) const;  // in order of time
  std::optional<Span> at(Tick t, Key key) const;
  std::vector<Span> full(Tick t) const;
  std::vector<Span> range(Key key, Tick from, Tick to) const;
  std::vector<Span> sampled(Key key, const std::vector<Tick>& times) const;
  std::vector<Key> keys() const;
  Tick start() const { return start_; }
  Tick end() const { return end_; }

 private:
  // A state that begins; no value is a gap. `kept` ones stay apart from equal neighbours.
  struct Begin {
    std::optional<Owned> value;
    bool kept = false;
  };
  struct Line {
    std::map<Tick, Begin> begins;
    bool inserted_first = false;
  };
  std::vector<Span> spans(Key key, const Line& line) const;

  Tick start_;
  Tick end_ = 0;
  std::map<Key, Line> lines_;
  std::set<Key> none_;
};

// What queries of the engine give.
Span span_of(const Interval& interval);
std::vector<Span> all_of(const History& history, Key key);

}  // namespace polytrace::history::test
