// SPDX-License-Identifier: Apache-2.0
// Faults that were survived: counted per code, the first places kept, carried to every report.
// Not thread-safe: each worker fills its own table, tables are merged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace polytrace::base {

struct Occurrence {
  Place place{};
  std::string detail{};
};

struct Notice {
  Code code = Code::usage;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;           // bytes of input not decoded because of it
  Place first{};                     // the place with the smallest offset (or line)
  std::string detail{};              // of the first place
  std::vector<Occurrence> others{};  // the next places: in order when sorted() gave the notice

  static constexpr std::size_t kMostOthers = 999;
};

class Notices {
 public:
  void add(Code code, Place place, std::uint64_t bytes, std::string detail = {});
  void add(Notice notice);  // counted as often as it says
  void merge(const Notices& other);
  void clear() { notices_.clear(); }

  bool empty() const { return notices_.empty(); }
  // In order of the first place; of each notice, its other places in order.
  std::vector<Notice> sorted() const;
  const Notice* find(Code code) const;
  // 0, or the exit code of the worst notice.
  int exit_code() const;
  std::uint64_t bytes_lost() const;

 private:
  std::vector<Notice> notices_;  // one per code; a handful
};

}  // namespace polytrace::base
