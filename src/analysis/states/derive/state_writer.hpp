// SPDX-License-Identifier: Apache-2.0
// Writes states at the time being replayed. What the builder refuses is left out and counted; when
// it cannot write any more, nothing further is tried. One thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/codes.hpp"
#include "base/notices.hpp"
#include "history/builder.hpp"

namespace polytrace::analysis {

class StateWriter {
 public:
  StateWriter(history::Builder& builder, base::Notices& notices)
      : builder_(builder), notices_(notices) {}

  void move_to(history::Tick now) { now_ = now; }
  history::Tick now() const { return now_; }
  const std::optional<base::Error>& error() const { return error_; }

  history::Key key(history::Key parent, std::string_view name) {
    return builder_.key(parent, name.empty() ? "(unnamed)" : name);
  }
  void declare(history::Key key, history::Type type) {
    if (auto done = builder_.declare(key, type); !done) refuse(done.error(), key);
  }
  void set(history::Key key, const history::Value& value) {
    if (error_) return;
    if (auto done = builder_.modify(now_, key, value); !done) [[unlikely]]
      refuse(done.error(), key);
  }
  // Numbers beyond the type's range become the largest one, which is told.
  void set_number(history::Key key, std::uint64_t number) {
    if (number > kMost) note(base::Code::number_clamped, key, {});
    set(key, history::Value::of(static_cast<std::int64_t>(std::min(number, kMost))));
  }
  void note(base::Code code, history::Key key, const std::string& detail);

 private:
  static constexpr std::uint64_t kMost = INT64_MAX;

  void refuse(const base::Error& error, history::Key key);

  history::Builder& builder_;
  base::Notices& notices_;
  history::Tick now_ = 0;
  std::optional<base::Error> error_;
};

// A place in the tree and the attributes below it, whose keys are made when they are first set.
// `Attribute` is an enumeration from 0 whose names are kNames[attribute].
template <class Attribute, std::size_t count>
class Attributes {
 public:
  using Names = std::array<std::string_view, count>;

  Attributes() { keys_.fill(history::kNoKey); }
  explicit Attributes(history::Key parent) : Attributes() { parent_ = parent; }

  history::Key key(StateWriter& writer, const Names& names, Attribute attribute) {
    history::Key& key = keys_[static_cast<std::size_t>(attribute)];
    if (key == history::kNoKey) [[unlikely]]
      key = writer.key(parent_, names[static_cast<std::size_t>(attribute)]);
    return key;
  }
  // Whether it was ever set.
  bool has(Attribute attribute) const {
    return keys_[static_cast<std::size_t>(attribute)] != history::kNoKey;
  }
  history::Key parent() const { return parent_; }

 private:
  history::Key parent_ = history::kRoot;
  std::array<history::Key, count> keys_;
};

inline std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a > ~b ? ~std::uint64_t{0} : a + b;
}

}  // namespace polytrace::analysis
