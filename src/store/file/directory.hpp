// SPDX-License-Identifier: Apache-2.0
// The directory of an index: one entry for each frame with content, in order of writing, and the
// root that finds it (docs/formats/index.md, "Directory").
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/frames/frames.hpp"
#include "base/io/appender.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::store {

// The kinds of frame_kinds.def, as the numbers that stand in the file.
namespace frame {
#define FRAME(name, letters, ...) inline constexpr std::uint32_t name = base::frame_kind(#letters);
#include "store/file/frame_kinds.def"
#undef FRAME
}  // namespace frame

// What is known of a frame without touching it.
struct Entry {
  std::uint32_t kind = 0;    // of frame::
  std::uint32_t stream = 0;  // thread index (calls, ends, call sums), kind number (rows), else 0
  std::uint32_t level = 0;   // and 256 x sort of sums
  std::uint32_t count = 0;   // events, rows, entries
  std::uint64_t number = 0;  // of its first block, row, path, text, ordinal or chunk
  base::Time least = 0;      // of what has a time, else 0
  base::Time greatest = 0;
  std::uint64_t offset = 0;  // of the frame; filled in when it is written, as are these:
  std::uint64_t length = 0;  // of the payload as it is stored
  std::uint32_t sum = 0;     // CRC-32C of the payload as it is stored
};
inline constexpr std::size_t kEntryBytes = 64;
inline constexpr std::size_t kEntriesPerFrame = 4096;

void encode(const Entry& entry, base::Appender& to);
// REQUIRES: kEntryBytes bytes.
Entry decode_entry(base::Bytes bytes);

struct Totals {
  std::uint64_t events = 0;
  std::uint64_t blocks = 0;  // of calls
  std::uint64_t paths = 0;
  std::uint64_t texts = 0;
  std::uint64_t threads = 0;
  std::uint64_t methods = 0;
  std::uint64_t classes = 0;
  base::Time origin = base::kNoTime;  // of the first event in the source's order; no event: kNoTime
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;
  base::Time settled = base::kNoTime;
};

struct Root {
  std::vector<std::uint64_t> directory{};  // offsets of the directory's frames
  Totals totals{};
};
void encode(const Root& root, base::Appender& to);

// Errors: field_past_end, count_too_large, trailing_bytes; `offset` is the payload's.
base::result<Root> decode_root(base::Bytes payload, std::uint64_t offset);
// Appends the entries of one frame of the directory. Errors: value_unexpected.
base::result<void> decode_entries(base::Bytes payload, std::uint64_t offset,
                                  std::vector<Entry>& to);

}  // namespace polytrace::store
