// SPDX-License-Identifier: Apache-2.0
// Faults that were survived: counted per code, the first places kept, carried to every report.
// Not thread-safe: each worker fills its own table, tables are merged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace polytrace::base {

struct Occurrence {
  Place place{};
  std::string detail{};
};

struct Notice {
  Code code{};
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;           // bytes of input not decoded because of it
  Place first{};                     // the place with the smallest offset (or line)
  std::string detail{};              // of the first place
  std::vector<Occurrence> others{};  // the next places: in order when sorted() gave the notice

  static constexpr std::size_t kMostOthers = 999;
};

class Notices {
 public:
  // How much was made so far of what the faults are of: asked when the first one is added.
  using Made = std::function<std::uint64_t()>;

  Notices() = default;
  explicit Notices(Made made) : made_(std::move(made)) {}
  // A copy is of something else: it has the faults only.
  Notices(const Notices& other) : notices_(other.notices_), first_behind_(other.first_behind_) {}
  Notices& operator=(const Notices& other) {
    notices_ = other.notices_;
    first_behind_ = other.first_behind_;
    return *this;
  }
  ~Notices() = default;

  void add(Code code, Place place, std::uint64_t bytes, std::string detail = {});
  void add(Notice notice);  // counted as often as it says
  void merge(const Notices& other);
  void clear() { notices_.clear(); }
  // How much had been made before the first fault; 0 where nobody counted.
  std::uint64_t first_behind() const { return first_behind_; }

  bool empty() const { return notices_.empty(); }
  // In order of the first place; of each notice, its other places in order.
  std::vector<Notice> sorted() const;
  const Notice* find(Code code) const;
  // 0, or the exit code of the worst notice.
  int exit_code() const;
  std::uint64_t bytes_lost() const;

 private:
  void stand_behind_made() {
    if (notices_.empty()) first_behind_ = made_ ? made_() : 0;
  }

  std::vector<Notice> notices_;  // one per code; a handful
  Made made_;
  std::uint64_t first_behind_ = 0;
};

}  // namespace polytrace::base
