// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/stream_rules.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/tptp/messages/attribute_walk.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Bytes;
using base::Code;

// Tells an account, if there is one, about the frame at one place.
class FrameTeller {
 public:
  FrameTeller(Account* account, std::uint64_t offset) : account_(account), offset_(offset) {}

  void notice(Code code, std::size_t bytes, std::string detail = {}) const {
    if (account_ != nullptr)
      account_->notices.add(code, {.offset = offset_}, bytes, std::move(detail));
  }
  void count(std::uint8_t record, std::size_t bytes) const {
    if (account_ == nullptr) return;
    account_->count(record, bytes);
    ++account_->tally.frames;
  }
  void count_header() const {
    if (account_ != nullptr) account_->tally.frame_bytes += kHeaderBytes;
  }

 private:
  Account* account_;
  std::uint64_t offset_;
};

void apply_encoding(const Frame& frame, Bytes bytes, StreamState& state, const FrameTeller& tell) {
  const Bytes payload = bytes.subspan(frame.payload);
  const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
  const std::size_t length = text.find('\0');
  if (length == std::string_view::npos)
    return tell.notice(Code::text_without_end, bytes.size(), "the name of an encoding");
  const std::string_view name = text.substr(0, length);
  const NamedCharset found = find_charset(name);
  if (found.verdict == NamedCharset::Verdict::illegal)
    return tell.notice(Code::encoding_illegal, bytes.size(), std::string(name));
  if (found.verdict == NamedCharset::Verdict::unknown)
    tell.notice(Code::encoding_unknown, 0, std::string(name));
  const std::size_t behind = text.size() - length - 1;
  if (behind != 0) tell.notice(Code::message_longer, behind);
  tell.count(kEncodingRecord, bytes.size() - behind);
  state.charset = found.charset;
}

void apply_frequency(const Frame& frame, Bytes bytes, StreamState& state, const FrameTeller& tell) {
  constexpr std::int64_t kLeastHertz = 100'000;
  constexpr std::int64_t kMega = 1'000'000;
  auto ticks = load<std::int64_t>(bytes.data() + frame.payload, state.order);
  tell.count(kFrequencyRecord, bytes.size());
  if (ticks < kLeastHertz) tell.notice(Code::frequency_odd, 0, fmt::format("{}", ticks));
  if (ticks <= 0) return;
  if (ticks < kLeastHertz) ticks *= kMega;
  state.times.set_frequency(ticks);
  state.told_clock = false;
}

void apply_system(const Frame& frame, Bytes bytes, StreamState& state, const FrameTeller& tell) {
  if (frame.id != kEncodingId && frame.id != kFrequencyId)
    return tell.notice(Code::message_unknown, bytes.size(), fmt::format("id {}", frame.id));
  if (state.had_data) tell.notice(Code::system_late, 0);
  if (frame.id == kEncodingId) apply_encoding(frame, bytes, state, tell);
  else apply_frequency(frame, bytes, state, tell);
}

// Whether `bytes` are system messages without a gap.
bool is_system_run(Bytes bytes, StreamState state, const base::Limits& limits) {
  while (!bytes.empty()) {
    const Frame frame = find_frame(bytes, state, limits, Behind::nothing);
    if (frame.step != Step::message || frame.id >= kFirstDataId) return false;
    bytes = bytes.subspan(frame.bytes);
  }
  return true;
}

void apply_prelude(Bytes bytes, std::uint64_t offset, StreamState& state,
                   const base::Limits& limits, Account* account) {
  if (!is_system_run(bytes, state, limits)) {
    if (account != nullptr)
      account->notices.add(Code::bytes_skipped, {.offset = offset}, bytes.size());
    return;
  }
  while (!bytes.empty()) {
    const Sizes sizes = state.sizes;
    const Frame frame = find_frame(bytes, state, limits, Behind::nothing);
    if (account != nullptr) tell_sizes(sizes, state, offset, *account);
    apply(frame, bytes.first(frame.bytes), offset, state, limits, account);
    bytes = bytes.subspan(frame.bytes);
    offset += frame.bytes;
  }
}

void apply_header(const Frame& frame, Bytes bytes, std::uint64_t offset, StreamState& state,
                  const base::Limits& limits, Account* account) {
  const FrameTeller tell(account, offset);
  const auto header = read_header(bytes);
  state = StreamState{};
  state.started = true;
  tell.count_header();
  if (!header) return;
  state.major = header->major;
  state.minor = header->minor;
  state.platform = header->platform;
  state.order = header->order;
  if (header->platform > 1)
    tell.notice(Code::platform_unknown, 0, fmt::format("{}", header->platform));
  if (header->offset == 0) tell.notice(Code::offset_zero, 0);
  if (frame.bytes > kHeaderBytes)
    apply_prelude(bytes.subspan(kHeaderBytes), offset + kHeaderBytes, state, limits, account);
}

// The message's time as it stands there; 0 when it has none or is too short.
std::int64_t time_of(const MessageInfo& message, Bytes payload, ByteOrder order) {
  if (message.time_at == MessageInfo::kNoTime) return 0;
  if (message.time_at != MessageInfo::kTimeMoves) {
    const auto at = static_cast<std::size_t>(message.time_at);
    return payload.size() < at + 8 ? 0 : load<std::int64_t>(payload.data() + at, order);
  }
  AttributeWalk walk(message, payload, order);
  while (walk.next()) {
    if (walk.attribute().meaning == Meaning::time) return walk.number();
  }
  return 0;
}

Applied apply_data(const Frame& frame, Bytes bytes, StreamState& state) {
  state.had_data = true;
  const MessageInfo* message = find_message(frame.id);
  if (message == nullptr) return {};
  const std::int64_t time = time_of(*message, bytes.subspan(frame.payload), state.order);
  if (time == 0) return {};
  state.times.see(time);
  state.now = state.times.to_nanoseconds(time).value;
  const bool first = !state.told_clock;
  state.told_clock = true;
  return {first, time};
}

}  // namespace

void tell_sizes(Sizes before, const StreamState& state, std::uint64_t offset, Account& account) {
  if (before == Sizes::undecided && state.sizes == Sizes::exclusive)
    account.notices.add(Code::sizes_exclusive, {.offset = offset}, 0);
}

Applied apply(const Frame& frame, Bytes bytes, std::uint64_t offset, StreamState& state,
              const base::Limits& limits, Account* account) {
  if (frame.step == Step::header)
    return apply_header(frame, bytes, offset, state, limits, account), Applied{};
  if (frame.id >= kFirstDataId) return apply_data(frame, bytes, state);
  apply_system(frame, bytes, state, FrameTeller(account, offset));
  return {};
}

}  // namespace polytrace::format::tptp
