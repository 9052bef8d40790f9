// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/agent_link.hpp"

#include "agent/control/protocol/endpoint.hpp"
#include "agent/control/protocol/negotiation.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::collector {
namespace {

using agent::control::Body;
using agent::control::Field;
using agent::control::Frame;
using agent::control::Item;
using agent::control::Items;
using agent::control::Message;
using agent::control::NoticeCode;
using agent::control::StreamFormat;

constexpr std::size_t kLongestText = 256;
constexpr std::uint32_t kHeartbeat = ~std::uint32_t{0};  // its answer is none to anything else
constexpr std::size_t kMostToldLabels = 32;

// Of somebody else, for our log.
std::string told(std::string_view text) { return base::repaired(text.substr(0, kLongestText)); }

AgentLink::Bytes framed(Message message, const Body& body) {
  AgentLink::Bytes bytes;
  agent::control::append_frame(bytes, {message, 0, 0, body.view()});
  return bytes;
}

std::string text_in(const Frame& frame) {
  std::string text;
  Items items(frame.body);
  for (Item item; items.next(item);)
    if (item.is(Field::text)) text = told(item.text());
  return text;
}

}  // namespace

AgentLink::Heard AgentLink::refuse(Refused why) {
  refused_ = true;
  why_ = why;
  frames_.clear();
  return Heard::refused;
}

AgentLink::Heard AgentLink::next() {
  using Frames = agent::control::FrameBuffer;
  using Cut = Frames::Cut;
  while (!refused_) {
    Frame frame;
    const Cut cut = frames_.next(frame);
    if (cut == Cut::more) {
      // Those who say nothing shall hold nothing.
      if (frames_.pending().empty()) frames_ = Frames(agent::control::kMaxData);
      return Heard::nothing;
    }
    if (cut == Cut::impossible) return refuse(Refused::protocol);
    Items items(frame.body);
    for (Item item; items.next(item);) {
    }
    if (items.damaged()) return refuse(Refused::protocol);
    if (frame.message == Message::bye) return text_ = text_in(frame), Heard::bye;
    if (!greeted_ && frame.message != Message::welcome) return refuse(Refused::protocol);
    if (frame.message == Message::welcome) return hear_welcome(frame);
    if (frame.message == Message::data) return hear_data(frame);
    if (frame.message == Message::notice) return hear_notice(frame);
    const bool replies = frame.message == Message::answer || frame.message == Message::done;
    if (replies && frame.request == kHeartbeat) continue;
    if (replies && frame.request != 0) return hear_reply(frame);
    if (frame.message == Message::answer && resumed_ != 0 && !began_) return hear_answer(frame);
    // Answers to what nobody asked, and messages of later versions.
  }
  return Heard::nothing;
}

AgentLink::Heard AgentLink::hear_welcome(const Frame& frame) {
  if (greeted_) return refuse(Refused::protocol);
  greeted_ = true;
  std::uint64_t format = 0;
  std::string shown;
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(Field::format)) format = item.value();
    if (item.is(Field::agent)) agent_ = told(item.text());
    if (item.is(Field::runtime)) runtime_ = told(item.text());
    if (item.is(Field::stream)) stream_ = item.value();
    if (item.is(Field::process)) process_ = item.value();
    if (item.is(Field::token)) shown = item.text();
    if (item.is(Field::rights)) may_control_ = item.value() == 2;
    if (item.is(Field::label) && labels_.size() < kMostToldLabels)
      labels_.push_back(told(item.text()));
  }
  if (!token_.empty() && !agent::control::same_secret(shown, token_)) return refuse(Refused::token);
  if (format != static_cast<std::uint64_t>(StreamFormat::native)) return refuse(Refused::format);
  return Heard::welcome;
}

