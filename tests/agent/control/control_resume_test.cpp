// SPDX-License-Identifier: Apache-2.0
// A client goes on where an earlier connection ended.
#include <gmock/gmock.h>

#include "agent/control_house.hpp"

namespace polytrace::agent::control {
namespace {

using ::testing::HasSubstr;

constexpr Accepted kOnlyNative{false, true};

class control_resume : public control_server {
 protected:
  // CREDIT with a place. The answer, where there is one.
  void resume(Client& client, std::uint64_t bytes, std::uint64_t stream, std::uint64_t offset) {
    Body body;
    body.number(Field::bytes, bytes).number(Field::stream, stream).number(Field::offset, offset);
    EXPECT_TRUE(client.send({Message::credit, 0, 7, body.view()}));
  }
  std::string refusal_of(Client& client) {
    Frame frame;
    if (client.receive(frame, Client::kPatience) != kFrame) return "(nothing)";
    EXPECT_EQ(frame.message, Message::answer);
    EXPECT_EQ(frame.request, 7U);
    std::string text;
    Items items(frame.body);
    for (Item item; items.next(item);) {
      if (item.is(Field::outcome)) EXPECT_EQ(item.value(), 4U);  // invalid
      if (item.is(Field::text)) text = item.text();
    }
    return text;
  }
  // Offset and content of the next DATA.
  std::pair<std::uint64_t, std::string> next_data(Client& client) {
    Frame frame;
    EXPECT_EQ(client.receive(frame, Client::kPatience), kFrame);
    EXPECT_EQ(frame.message, Message::data);
    std::uint64_t offset = UINT64_MAX;
    Items items(frame.body);
    for (Item item; items.next(item);)
      if (item.is(Field::offset)) offset = item.value();
    return {offset, content_of_frame(frame)};
  }
};

TEST_F(control_resume, begins_at_the_place_that_credit_names) {
  open(config());
  handler_.record("0123456789", false, 77);
  Client client = dial();
  EXPECT_EQ(greet(client, kOnlyNative).stream, 77U);
  resume(client, 3, 77, 4);
  EXPECT_EQ(next_data(client), std::pair(std::uint64_t{4}, std::string("456")));
  give_credit(client, 100);
  EXPECT_EQ(next_data(client), std::pair(std::uint64_t{7}, std::string("789")));
}

TEST_F(control_resume, at_its_end_a_stream_goes_on) {
  open(config());
  handler_.record("0123", false, 77);
  Client client = dial();
  greet(client, kOnlyNative);
  resume(client, 100, 77, 4);
  EXPECT_EQ(ask(client, Message::status).outcome, Outcome::ok);
  handler_.record("45", true, 77);
  server_->stream_grew();
  EXPECT_EQ(next_data(client), std::pair(std::uint64_t{4}, std::string("45")));
  // The next recording begins at its beginning.
  Frame frame;
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::notice);
  handler_.record("next", false, 78);
  server_->stream_grew();
  EXPECT_EQ(next_data(client), std::pair(std::uint64_t{0}, std::string("next")));
}

TEST_F(control_resume, what_cannot_be_is_refused_and_grants_nothing) {
  open(config());
  handler_.record("0123456789", false, 77);
  Client client = dial();
  greet(client, kOnlyNative);
  resume(client, 100, 78, 4);
  EXPECT_EQ(refusal_of(client), "the stream is another one");
  resume(client, 100, 0, 0);
  EXPECT_EQ(refusal_of(client), "the stream is another one");
  resume(client, 100, 77, 11);
  EXPECT_EQ(refusal_of(client), "the stream is shorter");
  give_credit(client, 2);
  EXPECT_EQ(next_data(client), std::pair(std::uint64_t{0}, std::string("01")));
  resume(client, 100, 77, 4);
  EXPECT_EQ(refusal_of(client), "it is too late to resume");
  give_credit(client, 2);
  EXPECT_EQ(next_data(client), std::pair(std::uint64_t{2}, std::string("23")));
  Client twice = dial();
  greet(twice, kOnlyNative, false);
  resume(twice, 0, 77, 4);
  resume(twice, 100, 77, 5);
  EXPECT_EQ(refusal_of(twice), "it is too late to resume");
  give_credit(twice, 2);
  EXPECT_EQ(next_data(twice), std::pair(std::uint64_t{4}, std::string("45")));
  Client xml = dial();
  greet(xml, {}, false);
  resume(xml, 100, 77, 0);
  EXPECT_EQ(refusal_of(xml), "only the native stream can be resumed");
}

TEST_F(control_resume, who_resumes_may_wait_without_credit) {
  ServerConfig quick = config();
  quick.stall_ms = 50;
  open(quick);
  handler_.record("0123456789", false, 77);
  Client impatient = dial();
  greet(impatient, kOnlyNative, false);
  Client client = dial();
  greet(client, kOnlyNative);
  resume(client, 3, 77, 0);
  give_credit(impatient, 3);
  EXPECT_EQ(take(client, 3), "012");
  EXPECT_EQ(take(impatient, 3), "012");
  Frame frame;
  EXPECT_EQ(impatient.receive(frame, Client::kPatience), kEnd);  // as much later as it takes
  give_credit(client, 100);
  EXPECT_EQ(take(client, 7), "3456789");
}

}  // namespace
}  // namespace polytrace::agent::control
