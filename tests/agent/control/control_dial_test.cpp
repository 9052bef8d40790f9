// SPDX-License-Identifier: Apache-2.0
// An agent that dials, whatever its collector does.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "agent/control/dialer.hpp"
#include "agent/control_house.hpp"

namespace polytrace::agent::control {
namespace {

using ::testing::HasSubstr;

constexpr Accepted kAcceptsNative{false, true};

class control_dial : public control_server {
 protected:
  ServerConfig dialing() {
    ServerConfig dialing = config();
    dialing.listen_unix = false;
    dialing.connect = path();
    dialing.handshake_ms = kNever;
    dialing.redial_ms = 10;
    return dialing;
  }
  std::string path() { return folder_.file("collector"); }
  Descriptor listener() {
    auto listener = listen_unix(path());
    EXPECT_TRUE(listener) << listener.error().detail;
    return std::move(*listener);
  }
  // The next connection that the agent makes, however long it takes.
  Client accepted(const Descriptor& listener) {
    pollfd incoming{listener.get(), POLLIN, 0};
    EXPECT_EQ(poll(&incoming, 1, Client::kPatience), 1);
    return Client(Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK)));
  }
};

TEST(control_backoff, doubles_up_to_a_minute_and_wavers_by_a_fifth) {
  std::vector<std::uint64_t> firsts;
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    Backoff backoff(seed * 7919, 1000);
    for (const std::uint64_t wait : {1000U, 2000U, 4000U, 8000U, 16000U, 32000U, 60000U, 60000U}) {
      const std::uint64_t next = backoff.next();
      EXPECT_GE(next, wait * 4 / 5);
      EXPECT_LE(next, wait * 6 / 5);
      if (wait == 1000) firsts.push_back(next);
    }
    backoff.reset();
    EXPECT_LE(backoff.next(), 1200U);
  }
  std::ranges::sort(firsts);
  EXPECT_GT(std::ranges::unique(firsts).begin() - firsts.begin(), 50);
}

TEST_F(control_dial, comes_when_somebody_listens_and_again) {
  open(dialing());
  handler_.record("0123456789", false, 5);
  const Descriptor socket = listener();
  {
    Client first = accepted(socket);
    greet(first, kAcceptsNative);
    give_credit(first, 4);
    EXPECT_EQ(take(first, 4), "0123");
  }
  Client second = accepted(socket);
  EXPECT_EQ(greet(second, kAcceptsNative).stream, 5U);
  Body body;
  body.number(Field::bytes, 100).number(Field::stream, 5).number(Field::offset, 4);
  EXPECT_TRUE(second.send({Message::credit, 0, 0, body.view()}));
  EXPECT_EQ(take(second, 6), "456789");
}

// Neither garbage nor half a frame nor silence ends more than its own connection.
TEST_F(control_dial, outlives_what_is_wrong_with_collectors) {
  ServerConfig quick = dialing();
  quick.frame_ms = quick.handshake_ms = 200;
  open(quick);
  const Descriptor socket = listener();
  handler_.record("STREAM");
  for (const std::string_view said : {std::string_view("\xff\xff\xff\x7f garbage"),
                                      std::string_view("\x20\0\0\0\1", 5), std::string_view()}) {
    Client wrong = accepted(socket);
    if (!said.empty()) {
      EXPECT_TRUE(wrong.send_text(said));
    }
    // Nothing of the stream, in whatever format.
    EXPECT_THAT(drain(wrong), ::testing::Not(HasSubstr("STREAM")));
  }
  Client right = accepted(socket);
  greet(right, kAcceptsNative);
  give_credit(right, 100);
  EXPECT_EQ(take(right, 6), "STREAM");
}

