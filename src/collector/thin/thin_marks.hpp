// SPDX-License-Identifier: Apache-2.0
// Which windows of which processes went into the outbox as part of a row that stands for several:
// after a crash they are computed again, and are there already. A file that is only appended to.
// One thread at a time.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <tuple>

#include "collector/keep/append_file.hpp"

namespace polytrace::collector {

struct ThinMark {
  std::uint64_t series = 0;
  std::uint32_t t = 0;  // begin of the window, seconds
  std::uint8_t gen = 0;

  auto operator<=>(const ThinMark&) const = default;
};

class ThinMarks {
 public:
  // `outbox_end`: Outbox::end() of that moment. What is marked with a batch that never came there
  // is not marked, and marks of a day before the newest go. Errors: open_failed, read_failed,
  // write_failed.
  static base::result<ThinMarks> open(const std::filesystem::path& file, std::uint64_t outbox_end);

  // What was found; a process is computed again from its last checkpoint on.
  bool empty() const { return found_.empty(); }
  bool has(const ThinMark& mark) const { return found_.contains(mark); }
  // Before Outbox::sync(); on the medium when it returns. `batch`: the last of those that have
  // them. Errors: write_failed.
  base::result<void> add(std::span<const ThinMark> marks, std::uint64_t batch);

 private:
  std::set<ThinMark> found_;
  AppendFile file_;
};

}  // namespace polytrace::collector
