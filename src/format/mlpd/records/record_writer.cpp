// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/records/record_writer.hpp"

#include "format/mlpd/records/first_byte.hpp"

namespace polytrace::format::mlpd {
namespace {

constexpr std::size_t kMostCallBytes = 1 + 2 * 10;
constexpr std::array kFirstOfCall{kEnter, kLeave, kUnwind};  // by kind
static_assert(static_cast<int>(event::Kind::Leave) == static_cast<int>(event::Kind::Enter) + 1);
static_assert(static_cast<int>(event::Kind::Unwind) == static_cast<int>(event::Kind::Enter) + 2);

std::byte* put_leb(std::byte* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::byte>(value | 0x80);
  *at++ = static_cast<std::byte>(value);
  return at;
}
std::byte* put_signed_leb(std::byte* at, std::int64_t value) {
  for (; value < -64 || value > 63; value >>= 7)
    *at++ = static_cast<std::byte>(static_cast<std::uint64_t>(value) | 0x80);
  *at++ = static_cast<std::byte>(value & 0x7f);
  return at;
}

}  // namespace

void RecordWriter::open(base::Id thread, base::Time time) {
  thread_ = thread;
  time_base_ = time_ = static_cast<std::uint64_t>(time);
}

void RecordWriter::close(base::Appender& to) {
  append_buffer_header(to, {.length = static_cast<std::int32_t>(out_.size()),
                            .time_base = time_base_,
                            .pointer_base = pointer_base_.value_or(0),
                            .object_base = object_base_.value_or(0),
                            .thread = told(thread_),
                            .method_base = method_base_.value_or(0)});
  to.bytes(out_.view());
  out_.clear();
  pointer_base_.reset();
  object_base_.reset();
  method_base_.reset();
}

void RecordWriter::start_record(std::uint8_t first, base::Time time, bool timed,
                                const event::Batch& batch) {
  batch_ = &batch;
  out_.byte(first);
  if (!timed) return;
  const auto now = static_cast<std::uint64_t>(time);
  out_.uleb(now - time_);
  time_ = now;
}

// Every record but the longest is put together in a register and stored as eight bytes; which kind
// of call it is decides no branch, as nothing could guess it.
template <class Way>
[[gnu::always_inline]] inline std::size_t RecordWriter::calls_by(
    std::span<const event::Event> events, std::uint16_t thread, std::size_t full) {
  const std::size_t before = out_.size();
  std::byte* const begin = out_.extend(full - before + kMostCallBytes + sizeof(std::uint64_t));
  const std::byte* const stop = begin + (full - before);
  std::byte* at = begin;
  std::uint64_t time = time_;
  std::uint64_t method = method_;
  const event::Event* event = events.data();
  for (const event::Event* const end = event + events.size(); event != end && at < stop; ++event) {
    const auto kind =
        static_cast<unsigned>(event->kind) - static_cast<unsigned>(event::Kind::Enter);
    if (kind >= kFirstOfCall.size() || event->thread != thread || event->id == base::kNoId) break;
    const std::uint64_t ticks = static_cast<std::uint64_t>(event->time) - time;
    const auto step = static_cast<std::int64_t>(event->id - method);
    const unsigned time_bytes = base::digit_bytes(ticks);
    const unsigned method_bytes = base::signed_digit_bytes(step);
    time = static_cast<std::uint64_t>(event->time);
    method = event->id;
    if (time_bytes + method_bytes > base::kMostOfTwo) [[unlikely]] {
      *at++ = static_cast<std::byte>(kFirstOfCall[kind]);
      at = put_signed_leb(put_leb(at, ticks), step);
      continue;
    }
    // Digits of a negative step beyond its bytes fall behind the record.
    const base::TwoNumbers& two = base::kTwoNumbers[8 * time_bytes + method_bytes];
    const std::uint64_t digits = ticks | static_cast<std::uint64_t>(step) << two.shift;
    const std::uint64_t record = kFirstOfCall[kind] | (Way::spread(digits) | two.more) << 8;
    std::memcpy(at, &record, sizeof record);
    at += 1 + two.bytes;
  }
  out_.shrink(before + static_cast<std::size_t>(at - begin));
  time_ = time;
  method_ = method;
  return static_cast<std::size_t>(event - events.data());
}

std::size_t RecordWriter::calls(std::span<const event::Event> events, std::uint16_t thread,
                                std::size_t full, base::DigitsBy by) {
  if (!method_base_ || out_.size() >= full) return 0;
  return base::with_digits(by, [&](auto way) __attribute__((always_inline)) {
    return calls_by<decltype(way)>(events, thread, full);
  });
}

void RecordWriter::method(base::Id id) {
  const std::uint64_t now = told(id);
  if (!method_base_) method_base_ = method_ = now;
  out_.sleb(static_cast<std::int64_t>(now - method_));
  method_ = now;
}

void RecordWriter::backtrace(const event::Stack& stack) {
  flags();
  out_.uleb(stack.count);
  for (const base::Id frame : batch_->list(stack)) {
    if (version_ >= 13) list_item_method(frame);
    else list_item_pointer(frame);
  }
}

void RecordWriter::references(const event::Refs& refs) {
  out_.uleb(refs.count);
  std::uint64_t last = 0;
  for (const event::Ref& ref : batch_->list(refs)) {
    if (version_ >= 2) out_.uleb(ref.offset - last);
    else if (ref.offset != 0) inexact_ = "refs.offset";
    last = ref.offset;
    check_item(ref.target);
    object(ref.target);
  }
}

}  // namespace polytrace::format::mlpd
