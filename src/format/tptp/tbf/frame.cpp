// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/frame.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/tptp/messages/attribute_walk.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Bytes;
using base::Code;

constexpr std::uint32_t kMagic = 0x46425430;      // "0TBF"
constexpr std::uint32_t kZeroMagic = 0x46425400;  // "\0TBF"
constexpr std::uint32_t kMostSizedName = 1024;    // a larger "size" is text of a bare name
constexpr std::size_t kMostBareName = 1024;
constexpr std::uint32_t kMostSize = 0x7fffffff;

std::uint16_t message_id(Bytes rest, ByteOrder order) {
  return load<std::uint16_t>(rest.data(), order);
}
std::uint32_t size_of(Bytes rest, ByteOrder order) {
  return load<std::uint32_t>(rest.data() + 2, order);
}

Frame incomplete(std::size_t missing) { return {.step = Step::incomplete, .missing = missing}; }

Frame broken(Code code, std::int64_t value) {
  return {.step = Step::broken, .fault = code, .fault_value = value};
}

Frame whole(Bytes rest, std::uint16_t id, std::size_t bytes, std::size_t payload) {
  if (rest.size() < bytes) return incomplete(bytes - rest.size());
  return {.step = Step::message, .id = id, .bytes = bytes, .payload = payload};
}

Frame header_frame(Bytes rest, const FileHeader& header) {
  Frame frame{.step = Step::header, .bytes = kHeaderBytes, .payload = kHeaderBytes};
  if (header.prelude() > kMostPrelude) frame.skip = header.prelude();
  else frame.bytes += header.prelude();
  return rest.size() < frame.bytes ? incomplete(frame.bytes - rest.size()) : frame;
}

Frame bare_name(Bytes rest) {
  const Bytes name = rest.subspan(2).first(std::min(rest.size() - 2, kMostBareName));
  const void* zero = std::memchr(name.data(), 0, name.size());
  if (zero != nullptr) {
    const auto length = static_cast<std::size_t>(static_cast<const std::byte*>(zero) - name.data());
    return whole(rest, kEncodingId, 2 + length + 1, 2);
  }
  return name.size() == kMostBareName ? broken(Code::text_without_end, kEncodingId) : incomplete(1);
}

bool is_sized(std::uint16_t id, std::uint32_t size) {
  if (id == kEncodingId) return size >= 2 && size <= kMostSizedName;
  return id != kFrequencyId || size == 14 || size == 8;
}

// The bytes of the attributes if the message's size may count them alone.
std::size_t needed(std::uint16_t id, Bytes payload, ByteOrder order) {
  if (id == kFrequencyId) return 8;
  if (id == kEncodingId) {
    const void* zero = payload.empty() ? nullptr : std::memchr(payload.data(), 0, payload.size());
    if (zero == nullptr) return std::string_view::npos;
    return static_cast<std::size_t>(static_cast<const std::byte*>(zero) - payload.data()) + 1;
  }
  const MessageInfo* message = find_message(id);
  return message == nullptr ? std::string_view::npos : measure(*message, payload, order);
}

// The first message of a known kind decides. False when more bytes are needed to tell.
bool decide_sizes(Bytes rest, std::uint16_t id, std::uint32_t size, StreamState& state,
                  Behind behind) {
  const bool known = id == kEncodingId || id == kFrequencyId || find_message(id) != nullptr;
  if (!known) return true;
  const std::size_t most = size + kMessageHeaderBytes;
  if (rest.size() < most && behind == Behind::unknown) return false;
  const Bytes payload = rest.first(std::min(rest.size(), most)).subspan(kMessageHeaderBytes);
  const std::size_t need = needed(id, payload, state.order);
  if (need + kMessageHeaderBytes == size) state.sizes = Sizes::inclusive;
  if (need == size) state.sizes = Sizes::exclusive;
  return true;
}

}  // namespace

