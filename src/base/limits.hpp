// SPDX-License-Identifier: Apache-2.0
// Bounds on what one input may make us hold. Every allocation whose size comes from a file is
// either bounded by the bytes at hand or by one of these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polytrace::base {

struct Limits {
  std::size_t header_text = 64 * 1024;             // one text field of a file header
  std::size_t frame_bytes = 16 * 1024 * 1024;      // one frame (buffer, block, message, line)
  std::size_t message_bytes = 64 * 1024 * 1024;    // one message of a stream of small ones
  std::size_t text_bytes = 16 * 1024 * 1024;       // one text of such a message
  std::size_t stack_depth = 64 * 1024;             // frames of one stack in it
  std::size_t merge_bytes = std::size_t{1} << 30;  // events kept for one global order
  std::uint32_t zstd_window_log = 27;              // 128 MiB window when decompressing
};

}  // namespace polytrace::base
