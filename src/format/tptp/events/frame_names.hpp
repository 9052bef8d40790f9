// SPDX-License-Identifier: Apache-2.0
// What was defined, for messages that need it: names for the stack frames of waits and monitors,
// where messages have no ids, and the classes of the methods that are called. Also finds the method
// events that a reader made of such names: they come back with the frames and must not be written
// twice. Memory grows with definitions. One thread at a time.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/seeded_hash.hpp"
#include "event/batch.hpp"

namespace polytrace::format::tptp {

// A method event of which nothing but the name and a time is told.
struct NamedFrame {
  base::Id id;
  base::Time time;
  std::string name;
};

class FrameNames {
 public:
  void define_class(base::Id id, std::string_view name) { classes_[id] = name; }
  void define_method(base::Id id, const event::Method& method) {
    methods_[id] = {method.class_id, std::string(method.name), std::string(method.signature)};
    known_[place_of(id)] = {};
  }
  // The class of a method, kNoId when none is told. Calls ask for the same few over and over.
  base::Id class_of(base::Id method) {
    const Known& known = known_[place_of(method)];
    return known.method == method ? known.class_id : find_class(method);
  }
  // Whole (event/choice/method_names.hpp) as far as known, else the id.
  std::string name(base::Id method) const;

  // --- method events that may come back with the frames behind them ---
  void hold(NamedFrame frame) { held_.push_back(std::move(frame)); }
  bool is_full() const { return held_.size() >= kMostHeld; }
  // Those that do not: all but the last ones, if these are just what a reader makes of the stack.
  // `stack` has the outermost frame first. Nothing is held any more.
  std::vector<NamedFrame> release(std::span<const base::Id> stack, base::Time time);
  std::vector<NamedFrame> release() { return std::exchange(held_, {}); }
  bool holds_any() const { return !held_.empty(); }

 private:
  static constexpr std::size_t kMostHeld = 64 * 1024;

  struct Method {
    base::Id class_id;
    std::string name;
    std::string signature;
  };
  struct Known {
    base::Id method = base::kNoId;
    base::Id class_id = base::kNoId;
  };
  static std::size_t place_of(base::Id method) { return (method * 0x9e3779b97f4a7c15U) >> 52; }
  base::Id find_class(base::Id method);

  std::array<Known, 4096> known_{};
  base::IdMap<std::string> classes_;
  base::IdMap<Method> methods_;
  std::vector<NamedFrame> held_;
};

}  // namespace polytrace::format::tptp
