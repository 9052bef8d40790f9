// SPDX-License-Identifier: Apache-2.0
// Puts any number of happenings in order of time in bounded memory; those of one time stay in the
// order they came in. What is in order already is only copied. Sorted runs lie in a temporary
// file, packed, and are merged at the end. One thread at a time.
#pragma once

#include <optional>
#include <vector>

#include "analysis/states/gather/happening.hpp"
#include "analysis/states/gather/sorted_merge.hpp"
#include "base/io/appender.hpp"
#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "history/write/scratch_file.hpp"

namespace polytrace::analysis {

class HappeningSorter {
 public:
  // Keeps about `most_bytes` in memory, 64 KiB at least.
  explicit HappeningSorter(std::size_t most_bytes);

  void add(const Happening& happening) {
    if (held_.size() >= grown_) [[unlikely]]
      make_room();
    if (held_.empty() || happening.time < held_.end()[-1].time) pieces_.push_back(held_.size());
    held_.push(happening);
  }
  // write_failed: what came later is lost.
  const std::optional<base::Error>& error() const { return error_; }
  std::uint64_t size() const { return spilled_ + held_.size(); }

  // Calls each(const Happening&), bool, until it says false. Once, after the last add().
  // Errors: write_failed, read_failed.
  template <class Each>
  base::result<void> deliver(Each&& each);

 private:
  // A piece of held_ that is in order.
  class Piece {
   public:
    Piece(const Happening* at, const Happening* end) : at_(at), end_(end) {}
    const Happening& head() const { return *at_; }
    bool next() { return ++at_ != end_; }

   private:
    const Happening* at_;
    const Happening* end_;
  };
  // A run in the file.
  class Run {
   public:
    Run(const history::ScratchFile& file, std::uint64_t begin, std::uint64_t end, std::size_t room,
        std::optional<base::Error>& error);
    const Happening& head() const { return head_; }
    bool next();

   private:
    void refill();
    std::uint64_t number();

    const history::ScratchFile* file_;
    std::uint64_t next_;
    std::uint64_t end_;
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
    std::size_t have_ = 0;
    Happening head_{};
    std::optional<base::Error>* error_;
  };

  std::vector<Piece> pieces() const;
  std::vector<Run> runs();
  void make_room();
  void spill();
  void write();

  std::size_t most_held_;
  std::size_t grown_;  // there is no room for more
  base::RawArray<Happening> held_;
  std::vector<std::size_t> pieces_;  // where each one begins
  history::ScratchFile file_;
  std::vector<std::uint64_t> ends_;  // of the runs in the file
  std::uint64_t spilled_ = 0;
  base::Appender packed_;
  std::optional<base::Error> error_;
};

template <class Each>
base::result<void> HappeningSorter::deliver(Each&& each) {
  if (ends_.empty()) {
    auto sources = pieces();
    merge_sorted(sources, each);
    return {};
  }
  spill();
  held_ = {};
  if (!error_) {
    auto sources = runs();
    if (!error_) merge_sorted(sources, each);
  }
  if (error_) return base::Unexpected(*error_);
  return {};
}

}  // namespace polytrace::analysis