// A stream begins at its first byte or where it was to be resumed, and behind the end of the one
// before it. What the agent has no more it leaves out.
bool AgentLink::begins(std::uint64_t stream, std::uint64_t offset) const {
  const bool is_free = !began_ || (ended_ && stream != stream_);
  const bool is_resumed = resumed_ != 0 && offset >= resumed_ && stream == stream_;
  return stream != 0 && is_free && (offset == 0 || is_resumed);
}

AgentLink::Heard AgentLink::hear_data(const Frame& frame) {
  std::uint64_t stream = 0, offset = 0;
  content_ = {};
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(Field::stream)) stream = item.value();
    if (item.is(Field::offset)) offset = item.value();
    if (item.is(Field::content)) content_ = item.bytes;
  }
  if (content_.size() > credit_) return refuse(Refused::credit);
  if (begins(stream, offset)) {
    stream_ = stream;
    next_offset_ = offset;
    began_ = true;
    ended_ = false;
  }
  if (!began_ || stream != stream_ || offset < next_offset_ || ended_)
    return refuse(Refused::order);
  credit_ -= content_.size();
  offset_ = offset;
  next_offset_ = offset + content_.size();
  return Heard::data;
}

AgentLink::Heard AgentLink::hear_notice(const Frame& frame) {
  std::uint64_t code = 0;
  Items items(frame.body);
  for (Item item; items.next(item);)
    if (item.is(Field::code)) code = item.value();
  text_ = text_in(frame);
  if (code != static_cast<std::uint64_t>(NoticeCode::end_of_stream) || !began_ || ended_)
    return Heard::notice;
  ended_ = true;
  return Heard::stream_end;
}

AgentLink::Heard AgentLink::hear_answer(const Frame& frame) {
  text_ = text_in(frame);
  resumed_ = credit_ = 0;
  return Heard::answer;
}

AgentLink::Heard AgentLink::hear_reply(const Frame& frame) {
  reply_ = {.request = frame.request, .message = frame.message, .text = text_in(frame)};
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(Field::outcome) && item.value() <= 5)
      reply_.outcome = static_cast<agent::control::Outcome>(item.value());
    if (item.is(Field::state)) reply_.state = item.value();
  }
  return Heard::reply;
}

AgentLink::Bytes AgentLink::command(Message message, std::uint32_t request, const Body& body) {
  Bytes bytes;
  agent::control::append_frame(bytes, {message, 0, request, body.view()});
  return bytes;
}

AgentLink::Bytes AgentLink::hello(std::string_view token, Wants wants) {
  Body body;
  if (wants == Wants::control) body.number(Field::control, 1);
  if (!token.empty()) body.text(Field::token, token);
  body.number(Field::version, agent::control::kProtocolVersion);
  body.number(Field::accepts, static_cast<std::uint64_t>(StreamFormat::native));
  return framed(Message::hello, body);
}

AgentLink::Bytes AgentLink::give_credit(std::uint64_t bytes) {
  credit_ += bytes;
  Body body;
  body.number(Field::bytes, bytes);
  return framed(Message::credit, body);
}

AgentLink::Bytes AgentLink::resume(std::uint64_t offset, std::uint64_t bytes) {
  credit_ += bytes;
  resumed_ = offset;
  Body body;
  body.number(Field::bytes, bytes).number(Field::stream, stream_).number(Field::offset, offset);
  return framed(Message::credit, body);
}

AgentLink::Bytes AgentLink::heartbeat(std::uint64_t every) {
  Body body;
  body.number(Field::duration, every);
  Bytes bytes;
  agent::control::append_frame(bytes, {Message::status, 0, kHeartbeat, body.view()});
  return bytes;
}

AgentLink::Bytes AgentLink::kept(std::uint64_t stream, std::uint64_t offset) {
  Body body;
  body.number(Field::stream, stream).number(Field::offset, offset);
  return framed(Message::kept, body);
}

AgentLink::Bytes AgentLink::bye(std::string_view why) {
  Body body;
  body.text(Field::text, why);
  return framed(Message::bye, body);
}

}  // namespace polytrace::collector
