// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/records/header.hpp"

#include <fmt/format.h>

#include <array>

#include "base/codes.hpp"

namespace polytrace::format::mlpd {
namespace {

using base::Code;
using base::Cursor;
using base::Place;
using base::Unexpected;

// Feeds a cursor with exactly the bytes that the next part of the header needs.
class HeaderSource {
 public:
  explicit HeaderSource(base::Source& source) : source_(source) {}

  base::result<base::Bytes> take(std::size_t count) {
    piece_.resize(count);
    const auto got = base::read_fully(source_, piece_);
    if (!got) return Unexpected(got.error());
    offset_ += *got;
    if (*got < count) return base::fail(Code::header_truncated, {}, Place{.offset = offset_});
    return base::Bytes(piece_);
  }
  std::uint64_t offset() const { return offset_; }

 private:
  base::Source& source_;
  std::vector<std::byte> piece_;
  std::uint64_t offset_ = 0;
};

constexpr std::size_t kFixedStart = 16;  // id to startup time

base::result<void> check_start(const FileHeader& header, std::uint32_t id) {
  if (id != kFileId) return base::fail(Code::not_recognised, {}, Place{.offset = 0});
  if (header.version == 0 || header.version > kLastVersion)
    return base::fail(Code::version_unsupported, fmt::format("data version {}", header.version),
                      Place{.offset = 6});
  if (header.pointer_size != 4 && header.pointer_size != 8)
    return base::fail(Code::header_invalid, fmt::format("pointer size {}", header.pointer_size),
                      Place{.offset = 7});
  return {};
}

base::result<void> read_start(HeaderSource& in, FileHeader& header) {
  const auto bytes = in.take(kFixedStart);
  if (!bytes) return Unexpected(bytes.error());
  Cursor at(*bytes, 0);
  const auto id = at.fixed<std::uint32_t>();
  header.major = at.byte();
  header.minor = at.byte();
  header.version = at.byte();
  header.pointer_size = at.byte();
  header.startup_ms = at.fixed<std::int64_t>();
  return check_start(header, id);
}

base::result<void> read_middle(HeaderSource& in, FileHeader& header) {
  const bool with_ns = header.major >= 3;
  const auto bytes = in.take((with_ns ? 8U : 0U) + 14U + (header.major == 0 ? 2U : 0U));
  if (!bytes) return Unexpected(bytes.error());
  Cursor at(*bytes, kFixedStart);
  if (with_ns) header.startup_ns = at.fixed<std::int64_t>();
  header.overhead_ns = at.fixed<std::int32_t>();
  const auto flags_at = at.offset();
  header.flags = at.fixed<std::int32_t>();
  header.pid = at.fixed<std::int32_t>();
  header.port = at.fixed<std::uint16_t>();
  if (header.flags != 0)
    return base::fail(Code::header_invalid, fmt::format("flags {:#x}", header.flags),
                      Place{.offset = flags_at});
  return {};
}

base::result<std::string> read_text(HeaderSource& in, const base::Limits& limits) {
  const auto length_at = in.offset();
  const auto prefix = in.take(4);
  if (!prefix) return Unexpected(prefix.error());
  const auto length = base::load_le<std::int32_t>(prefix->data());
  if (length < 0 || static_cast<std::size_t>(length) > limits.header_text)
    return base::fail(Code::header_invalid, fmt::format("text of {} bytes", length),
                      Place{.offset = length_at});
  const auto bytes = in.take(static_cast<std::size_t>(length));
  if (!bytes) return Unexpected(bytes.error());
  std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return text.substr(0, text.find('\0'));
}

}  // namespace

base::result<ReadHeader> read_file_header(base::Source& source, const base::Limits& limits) {
  HeaderSource in(source);
  FileHeader header;
  if (auto done = read_start(in, header); !done) return Unexpected(done.error());
  if (auto done = read_middle(in, header); !done) return Unexpected(done.error());
  if (header.major >= 1) {
    for (std::string* text : {&header.arguments, &header.architecture, &header.os}) {
      auto read = read_text(in, limits);
      if (!read) return Unexpected(read.error());
      *text = std::move(*read);
    }
  }
  return ReadHeader{std::move(header), in.offset()};
}

void append_file_header(base::Appender& out, const FileHeader& header) {
  out.fixed(kFileId);
  out.byte(header.major);
  out.byte(header.minor);
  out.byte(header.version);
  out.byte(header.pointer_size);
  out.fixed(header.startup_ms);
  if (header.major >= 3) out.fixed(header.startup_ns);
  out.fixed(header.overhead_ns);
  out.fixed(header.flags);
  out.fixed(header.pid);
  out.fixed(header.port);
  if (header.major == 0) out.fixed(std::uint16_t{0});
  if (header.major < 1) return;
  for (const std::string* text : {&header.arguments, &header.architecture, &header.os}) {
    out.fixed(static_cast<std::int32_t>(text->size() + 1));
    out.text(*text);
    out.byte(0);
  }
}

BufferHeader load_buffer_header(const std::byte* from) {
  BufferHeader header;
  header.length = base::load_le<std::int32_t>(from + 4);
  header.time_base = base::load_le<std::uint64_t>(from + 8);
  header.pointer_base = base::load_le<std::uint64_t>(from + 16);
  header.object_base = base::load_le<std::uint64_t>(from + 24);
  header.thread = base::load_le<std::uint64_t>(from + 32);
  header.method_base = base::load_le<std::uint64_t>(from + 40);
  return header;
}

void append_buffer_header(base::Appender& out, const BufferHeader& header) {
  out.fixed(kBufferId);
  out.fixed(header.length);
  out.fixed(header.time_base);
  out.fixed(header.pointer_base);
  out.fixed(header.object_base);
  out.fixed(header.thread);
  out.fixed(header.method_base);
}

}  // namespace polytrace::format::mlpd
