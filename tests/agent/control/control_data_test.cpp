// SPDX-License-Identifier: Apache-2.0
// The stream on its way to clients: formats, credit, clients that stall, the end.
#include <gmock/gmock.h>
#include <poll.h>

#include "agent/control_house.hpp"

namespace polytrace::agent::control {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Accepted kNative{false, true}, kTbf{true, false};
constexpr std::string_view kAskBinary =
    "<setOutputFormat><format>Binary</format></setOutputFormat>";
constexpr std::string_view kGotBinary =
    "<enabledOutputFormat><format>binary</format></enabledOutputFormat>";
constexpr std::string_view kGotXml =
    "<enabledOutputFormat><format>xml</format></enabledOutputFormat>";

TEST_F(control_server, data_never_exceeds_the_credit) {
  open(config());
  handler_.record("0123456789");
  Client client = dial();
  greet(client, kNative);
  give_credit(client, 4);
  EXPECT_EQ(take(client, 4), "0123");
  // Whatever was sent before the answer has arrived before it.
  EXPECT_EQ(ask(client, Message::status).outcome, Outcome::ok);
  give_credit(client, 100);
  EXPECT_EQ(take(client, 6), "456789");
  handler_.record("more");
  server_->stream_grew();
  EXPECT_EQ(take(client, 4), "more");
  Client late = dial();
  greet(late, kNative, false);
  give_credit(late, 100);
  EXPECT_EQ(take(late, 14), "0123456789more");
}

TEST_F(control_server, without_credit_nothing_flows) {
  open(config());
  handler_.record("0123456789");
  Client client = dial();
  greet(client, kNative);
  give_credit(client, 3);
  EXPECT_EQ(take(client, 3), "012");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send({Message::status, 0, 9, {}}));
    Frame frame;
    ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
    EXPECT_EQ(frame.message, Message::answer);
  }
}

TEST_F(control_server, who_stalls_without_credit_is_dropped) {
  ServerConfig quick = config();
  quick.stall_ms = 50;
  open(quick);
  handler_.record("0123456789");
  Client observer = dial();  // takes no data: never stalls
  greet(observer, kNative, false);
  Client client = dial();
  greet(client, kNative);
  give_credit(client, 3);
  EXPECT_EQ(take(client, 3), "012");
  Frame frame;
  EXPECT_EQ(client.receive(frame, Client::kPatience), kEnd);
  EXPECT_EQ(ask(observer, Message::status).outcome, Outcome::ok);
}

TEST_F(control_server, who_does_not_read_is_dropped_and_others_are_served) {
  ServerConfig quick = config();
  quick.stall_ms = 1000;
  open(quick);
  handler_.record(std::string(4U << 20, 'x'));
  Client stuck = dial();
  greet(stuck, kNative);
  give_credit(stuck, 1U << 30);
  Client reader = dial();
  greet(reader, kNative, false);
  give_credit(reader, 1U << 30);
  EXPECT_EQ(take(reader, 4U << 20).size(), 4U << 20);
  pollfd hung_up{stuck.socket(), 0, 0};
  EXPECT_EQ(poll(&hung_up, 1, Client::kPatience), 1);
  // What the socket held already arrives, then it ends.
  EXPECT_LT(take(stuck, 4U << 20).size(), 4U << 20);
}

TEST_F(control_server, the_end_of_the_stream_is_said) {
  open(config());
  handler_.record("all", true);
  Client client = dial();
  greet(client, kNative);
  give_credit(client, 100);
  EXPECT_EQ(take(client, 3), "all");
  Frame frame;
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::notice);
  handler_.record("next", false, 2);
  server_->stream_grew();
  EXPECT_EQ(take(client, 4), "next");
}

TEST_F(control_server, framed_clients_get_what_they_accept) {
  ServerConfig binary = config();
  binary.format = FormatOption::tbf;
  open(binary);
  handler_.record("STREAM");
  Client client = dial();
  EXPECT_EQ(greet(client, kTbf).format, StreamFormat::tbf);
  give_credit(client, 100);
  EXPECT_EQ(take(client, 10), "tbf:STREAM");
  Client plain = dial();
  EXPECT_EQ(greet(plain, {}, false).format, StreamFormat::xml);
  give_credit(plain, 100);
  EXPECT_EQ(take(plain, 13), "trcxml:STREAM");
}

