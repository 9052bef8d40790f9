// SPDX-License-Identifier: Apache-2.0
// The file header and the buffer headers (docs/formats/mlpd.md, sections 2.1 and 2.2).
#pragma once

#include <string>

#include "base/io/appender.hpp"
#include "base/io/cursor.hpp"
#include "base/io/source.hpp"

namespace polytrace::format::mlpd {

inline constexpr std::uint32_t kFileId = 0x4D505A01;
inline constexpr std::uint32_t kBufferId = 0x4D504C01;
inline constexpr std::size_t kBufferHeaderBytes = 48;
inline constexpr unsigned kLastVersion = 17;

struct FileHeader {
  std::uint8_t major = 3;
  std::uint8_t minor = 0;
  std::uint8_t version = kLastVersion;  // the data version: decides every layout
  std::uint8_t pointer_size = 8;
  std::int64_t startup_ms = 0;  // since the Unix epoch
  std::int64_t startup_ns = 0;  // the same instant on the buffers' clock; major >= 3 only
  std::int32_t overhead_ns = 0;
  std::int32_t flags = 0;
  std::int32_t pid = 0;
  std::uint16_t port = 0;
  std::string arguments;  // these three: major >= 1 only
  std::string architecture;
  std::string os;

  std::uint64_t id_mask() const { return pointer_size == 4 ? 0xffffffffU : ~std::uint64_t{0}; }
};

struct ReadHeader {
  FileHeader header;
  std::uint64_t bytes;  // its length in the stream
};

// Reads just the header. not_recognised, version_unsupported, header_invalid, header_truncated.
base::result<ReadHeader> read_file_header(base::Source& source, const base::Limits& limits);
void append_file_header(base::Appender& out, const FileHeader& header);

struct BufferHeader {
  std::int32_t length = 0;  // of the event data behind it
  std::uint64_t time_base = 0;
  std::uint64_t pointer_base = 0;
  std::uint64_t object_base = 0;  // an address shifted right by 3
  std::uint64_t thread = 0;
  std::uint64_t method_base = 0;
};

// REQUIRES: kBufferHeaderBytes at `from`, with the right id.
BufferHeader load_buffer_header(const std::byte* from);
void append_buffer_header(base::Appender& out, const BufferHeader& header);

}  // namespace polytrace::format::mlpd
