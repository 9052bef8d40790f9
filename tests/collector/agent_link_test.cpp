// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/agent_link.hpp"

#include <gtest/gtest.h>

#include <random>

namespace polytrace::collector {
namespace {

using agent::control::append_frame;
using agent::control::Body;
using agent::control::Bytes;
using agent::control::Field;
using agent::control::Message;
using agent::control::NoticeCode;
using Heard = AgentLink::Heard;

Bytes frame(Message message, const Body& body) {
  Bytes bytes;
  append_frame(bytes, {message, 0, 0, body.view()});
  return bytes;
}
Bytes welcome(std::uint64_t format = 2, std::uint64_t stream = 0) {
  Body body;
  body.number(Field::format, format).text(Field::agent, "agent").text(Field::runtime, "vm");
  if (stream != 0) body.number(Field::stream, stream);
  return frame(Message::welcome, body);
}
Bytes data(std::uint64_t stream, std::uint64_t offset, std::size_t size) {
  Body body;
  body.number(Field::stream, stream).number(Field::offset, offset);
  body.bytes(Field::content, Bytes(size, 7));
  return frame(Message::data, body);
}
Bytes end_of_stream() {
  Body body;
  body.number(Field::code, static_cast<std::uint64_t>(NoticeCode::end_of_stream));
  return frame(Message::notice, body);
}

Heard hear(AgentLink& link, const Bytes& bytes) {
  link.append(bytes);
  return link.next();
}
AgentLink greeted(std::uint64_t credit, std::uint64_t stream = 0) {
  AgentLink link;
  EXPECT_EQ(hear(link, welcome(2, stream)), Heard::welcome);
  if (credit != 0) link.give_credit(credit);
  return link;
}

TEST(agent_link, takes_a_stream_and_the_one_behind_it) {
  AgentLink link = greeted(100);
  EXPECT_EQ(link.agent(), "agent");
  EXPECT_EQ(hear(link, data(5, 0, 40)), Heard::data);
  EXPECT_EQ(link.stream(), 5U);
  EXPECT_EQ(link.content().size(), 40U);
  EXPECT_EQ(hear(link, data(5, 40, 20)), Heard::data);
  EXPECT_EQ(link.credit(), 40U);
  EXPECT_EQ(hear(link, end_of_stream()), Heard::stream_end);
  EXPECT_EQ(hear(link, data(6, 0, 40)), Heard::data);
  EXPECT_EQ(link.stream(), 6U);
  EXPECT_EQ(link.credit(), 0U);
}

TEST(agent_link, resumes_where_it_was_asked_to) {
  AgentLink link = greeted(0, 5);
  EXPECT_EQ(link.stream(), 5U);
  link.resume(1000, 50);
  EXPECT_EQ(hear(link, data(5, 1000, 50)), Heard::data);
  EXPECT_EQ(link.offset(), 1000U);
}

// Its answer comes between the two that a stream can begin with.
TEST(agent_link, the_answer_to_a_heartbeat_refuses_nothing) {
  AgentLink link = greeted(0, 5);
  link.resume(1000, 50);
  const Bytes asked = AgentLink::heartbeat(15'000);
  agent::control::FrameBuffer frames(agent::control::kMaxCommand);
  frames.append(asked);
  agent::control::Frame frame;
  ASSERT_EQ(frames.next(frame), agent::control::FrameBuffer::Cut::frame);
  EXPECT_EQ(frame.message, Message::status);
  Bytes answer;
  append_frame(answer, {Message::answer, 0, frame.request, {}});
  EXPECT_EQ(hear(link, answer), Heard::nothing);
  EXPECT_EQ(hear(link, data(5, 1000, 50)), Heard::data);
}

TEST(agent_link, an_agent_that_cannot_resume_begins_at_its_first_byte) {
  AgentLink link = greeted(0, 5);
  link.resume(1000, 50);
  EXPECT_EQ(hear(link, data(5, 0, 50)), Heard::data);
  AgentLink refusing = greeted(0, 5);
  refusing.resume(1000, 50);
  EXPECT_EQ(hear(refusing, frame(Message::answer, {})), Heard::answer);
  EXPECT_EQ(refusing.credit(), 0U);
}

TEST(agent_link, hears_what_is_said_of_commands) {
  using agent::control::Outcome;
  AgentLink link = greeted(100);
  EXPECT_FALSE(link.may_control());
  const auto said = [](Message message, std::uint32_t request, Outcome outcome) {
    Body body;
    body.number(Field::outcome, static_cast<std::uint64_t>(outcome)).number(Field::state, 2);
    body.text(Field::text, "why");
    Bytes bytes;
    append_frame(bytes, {message, 0, request, body.view()});
    return bytes;
  };
  EXPECT_EQ(hear(link, data(5, 0, 40)), Heard::data);
  EXPECT_EQ(hear(link, said(Message::answer, 7, Outcome::wrong_state)), Heard::reply);
  EXPECT_EQ(link.reply().request, 7U);
  EXPECT_EQ(link.reply().outcome, Outcome::wrong_state);
  EXPECT_EQ(link.reply().state, 2U);
  EXPECT_EQ(link.reply().text, "why");
  EXPECT_EQ(hear(link, said(Message::done, 8, Outcome::ok)), Heard::reply);
  EXPECT_EQ(link.reply().message, Message::done);
  EXPECT_EQ(hear(link, data(5, 40, 20)), Heard::data) << "the stream goes on";
}

TEST(agent_link, asks_to_be_obeyed_and_hears_whether_it_is) {
  EXPECT_NE(AgentLink::hello({}, AgentLink::Wants::control), AgentLink::hello());
  Body body;
  body.number(Field::format, 2).number(Field::rights, 2).text(Field::label, "service=shop");
  AgentLink link;
  EXPECT_EQ(hear(link, frame(Message::welcome, body)), Heard::welcome);
  EXPECT_TRUE(link.may_control());
  EXPECT_EQ(link.labels(), std::vector<std::string>{"service=shop"});
}

TEST(agent_link, over_tcp_both_sides_show_the_token) {
  const auto shown = [](std::string_view token) {
    Body body;
    body.number(Field::format, 2).number(Field::process, 4711);
    if (!token.empty()) body.text(Field::token, token);
    return frame(Message::welcome, body);
  };
  const Bytes hello = AgentLink::hello("a word of both");
  const std::string_view text(reinterpret_cast<const char*>(hello.data()), hello.size());
  EXPECT_NE(text.find("a word of both"), text.npos);
  AgentLink link("a word of both");
  EXPECT_EQ(hear(link, shown("a word of both")), Heard::welcome);
  EXPECT_EQ(link.process(), 4711U);
  for (const std::string_view other : {"", "a word of bot", "a word of both.", "A word of both"}) {
    AgentLink stranger("a word of both");
    EXPECT_EQ(hear(stranger, shown(other)), Heard::refused) << other;
    EXPECT_EQ(stranger.why(), Refused::token);
  }
}

// As an agent does whose file has no more what a collector had.
TEST(agent_link, what_an_agent_has_no_more_it_leaves_out) {
  AgentLink link = greeted(100);
  EXPECT_EQ(hear(link, data(5, 0, 10)), Heard::data);
  EXPECT_EQ(hear(link, data(5, 500, 10)), Heard::data);
  EXPECT_EQ(link.offset(), 500U);
  EXPECT_EQ(hear(link, data(5, 510, 10)), Heard::data);
  EXPECT_EQ(hear(link, data(5, 515, 10)), Heard::refused);
  EXPECT_EQ(link.why(), Refused::order);
  AgentLink resumed = greeted(0, 5);
  resumed.resume(1000, 50);
  EXPECT_EQ(hear(resumed, data(5, 1200, 10)), Heard::data);
  AgentLink behind = greeted(0, 5);
  behind.resume(1000, 50);
  EXPECT_EQ(hear(behind, data(5, 999, 10)), Heard::refused);
}

TEST(agent_link, refuses_what_breaks_the_rules) {
  const auto why = [](AgentLink link, const Bytes& bytes) {
    EXPECT_EQ(hear(link, bytes), Heard::refused);
    EXPECT_EQ(hear(link, welcome()), Heard::nothing) << "heard after a refusal";
    return link.why();
  };
  EXPECT_EQ(why(AgentLink(), data(5, 0, 1)), Refused::protocol);
  EXPECT_EQ(why(AgentLink(), welcome(0)), Refused::format);
  EXPECT_EQ(why(greeted(9), welcome()), Refused::protocol);
  EXPECT_EQ(why(AgentLink(), {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}), Refused::protocol);
  EXPECT_EQ(why(greeted(9), data(5, 0, 10)), Refused::credit);
  EXPECT_EQ(why(greeted(9), data(5, 1, 1)), Refused::order);
  EXPECT_EQ(why(greeted(9), data(0, 0, 1)), Refused::order);
  AgentLink begun = greeted(9);
  EXPECT_EQ(hear(begun, data(5, 0, 1)), Heard::data);
  EXPECT_EQ(why(begun, data(5, 0, 1)), Refused::order) << "the same bytes twice";
  EXPECT_EQ(why(begun, data(6, 0, 1)), Refused::order) << "another stream before the end of one";
  EXPECT_EQ(hear(begun, end_of_stream()), Heard::stream_end);
  EXPECT_EQ(why(begun, data(5, 1, 1)), Refused::order) << "behind the end";
}

TEST(agent_link, any_bytes_end_in_a_refusal_at_the_worst) {
  std::mt19937 draw(1);
  for (int round = 0; round < 2000; ++round) {
    AgentLink link = greeted(1 << 16);
    Bytes bytes = data(5, 0, 30);
    const Bytes more = end_of_stream();
    bytes.insert(bytes.end(), more.begin(), more.end());
    for (int hits = 0; hits < 3; ++hits)
      bytes[draw() % bytes.size()] = static_cast<std::uint8_t>(draw());
    link.append(bytes);
    int heard = 0;
    while (link.next() != Heard::nothing) ASSERT_LT(++heard, 100);
    EXPECT_LE(link.credit(), 1U << 16);
  }
}

}  // namespace
}  // namespace polytrace::collector