std::string to_text(const FileHeader& header) {
  return fmt::format("{}.{} {}-endian", header.major, header.minor,
                     header.order == ByteOrder::little ? "little" : "big");
}

bool has_magic(Bytes head) {
  if (head.size() < 4) return false;
  const auto magic = base::load_le<std::uint32_t>(head.data());
  return magic == kMagic || magic == kZeroMagic;
}

base::result<FileHeader> read_header(Bytes bytes) {
  if (!has_magic(bytes)) return base::fail(Code::not_recognised, {}, {.offset = 0});
  FileHeader header;
  header.major = static_cast<std::uint8_t>(bytes[4]);
  header.minor = static_cast<std::uint8_t>(bytes[5]);
  header.platform = static_cast<std::uint8_t>(bytes[6]);
  const auto order = static_cast<std::uint8_t>(bytes[7]);
  if (header.major >= 2)
    return base::fail(Code::version_unsupported, fmt::format("{}.{}", header.major, header.minor),
                      {.offset = 0});
  if (order > 1)
    return base::fail(Code::byte_order_invalid, fmt::format("{}", order), {.offset = 0});
  header.order = order == 0 ? ByteOrder::big : ByteOrder::little;
  header.offset = load<std::uint32_t>(bytes.data() + 8, header.order);
  if (header.offset > 0 && header.offset < kHeaderBytes)
    return base::fail(Code::offset_invalid, fmt::format("{}", header.offset), {.offset = 0});
  return header;
}

bool is_restart(Bytes bytes) {
  if (base::load_le<std::uint32_t>(bytes.data()) != kMagic) return false;
  const auto header = read_header(bytes);
  return header && header->platform <= 1;
}

std::size_t measure(const MessageInfo& message, Bytes payload, ByteOrder order) {
  AttributeWalk walk(message, payload, order);
  while (walk.next()) {
  }
  return walk.complete() ? walk.consumed() : std::string_view::npos;
}

Frame find_frame(Bytes rest, StreamState& state, const base::Limits& limits, Behind behind) {
  if (!state.started) {
    if (rest.size() < kHeaderBytes) return incomplete(kHeaderBytes - rest.size());
    const auto header = read_header(rest);
    return header ? header_frame(rest, *header) : broken(header.error().code, 0);
  }
  if (rest.size() < kMessageHeaderBytes) {
    // Only a bare name is so short.
    if (behind == Behind::cut && rest.size() > sizeof kEncodingId) return bare_name(rest);
    return incomplete(kMessageHeaderBytes - rest.size());
  }
  const std::uint16_t id = message_id(rest, state.order);
  const std::uint32_t size = size_of(rest, state.order);
  if (base::load_le<std::uint32_t>(rest.data()) == kMagic) {
    if (rest.size() < kHeaderBytes && behind == Behind::unknown)
      return incomplete(kHeaderBytes - rest.size());
    if (rest.size() >= kHeaderBytes && is_restart(rest))
      return header_frame(rest, *read_header(rest));
  }
  if (id == 0 && size == 0) return {.step = Step::zeros};
  if (id > kLastId) return broken(Code::frame_id, id);
  if (!is_sized(id, size)) {
    return id == kFrequencyId ? whole(rest, id, 10, 2) : bare_name(rest);
  }
  if (size > kMostSize || size > limits.message_bytes) return broken(Code::frame_length, size);
  if (state.sizes == Sizes::undecided && !decide_sizes(rest, id, size, state, behind))
    return incomplete(size + kMessageHeaderBytes - rest.size());
  if (id == kFrequencyId) return whole(rest, id, 14, kMessageHeaderBytes);
  if (state.sizes == Sizes::exclusive)
    return whole(rest, id, size + kMessageHeaderBytes, kMessageHeaderBytes);
  if (size < kMessageHeaderBytes) return broken(Code::frame_length, size);
  return whole(rest, id, size, kMessageHeaderBytes);
}

}  // namespace polytrace::format::tptp