TEST_F(control_server, old_clients_ask_in_xml) {
  ServerConfig binary = config();
  binary.format = FormatOption::tbf;
  open(binary);
  handler_.record("STREAM", true);
  Client client = dial();
  client.send_text(kAskBinary);
  client.send_text("<startMonitoring/>");
  EXPECT_EQ(drain(client), std::string(kGotBinary) + "tbf:STREAM");
}

TEST_F(control_server, old_clients_get_xml_unless_the_agent_allows_binary) {
  ServerConfig xml = config();
  xml.format = FormatOption::xml;
  open(xml);
  handler_.record("STREAM", true);
  Client client = dial();
  client.send_text(kAskBinary);
  client.close_output();
  EXPECT_EQ(drain(client), std::string(kGotXml) + "trcxml:STREAM");
}

TEST_F(control_server, the_answer_stays_while_data_flow) {
  ServerConfig binary = config();
  binary.format = FormatOption::tbf;
  open(binary);
  handler_.record("one");
  Client client = dial();
  client.send_text("<setOutputFormat><format>xml</format></setOutputFormat>");
  bool ended = false;
  EXPECT_EQ(client.receive_text(Client::kPatience, ended), kGotXml);
  client.send_text("<startMonitoring/>");
  std::string got;
  while (got.size() < 10 && !ended) got += client.receive_text(Client::kPatience, ended);
  EXPECT_EQ(got, "trcxml:one");
  client.send_text(kAskBinary);
  client.close_output();
  // Said again when nothing else is: within the data it would be damage. Two turns of the server
  // make sure that it has heard.
  Client other = dial();
  greet(other, {});
  ask(other, Message::status);
  ask(other, Message::status);
  handler_.record("two", true);
  server_->stream_grew();
  EXPECT_EQ(drain(client), "two" + std::string(kGotXml));
}

TEST_F(control_server, who_says_nothing_gets_xml_even_under_binary) {
  ServerConfig binary = config();
  binary.format = FormatOption::tbf;
  binary.silence_ms = 20;
  open(binary);
  handler_.record("STREAM", true);
  Client client = dial();
  EXPECT_EQ(drain(client), "trcxml:STREAM");
}

TEST_F(control_server, controlled_mode_starts_for_old_clients) {
  ServerConfig controlled = config();
  controlled.mode = ServerMode::controlled;
  open(controlled);
  handler_.record("STREAM", true);
  Client client = dial();
  client.send_text("<startMonitoring/>");
  EXPECT_EQ(drain(client), "trcxml:STREAM");
  EXPECT_THAT(handler_.heard(), ::testing::ElementsAre("start  0 0"));
}

TEST_F(control_server, without_converter_it_is_said) {
  ServerConfig none = config();
  none.converter.clear();
  open(none);
  handler_.record("STREAM", true);
  Client old = dial();
  old.close_output();
  EXPECT_THAT(drain(old), StartsWith("<!-- "));
  Client client = dial();
  greet(client, {});
  give_credit(client, 10);
  Frame frame;
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::notice);
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::bye);
}

TEST_F(control_server, a_converter_that_dies_is_no_end_of_the_stream) {
  ServerConfig dying = config();
  dying.converter = folder_.write("dying", "#!/bin/sh\nprintf start\nexit 2\n");
  chmod(dying.converter.c_str(), 0700);
  open(dying);
  handler_.record("STREAM");
  Client client = dial();
  greet(client, {});
  give_credit(client, 100);
  EXPECT_EQ(take(client, 5), "start");
  Frame frame;
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::notice);
  ASSERT_EQ(client.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::bye);
}

TEST_F(control_server, at_the_end_of_the_program_the_rest_is_sent) {
  open(config());
  handler_.record("first");
  Client client = dial();
  greet(client, kNative);
  give_credit(client, 1000);
  EXPECT_EQ(take(client, 5), "first");
  Client old = dial();
  handler_.record(" and last", true);
  const std::string path = server_->socket_path();
  ASSERT_TRUE(server_->stop(60'000));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
  std::string rest, notices;
  Frame frame;
  bool bye = false;
  while (client.receive(frame, Client::kPatience) == kFrame) {
    rest += content_of_frame(frame);
    bye = frame.message == Message::bye;
  }
  EXPECT_EQ(rest, " and last");
  EXPECT_TRUE(bye);
  EXPECT_EQ(drain(old), "trcxml:first and last");
  server_.reset();
}

}  // namespace
}  // namespace polytrace::agent::control
