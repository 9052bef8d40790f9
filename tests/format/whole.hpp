// SPDX-License-Identifier: Apache-2.0
// Reading a whole input at once, with all that is known about it afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/format.hpp"

namespace polytrace::format::test {

struct ReadHow {
  std::size_t step = 0;  // bytes per read of the source, 0 = all
  bool resync = false;
  bool text = true;  // false: only count events
  std::size_t longest_frame = base::Limits{}.frame_bytes;
};

struct Whole {
  std::optional<base::Error> open_error;
  std::optional<base::Error> read_error;
  std::string format;
  std::string version;
  event::Tally tally;
  base::Notices notices;
  std::uint64_t events = 0;
  std::vector<std::string> lines;  // canonical text

  // Bytes decoded, and bytes told not to be.
  std::uint64_t accounted() const {
    return tally.frame_bytes + tally.record_bytes() + notices.bytes_lost();
  }
};

// Without the events that tell the file header (Process, Clock).
std::vector<std::string> without_header(const std::vector<std::string>& lines);

Whole read_whole(std::unique_ptr<base::Source> source, const ReadHow& how = {});
Whole read_whole(std::vector<std::byte> bytes, const ReadHow& how = {});

struct Written {
  std::vector<std::byte> bytes;
  event::Loss loss;
};

// Writes canonical lines (one batch of them after another), then finishes.
base::result<Written> write_lines(const Format& format, std::string_view version,
                                  const std::vector<std::string>& lines,
                                  std::optional<std::endian> byte_order = {});

}  // namespace polytrace::format::test
