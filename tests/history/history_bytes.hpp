// SPDX-License-Identifier: Apache-2.0
// Files of histories as bytes, for tests that damage them.
#pragma once

#include <span>

#include "history/layout/container.hpp"
#include "history/random_history.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::history::test {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Offsets of all frames, and the end of the last one.
inline std::vector<std::uint64_t> frame_offsets(std::span<const std::byte> file) {
  std::vector<std::uint64_t> offsets{kHeaderSize};
  while (const auto frame = base::frame_at(file, offsets.back()))
    offsets.push_back(base::next_frame(frame->end()));
  return offsets;
}

// What `part` tells is what `whole` tells of the time up to part's end.
inline void expect_prefix(const History& part, const Oracle& whole) {
  for (const Key key : part.keys()) {
    for (const Span& span : all_of(part, key)) {
      const auto known = whole.at(span.start, key);
      ASSERT_TRUE(known) << to_text(span);
      EXPECT_EQ(known->start, span.start);
      EXPECT_EQ(std::min(known->end, part.facts().end), span.end) << to_text(span);
      EXPECT_EQ(known->value, span.value);
    }
  }
}

}  // namespace polytrace::history::test
