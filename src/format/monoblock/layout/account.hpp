// SPDX-License-Identifier: Apache-2.0
// Accounts for the bytes of one block: each piece that was decoded is counted as a record or as
// framing, so what is left when decoding stops is what was lost.
#pragma once

#include "base/io/cursor.hpp"
#include "event/tally.hpp"
#include "format/monoblock/layout/records.hpp"

namespace polytrace::format::monoblock {

class Account {
 public:
  Account(base::Cursor& in, event::Tally& tally) : in_(in), tally_(tally), kept_(in.at()) {}

  void framing() { tally_.frame_bytes += take(); }
  void record(std::uint8_t number) {
    ++tally_.records[number].count;
    tally_.records[number].bytes += take();
  }
  void record(Record number) { record(static_cast<std::uint8_t>(number)); }
  // Bytes that were decoded and counted elsewhere.
  std::uint64_t take() {
    const auto bytes = static_cast<std::uint64_t>(in_.at() - kept_);
    kept_ = in_.at();
    return bytes;
  }
  std::uint64_t left() const { return static_cast<std::uint64_t>(in_.end() - kept_); }

 private:
  base::Cursor& in_;
  event::Tally& tally_;
  const std::byte* kept_;
};

}  // namespace polytrace::format::monoblock