// One that says how often it asks is missed; one that only asked is not.
TEST_F(control_dial, hangs_up_when_a_collector_falls_silent) {
  open(dialing());
  handler_.record("STREAM");
  const Descriptor socket = listener();
  Frame frame;
  Client silent = accepted(socket);
  greet(silent, kAcceptsNative);
  Body beat;
  beat.number(Field::duration, 50);
  EXPECT_TRUE(silent.send({Message::status, 0, 7, beat.view()}));
  ASSERT_EQ(silent.receive(frame, Client::kPatience), kFrame);
  EXPECT_EQ(frame.message, Message::answer);
  EXPECT_EQ(frame.request, 7U);
  Client second = accepted(socket);  // it has come again, with the first one still open here
  greet(second, kAcceptsNative);
  EXPECT_TRUE(second.send({Message::status, 0, 8, {}}));
  ASSERT_EQ(second.receive(frame, Client::kPatience), kFrame);
  pollfd incoming{socket.get(), POLLIN, 0};
  EXPECT_EQ(poll(&incoming, 1, 500), 0);
  give_credit(second, 100);
  EXPECT_EQ(take(second, 6), "STREAM");
}

TEST_F(control_dial, an_end_while_nobody_is_there_is_at_once) {
  open(dialing());
  handler_.record("STREAM", true);
  EXPECT_TRUE(server_->stop(kNever));  // would wait for ever for a client
}

TEST_F(control_dial, a_short_program_is_still_taken) {
  const Descriptor socket = listener();
  open(dialing());
  handler_.record("STREAM", true);
  Client collector = accepted(socket);
  std::thread end([&] { EXPECT_TRUE(server_->stop(kNever)); });
  greet(collector, kAcceptsNative);
  give_credit(collector, 100);
  std::string data;
  Frame frame;
  while (collector.receive(frame, Client::kPatience) == kFrame)
    if (frame.message == Message::data) data += content_of_frame(frame);
  end.join();
  EXPECT_EQ(data, "STREAM");
}

// What a child keeps open is not the connection.
TEST_F(control_dial, a_child_does_not_hold_the_connection) {
  const Descriptor socket = listener();
  open(dialing());
  Client collector = accepted(socket);
  greet(collector, kAcceptsNative);
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    close(hold[1]);
    _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(hold[0]);
  EXPECT_TRUE(server_->stop(0));
  EXPECT_THAT(drain(collector), ::testing::Not(HasSubstr("(no end)")));
  close(hold[1]);
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  server_.reset();
}

TEST_F(control_dial, over_tcp_both_sides_show_the_token) {
  std::uint16_t port = 0;
  auto socket = listen_loopback(port);
  ASSERT_TRUE(socket);
  ServerConfig tcp = dialing();
  tcp.connect = "tcp:127.0.0.1:" + std::to_string(port);
  EXPECT_FALSE(Server(handler_, tcp).open());  // no token
  tcp.token_file = folder_.write("token", "0123456789abcdef");
  ASSERT_EQ(chmod(tcp.token_file.c_str(), 0600), 0);
  open(tcp);
  handler_.record("STREAM");
  {
    Client wrong = accepted(*socket);
    EXPECT_FALSE(wrong.greet({kAcceptsNative, true, "0123456789abcdeF"}));
  }
  Client right = accepted(*socket);
  const auto welcome = right.greet({kAcceptsNative, true, "0123456789abcdef"});
  ASSERT_TRUE(welcome) << welcome.error().detail;
  EXPECT_EQ(welcome->token, "0123456789abcdef");
  give_credit(right, 100);
  EXPECT_EQ(take(right, 6), "STREAM");
}

TEST_F(control_dial, addresses_that_are_none) {
  for (const std::string wrong : {std::string("tcp:"), std::string("tcp:127.0.0.1"),
                                  std::string("tcp:127.0.0.1:0"), std::string("tcp:10.0.0.1:80"),
                                  std::string("tcp:127.0.0.1:65536"), std::string(108, 'x')}) {
    ServerConfig nowhere = dialing();
    nowhere.connect = wrong;
    EXPECT_FALSE(Server(handler_, nowhere).open()) << wrong;
  }
}

}  // namespace
}  // namespace polytrace::agent::control
