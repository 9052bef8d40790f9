// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/messages.hpp"

#include <algorithm>

#include "base/text/utf8.hpp"
#include "format/tptp/tbf/frame.hpp"
#include "format/tptp/tbf/plain_call.hpp"

namespace polytrace::format::tptp {

namespace {

// Of all lists: they are of one length in a message that was read.
std::size_t depth_of(const Message& message) {
  std::size_t depth = 0;
  for (unsigned i = 0; i < message.info().attributes.size(); ++i) {
    const Type type = message.info().attributes[i].type;
    if (type == Type::strs) depth = std::max(depth, message.texts(i).size());
    if (type == Type::i64s) depth = std::max(depth, message.numbers(i).size());
  }
  return depth;
}

std::int64_t number_of(const Message& message, unsigned index) {
  using Exit = field::MethodExit;
  const std::int64_t number = message.number(index);
  if (number == 0 && message.id() == Exit::kId && index == Exit::transient_class_id_ref)
    return message.number(Exit::class_id_ref);
  return number;
}

}  // namespace

template <class T>
void MessageEncoder::number(base::Appender& out, T value) const {
  out.fixed(order_ == ByteOrder::little ? value : swapped(value));
}

void MessageEncoder::text(base::Appender& out, std::string_view text) const {
  for (std::size_t zero = text.find('\0'); zero != std::string_view::npos; zero = text.find('\0')) {
    out.text(text.substr(0, zero));
    out.text(base::kReplacement);
    text.remove_prefix(zero + 1);
  }
  out.zero_terminated(text);
}

void MessageEncoder::begin(base::Appender& out, std::uint8_t platform) const {
  constexpr std::string_view kEncoding = "UTF8";
  constexpr std::int64_t kFrequency = 1'000'000'000;
  out.text("0TBF");
  out.byte(1);
  out.byte(0);
  out.byte(platform);
  out.byte(order_ == ByteOrder::little ? 1 : 0);
  number(out, static_cast<std::uint32_t>(kHeaderBytes));
  number(out, kEncodingId);
  number(out, static_cast<std::uint32_t>(kMessageHeaderBytes + kEncoding.size() + 1));
  text(out, kEncoding);
  number(out, kFrequencyId);
  number(out, static_cast<std::uint32_t>(kMessageHeaderBytes + sizeof kFrequency));
  number(out, kFrequency);
}

void MessageEncoder::append(base::Appender& out, const Message& message) {
  payload_.clear();
  const std::size_t depth = depth_of(message);
  for (unsigned i = 0; i < message.info().attributes.size(); ++i)
    value(payload_, message, i, depth);
  number(out, message.id());
  number(out, static_cast<std::uint32_t>(kMessageHeaderBytes + payload_.size()));
  out.bytes(payload_.view());
}

void MessageEncoder::append(base::Appender& out, const CallRecord& call) const {
  if (order_ == ByteOrder::little) return append_as<ByteOrder::little>(out, call);
  append_as<ByteOrder::big>(out, call);
}

template <ByteOrder order>
void MessageEncoder::append_as(base::Appender& out, const CallRecord& call) {
  const std::size_t size = call.entry ? kEntryBytes : kExitBytes;
  std::byte* const bytes = out.extend(size);
  if (call.entry) std::memset(bytes, 0, kEntryBytes);
  else std::memset(bytes, 0, kExitBytes);
  const auto put = [bytes](std::size_t at, auto value) {
    const auto stored = order == ByteOrder::little ? value : swapped(value);
    std::memcpy(bytes + at, &stored, sizeof stored);
  };
  put(0, call.entry ? field::MethodEntry::kId : field::MethodExit::kId);
  put(sizeof(std::uint16_t), static_cast<std::uint32_t>(size));
  const auto fill = [&](const auto& places, auto fields) {
    using F = decltype(fields);
    const auto at = [&](unsigned i) { return kMessageHeaderBytes + places.at[i]; };
    put(at(F::thread_id_ref), call.thread);
    put(at(F::time), call.time);
    put(at(F::ticket), call.ticket);
    put(at(F::thread_cpu_time), call.cpu);
    put(at(F::method_id_ref), call.method);
    put(at(F::class_id_ref), call.class_id);
    if constexpr (requires { F::stack_depth; }) {
      put(at(F::transient_obj_id_ref), call.object);
      put(at(F::stack_depth), call.depth);
    } else {
      put(at(F::obj_id_ref), call.object);
      put(at(F::transient_class_id_ref), call.class_id);
    }
  };
  if (call.entry) fill(kEntryPlaces, field::MethodEntry{});
  else fill(kExitPlaces, field::MethodExit{});
}

void MessageEncoder::value(base::Appender& out, const Message& message, unsigned index,
                           std::size_t depth) const {
  const AttributeInfo& attribute = message.info().attributes[index];
  const auto at = [](auto items, std::size_t i) {
    return i < items.size() ? items[i] : typename decltype(items)::value_type{};
  };
  switch (attribute.type) {
    case Type::i8: return out.byte(static_cast<std::uint8_t>(message.number(index)));
    case Type::i32:
      if (attribute.meaning == Meaning::depth) return number(out, static_cast<std::int32_t>(depth));
      return number(out, static_cast<std::int32_t>(message.number(index)));
    case Type::i64:
    case Type::f64: return number(out, number_of(message, index));
    case Type::str: return text(out, message.text(index));
    case Type::strs:
      for (std::size_t i = 0; i < depth; ++i) text(out, at(message.texts(index), i));
      return;
    case Type::i64s:
      for (std::size_t i = 0; i < depth; ++i) number(out, at(message.numbers(index), i));
      return;
  }
}

base::result<std::unique_ptr<TbfMessageReader>> TbfMessageReader::open(
    std::unique_ptr<base::Source> source, const event::ReadOptions& options) {
  auto reader = std::make_unique<TbfMessageReader>(std::move(source), options);
  auto header = begin_tbf(reader->framing_.stream());
  if (!header) return base::Unexpected(header.error());
  reader->header_ = *header;
  return reader;
}

base::result<bool> TbfMessageReader::next() {
  for (;;) {
    if (at_ == chunk_.bytes.size()) {
      const auto more = framing_.next(chunk_);
      at_ = 0;
      ended_ |= more && !*more;
      if (!more || !*more) return chunk_.bytes.clear(), more;
      state_ = *static_cast<const StreamState*>(chunk_.context.get());
    }
    const std::span<std::byte> rest = std::span<std::byte>(chunk_.bytes).subspan(at_);
    const std::uint64_t offset = chunk_.offset + at_;
    at_ += decoder_.take(rest, offset);
    watch_.see(decoder_.frame(), rest.first(decoder_.frame().bytes), offset, state_);
    if (decoder_.has_message()) return true;
  }
}

base::Notices TbfMessageReader::notices() const {
  base::Notices all = notices_;
  all.merge(framing_.notices());
  if (ended_) watch_.tell(all);
  return all;
}

TbfMessageWriter::TbfMessageWriter(std::unique_ptr<base::Sink> sink, ByteOrder order,
                                   std::uint8_t platform)
    : sink_(std::move(sink)), encoder_(order) {
  encoder_.begin(ready_, platform);
}

base::result<void> TbfMessageWriter::write(const Message& message) {
  encoder_.append(ready_, message);
  return flush_if_full();
}

base::result<void> TbfMessageWriter::write(const CallRecord& call) {
  encoder_.append(ready_, call);
  return flush_if_full();
}

base::result<void> TbfMessageWriter::flush() {
  auto done = sink_->write(ready_.view());
  ready_.clear();
  return done;
}

base::result<void> TbfMessageWriter::finish() {
  constexpr std::uint8_t kBeginning = 1;  // of a frame; 0 would be padding
  if (open_) ready_.byte(kBeginning);
  if (auto done = flush(); !done) return done;
  return sink_->commit();
}

}  // namespace polytrace::format::tptp
