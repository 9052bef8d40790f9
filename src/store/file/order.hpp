// SPDX-License-Identifier: Apache-2.0
// In which order the source told its events: which stream each is of. Within a stream events are in
// their order already, so runs of (stream, count) tell all (docs/formats/index.md, "ORDR").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::store {

inline constexpr std::uint32_t kOrderedEvents = 65536;

// The calls of a thread, or the rows of a kind.
using Stream = std::uint32_t;
constexpr Stream calls_of(std::uint32_t thread) { return 2 * thread; }
constexpr Stream rows_of(std::uint32_t kind_number) { return 2 * kind_number + 1; }
constexpr bool is_rows(Stream stream) { return stream % 2 != 0; }
constexpr std::uint32_t thread_of(Stream stream) { return stream / 2; }
constexpr std::uint32_t kind_number_of(Stream stream) { return stream / 2; }

// While an index is built. One thread at a time.
class OrderLog {
 public:
  // How many of `count` further events of one stream there is room for: full() otherwise.
  std::uint32_t add(Stream stream, std::uint32_t count);
  // Rows that are told beside events of other streams: the details of calls.
  void add_beside(Stream stream);

  bool full() const { return events_ == kOrderedEvents; }
  std::uint32_t events() const { return events_; }
  // Of the first event of the part that is open.
  std::uint64_t first_ordinal() const { return first_ordinal_; }
  // How many events or rows of the stream were told.
  std::uint64_t so_far(Stream stream) const {
    return stream < so_far_.size() ? so_far_[stream] : 0;
  }

  // Appends the payload of the open part and begins the next. REQUIRES: events() != 0.
  void finish(std::string& payload);

 private:
  std::uint32_t place_of(Stream stream);

  std::vector<std::uint64_t> so_far_;   // by stream
  std::vector<std::uint32_t> places_;   // by stream: 1 + its place in the open part; 0: not in it
  std::vector<std::uint64_t> streams_;  // of the open part
  std::vector<std::uint64_t> before_;   // of each, events or rows before the part
  std::vector<std::uint64_t> runs_;     // place of the stream in streams_
  std::vector<std::uint64_t> counts_;   // of the run's events, less one
  std::uint32_t events_ = 0;
  std::uint64_t first_ordinal_ = 0;
};

// A part of the order, checked: no place leads outside, and there are as many events as it says.
struct PartOfOrder {
  std::vector<std::uint64_t> streams;
  std::vector<std::uint64_t> before;  // by place in streams
  std::vector<std::uint64_t> places;  // of runs
  std::vector<std::uint64_t> counts;
};

// Errors: those of base::read_svb; value_unexpected where columns do not fit together.
base::result<PartOfOrder> read_order(base::Bytes payload, std::uint32_t events);

}  // namespace polytrace::store
