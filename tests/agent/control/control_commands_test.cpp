// SPDX-License-Identifier: Apache-2.0
// Commands and rights over a real socket.
#include <gmock/gmock.h>

#include "agent/control_house.hpp"

namespace polytrace::agent::control {
namespace {

using ::testing::ElementsAre;

class control_commands : public control_server {
 protected:
  void SetUp() override { open(config()); }
};

TEST_F(control_commands, welcome_says_who_is_there) {
  Client client = dial();
  const Welcome welcome = greet(client, {false, true});
  EXPECT_EQ(welcome.version, kProtocolVersion);
  EXPECT_EQ(welcome.process, static_cast<std::uint64_t>(getpid()));
  EXPECT_EQ(welcome.started, start_time_of(getpid()));
  EXPECT_NE(welcome.started, 0U);
  EXPECT_EQ(welcome.runtime, "Test VM 1");
  EXPECT_EQ(welcome.agent, "polytrace-test");
  EXPECT_EQ(welcome.clock, "monotonic");
  EXPECT_THAT(welcome.capabilities, ElementsAre("enter", "gc"));
  EXPECT_EQ(welcome.right, Right::control);
  EXPECT_EQ(welcome.format, StreamFormat::native);
}

TEST_F(control_commands, reach_the_handler) {
  Client client = dial();
  greet(client, {});
  Body start;
  start.text(Field::session, "s1").text(Field::event, "calls").number(Field::duration, 50);
  Answer answer = ask(client, Message::start, start);
  EXPECT_EQ(answer.outcome, Outcome::ok);
  EXPECT_EQ(answer.state, State::running);
  EXPECT_EQ(ask(client, Message::start, start).outcome, Outcome::wrong_state);
  Body option;
  option.text(Field::name, "flush").text(Field::value, "100");
  EXPECT_EQ(ask(client, Message::set_option, option).outcome, Outcome::ok);
  Body note;
  note.text(Field::text, "here");
  EXPECT_EQ(ask(client, Message::annotate, note).outcome, Outcome::ok);
  EXPECT_EQ(ask(client, Message::pause).outcome, Outcome::unsupported);
  answer = ask(client, Message::status);
  ASSERT_EQ(answer.figures.size(), 2U);
  EXPECT_EQ(answer.figures[0].name, "events");
  EXPECT_EQ(answer.figures[0].value, 42U);
  EXPECT_EQ(ask(client, Message::stop).state, State::idle);
  EXPECT_THAT(handler_.heard(),
              ElementsAre("start s1 1 50", "option flush=100", "note here", "stop"));
}

TEST_F(control_commands, dumps_are_answered_twice) {
  Client client = dial();
  greet(client, {});
  Body body;
  body.text(Field::name, "one");
  EXPECT_TRUE(client.send({Message::heap_dump, 0, 77, body.view()}));
  Frame frame;
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::answer);
  EXPECT_EQ(frame.request, 77U);
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::done);
  EXPECT_EQ(frame.request, 77U);
  const Answer last = ask(client, Message::heap_dump, body);
  EXPECT_EQ(last.text, "done");
  EXPECT_THAT(handler_.heard(), ElementsAre("dump one", "dump one"));
}

TEST_F(control_commands, long_lists_of_filters_arrive_whole) {
  Client client = dial();
  greet(client, {});
  const auto outcome_of = [&](const std::vector<std::string>& list) {
    const auto answer = client.set_filters(list);
    expect_done(answer);
    return answer.value_or(Answer{}).outcome;
  };
  std::vector<std::string> rules(4096, std::string(1000, 'x'));
  rules.back() = "last * INCLUDE";
  EXPECT_EQ(outcome_of(rules), Outcome::ok);
  rules.push_back("one too many");
  EXPECT_EQ(outcome_of(rules), Outcome::invalid);
  EXPECT_EQ(outcome_of({std::string(1025, 'x')}), Outcome::invalid);
  EXPECT_EQ(outcome_of({}), Outcome::ok);
  EXPECT_THAT(handler_.heard(), ElementsAre("filters 4096 last * INCLUDE", "filters 0 "));
}

