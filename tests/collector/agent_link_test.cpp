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

TEST(agent_link, an_agent_that_cannot_resume_begins_at_its_first_byte) {
  AgentLink link = greeted(0, 5);
  link.resume(1000, 50);
  EXPECT_EQ(hear(link, data(5, 0, 50)), Heard::data);
  AgentLink refusing = greeted(0, 5);
  refusing.resume(1000, 50);
  EXPECT_EQ(hear(refusing, frame(Message::answer, {})), Heard::answer);
  EXPECT_EQ(refusing.credit(), 0U);
}

TEST(agent_link, refuses_what_breaks_the_rules) {
  const auto why = [](AgentLink link, const Bytes& bytes) {
    EXPECT_EQ(hear(link, bytes), Heard::refused);
    EXPECT_EQ(hear(link, welcome()), Heard::nothing) << "heard after a refusal";
    return link.why();
  };
  EXPECT_EQ(why({}, data(5, 0, 1)), Refused::protocol);
  EXPECT_EQ(why({}, welcome(0)), Refused::format);
  EXPECT_EQ(why(greeted(9), welcome()), Refused::protocol);
  EXPECT_EQ(why({}, {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}), Refused::protocol);
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
