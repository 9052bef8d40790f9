// SPDX-License-Identifier: Apache-2.0
#include "collector/door/door.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <thread>

#include "agent/control/protocol/endpoint.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

// "0", "1" ...: so many, of which it has only some.
class Digits final : public http::BodySource {
 public:
  Digits(std::uint64_t size, std::uint64_t has) : size_(size), has_(has) {}
  std::uint64_t size() const override { return size_; }
  void next(TakePart take) override {
    if (at_ == has_) return take(std::nullopt);
    take(std::string(1, static_cast<char>('0' + at_++)));
  }

 private:
  const std::uint64_t size_, has_;
  std::uint64_t at_ = 0;
};

// A door on loopback, plain, with some routes, on a thread of its own.
class OpenDoor {
 public:
  OpenDoor() {
    std::string lines;
    for (auto* const token : {&pusher, &reader}) {
      const auto made = make_new_token(token == &pusher ? "pusher" : "reader", "shop").value();
      *token = made.token;
      lines += made.lines;
      if (token == &reader) lines.replace(lines.rfind("push"), 4, "read");
    }
    std::ofstream(tokens_) << lines;
    const auto tells_caller = [](Call call) {
      call.done(plain(200, fmt::format("{} of {}: {}, {} bytes", call.caller.name,
                                       call.caller.tenant, call.rest, call.request.body.size())));
    };
    door = Door::open(
               context_, {.listen = {.port = 0}, .token_file = tokens_},
               {{.method = "POST",
                 .path = "/v1/rows/",
                 .role = Role::push,
                 .most_body = 10,
                 .answer = tells_caller},
                {.method = "GET", .path = "/v1/what", .role = Role::read, .answer = tells_caller},
                {.method = "GET", .path = "/free", .answer = tells_caller},
                {.method = "GET",
                 .path = "/digits/",  // how many it has of nine
                 .answer =
                     [](Call call) {
                       http::Reply reply = plain(200, "9: ");
                       reply.source = std::make_shared<Digits>(
                           9, static_cast<std::uint64_t>(call.rest[0] - '0'));
                       call.done(std::move(reply));
                     }}},
               figures, [](const LogEntry&) {})
               .value();
    thread_ = std::thread([this] { context_.run(); });
  }
  OpenDoor(const OpenDoor&) = delete;
  OpenDoor& operator=(const OpenDoor&) = delete;
  ~OpenDoor() {
    context_.stop();
    thread_.join();
  }

  // The whole answer to one request on a connection of its own.
  std::string ask(const std::string& line, const std::string& token = {},
                  const std::string& body = {}) const {
    const auto socket = agent::control::connect_loopback(door->port()).value();
    std::string text = line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    if (!token.empty()) text += "Authorization: Bearer " + token + "\r\n";
    if (!body.empty()) text += fmt::format("Content-Length: {}\r\n", body.size());
    text += "\r\n" + body;
    fcntl(socket.get(), F_SETFL, 0);
    EXPECT_EQ(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), std::ssize(text));
    std::string answer(4096, '\0');
    std::size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < answer.size(); size += static_cast<std::size_t>(got))
      got = std::max<ssize_t>(0, recv(socket.get(), &answer[size], answer.size() - size, 0));
    answer.resize(size);
    return answer;
  }

  Figures figures;
  std::string pusher, reader;

 private:
  const test::TemporaryFolder folder_;
  const std::string tokens_ = folder_.file("tokens.toml");
  boost::asio::io_context context_{1};
  std::thread thread_;

 public:
  std::unique_ptr<Door> door;
};

std::string status_in(const std::string& answer) { return answer.substr(9, 3); }

TEST(collect_door, routes_are_gone_by_those_who_may) {
  const OpenDoor open;
  const std::string rows = open.ask("POST /v1/rows/frames?x=1", open.pusher, "0123456789");
  EXPECT_TRUE(rows.ends_with("pusher of shop: frames, 10 bytes")) << rows;
  EXPECT_TRUE(open.ask("GET /v1/what", open.reader).ends_with("reader of shop: , 0 bytes"));
  EXPECT_TRUE(open.ask("GET /free").ends_with(" of : , 0 bytes"));
  EXPECT_EQ(status_in(open.ask("HEAD /free")), "200");
  for (const auto& [line, token, status] :
       std::initializer_list<std::tuple<std::string, std::string, std::string>>{
           {"POST /v1/rows/frames", {}, "401"},
           {"POST /v1/rows/frames", "wrong", "401"},
           {"POST /v1/rows/frames", open.reader, "403"},
           {"GET /v1/what", open.pusher, "403"},
           {"GET /v1/rows/frames", open.pusher, "405"},
           {"GET /v1/whatever", open.reader, "404"},
           {"GET /v1/rows", open.pusher, "404"},
           {"GET /" + std::string(9000, 'x'), {}, "414"}})
    EXPECT_EQ(status_in(open.ask(line, token)), status) << line;
  EXPECT_EQ(status_in(open.ask("POST /v1/rows/frames", open.pusher, "01234567890")), "413");
  EXPECT_EQ(status_in(open.ask("GET /free", {}, "x")), "413");
  EXPECT_EQ(open.figures.refused_total[static_cast<std::size_t>(Refused::token)], 2U);
  EXPECT_EQ(open.figures.refused_total[static_cast<std::size_t>(Refused::role)], 2U);
}

TEST(collect_door, a_body_comes_part_by_part_and_one_that_ends_early_is_cut_off) {
  const OpenDoor open;
  const std::string whole = open.ask("GET /digits/9");
  EXPECT_NE(whole.find("Content-Length: 12\r\n"), whole.npos) << whole;
  EXPECT_TRUE(whole.ends_with("\r\n\r\n9: 012345678")) << whole;
  const std::string part = open.ask("GET /digits/4");
  EXPECT_NE(part.find("Content-Length: 12\r\n"), part.npos) << part;
  EXPECT_TRUE(part.ends_with("\r\n\r\n9: 0123")) << part;
  const std::string head = open.ask("HEAD /digits/9");
  EXPECT_NE(head.find("Content-Length: "), head.npos) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
}

TEST(collect_door, plain_http_stays_on_this_machine) {
  boost::asio::io_context context(1);
  Figures figures;
  for (const std::string_view address : {"0.0.0.0", "::", "10.0.0.1", "localhost", "nowhere"}) {
    const auto door = Door::open(context, {.listen = {.address = std::string(address)}}, {},
                                 figures, [](const LogEntry&) {});
    ASSERT_FALSE(door) << address;
    EXPECT_EQ(door.error().code, base::Code::open_failed);
  }
  EXPECT_TRUE(Door::open(context, {.listen = {.address = "127.0.0.1"}}, {}, figures,
                         [](const LogEntry&) {}));
}

}  // namespace
}  // namespace polytrace::collector
