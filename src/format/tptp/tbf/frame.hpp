// SPDX-License-Identifier: Apache-2.0
// Where the next header or message of a TBF stream begins and ends (docs/formats/tbf.md, sections 3
// to 6). Pure: the same bytes and state give the same frame, wherever the buffer ends.
#pragma once

#include <string>

#include "base/limits.hpp"
#include "format/tptp/messages/catalogue.hpp"
#include "format/tptp/tbf/stream_state.hpp"

namespace polytrace::format::tptp {

inline constexpr std::size_t kHeaderBytes = 12;
// What may stand between a header and its offset to data and is still looked at; more is skipped.
inline constexpr std::size_t kMostPrelude = 64 * 1024;
inline constexpr std::uint16_t kEncodingId = 1;
inline constexpr std::uint16_t kFrequencyId = 2;

enum class Step : std::uint8_t {
  message,     // a whole message, of whatever id
  header,      // a whole header, with what stands before its offset to data unless that is `skip`
  zeros,       // an id and a size of 0: padding, if only zeros follow
  incomplete,  // more bytes will tell
  broken,      // no message can start like this
};

struct Frame {
  Step step = Step::incomplete;
  std::uint16_t id = 0;
  std::size_t bytes = 0;    // of the whole frame
  std::size_t payload = 0;  // where it begins, from the frame's first byte
  std::uint64_t skip = 0;   // bytes behind a header that belong to nothing
  std::size_t missing = 0;  // of an incomplete frame, as far as known
  base::Code fault{};       // of a broken one
  std::int64_t fault_value = 0;
};

// What comes behind the bytes in which a frame is looked for.
enum class Behind : std::uint8_t {
  unknown,  // more bytes may come
  nothing,  // the input's end
  cut,      // it was cut there, behind whole frames
};

// The frame at the front of `rest`. Decides state.sizes where this message tells.
Frame find_frame(base::Bytes rest, StreamState& state, const base::Limits& limits, Behind behind);

struct FileHeader {
  std::uint8_t major = 1;
  std::uint8_t minor = 0;
  std::uint8_t platform = 1;
  ByteOrder order = ByteOrder::little;
  std::uint32_t offset = kHeaderBytes;  // to data, from the header's first byte

  // Of the bytes from the header to its data.
  std::uint64_t prelude() const { return offset < kHeaderBytes ? 0 : offset - kHeaderBytes; }
};

// For people: "1.0 little-endian".
std::string to_text(const FileHeader& header);

// Either magic at the front.
bool has_magic(base::Bytes head);
// REQUIRES: kHeaderBytes bytes. Fails with the reason why it is no legal header of a stream's
// start.
base::result<FileHeader> read_header(base::Bytes bytes);
// Whether these bytes, where a message could start, restart the stream. REQUIRES: kHeaderBytes.
bool is_restart(base::Bytes bytes);

// The bytes that the attributes of a message take, in the catalogue's own layout; npos when they do
// not fit into `payload`.
std::size_t measure(const MessageInfo& message, base::Bytes payload, ByteOrder order);

}  // namespace polytrace::format::tptp