TEST_F(control_commands, one_controls_all_others_observe) {
  auto first = std::make_unique<Client>(dial());
  EXPECT_EQ(greet(*first, {}).right, Right::control);
  Client second = dial();
  EXPECT_EQ(greet(second, {}).right, Right::observe);
  EXPECT_EQ(ask(second, Message::status).outcome, Outcome::ok);
  EXPECT_EQ(ask(second, Message::stop).outcome, Outcome::forbidden);
  EXPECT_EQ(ask(second, Message::heap_dump).outcome, Outcome::forbidden);
  EXPECT_THAT(handler_.heard(), ElementsAre());
  Frame frame;
  first->send({Message::bye, 0, 0, {}});
  EXPECT_EQ(first->receive(frame, Client::kPatience), kEnd);
  Client third = dial();
  EXPECT_EQ(greet(third, {}).right, Right::control);
}

TEST_F(control_commands, wrong_talk_is_answered_or_ends) {
  Client client = dial();
  greet(client, {});
  EXPECT_EQ(ask(client, static_cast<Message>(999)).outcome, Outcome::unsupported);
  EXPECT_EQ(ask(client, Message::welcome).outcome, Outcome::unsupported);
  EXPECT_EQ(ask(client, Message::hello).outcome, Outcome::invalid);
  const Bytes damaged = {17, 200, 1};
  ASSERT_TRUE(client.send({Message::annotate, 0, 5, damaged}));
  Frame frame;
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::answer);
  const Bytes unknown_field = {99, 1, 0};
  ASSERT_TRUE(client.send({Message::stop, 0, 6, unknown_field}));
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::answer);
  EXPECT_THAT(handler_.heard(), ElementsAre("stop"));
}

TEST_F(control_commands, who_does_not_greet_is_sent_away) {
  Client client = dial();
  ASSERT_TRUE(client.send({Message::status, 0, 1, {}}));
  Frame frame;
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::bye);
  EXPECT_EQ(client.receive(frame, Client::kPatience), kEnd);
  Client old = dial();
  Body body;
  body.number(Field::version, 0);
  ASSERT_TRUE(old.send({Message::hello, 0, 1, body.view()}));
  ASSERT_EQ(old.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::bye);
  Client babbler = dial();
  ASSERT_TRUE(babbler.send_text("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(babbler.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::bye);
  EXPECT_EQ(babbler.receive(frame, Client::kPatience), kEnd);
}

TEST_F(control_server, limits_are_held) {
  ServerConfig few = config();
  few.max_clients = 2;
  few.heap_dumps = false;
  open(few);
  Client one = dial(), two = dial();
  greet(one, {});
  greet(two, {});
  Client three = dial();
  Frame frame;
  EXPECT_EQ(three.receive(frame, Client::kPatience), kEnd);
  EXPECT_EQ(ask(one, Message::heap_dump).outcome, Outcome::forbidden);
  EXPECT_TRUE(handler_.heard().empty());
}

TEST_F(control_server, observers_only_where_the_agent_says_so) {
  ServerConfig watched = config();
  watched.most = Right::observe;
  open(watched);
  Client client = dial();
  EXPECT_EQ(greet(client, {}).right, Right::observe);
}

TEST_F(control_server, a_half_frame_is_not_waited_for) {
  ServerConfig quick = config();
  quick.frame_ms = 20;
  open(quick);
  Client client = dial();
  greet(client, {});
  ASSERT_TRUE(client.send_text(std::string_view("\x20\0\0\0\x0b", 5)));
  Frame frame;
  EXPECT_EQ(client.receive(frame, Client::kPatience), kEnd);
}

}  // namespace
}  // namespace polytrace::agent::control
