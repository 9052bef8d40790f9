// SPDX-License-Identifier: Apache-2.0
// A server for tests, with a handler that remembers what it was told and a stream in memory.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <mutex>

#include "agent/control/client.hpp"
#include "agent/control/server.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::agent::control {

class RecordingHandler final : public Handler {
 public:
  Facts facts() override { return {"Test VM 1", "polytrace-test", "monotonic", {"enter", "gc"}}; }
  State state() override { return state_; }
  Reply status() override { return {Outcome::ok, {}, {{"events", 42}, {"lost", 1}}}; }
  Reply start(const StartRequest& request) override {
    if (state_ != State::idle) return Reply::refused(Outcome::wrong_state, "runs already");
    state_ = State::running;
    return told("start " + request.session + " " + std::to_string(request.events.size()) + " " +
                std::to_string(request.duration_ms));
  }
  Reply stop() override {
    state_ = State::idle;
    return told("stop");
  }
  Reply set_filters(const std::vector<std::string>& rules) override {
    return told("filters " + std::to_string(rules.size()) + " " +
                (rules.empty() ? "" : rules.back().substr(0, 20)));
  }
  Reply set_option(std::string_view name, std::string_view value) override {
    return told("option " + std::string(name) + "=" + std::string(value));
  }
  Reply heap_dump(std::string_view name) override {
    told("dump " + std::string(name));
    return {Outcome::ok, "done", {{"objects", 3}}};
  }
  Reply annotate(std::string_view text) override { return told("note " + std::string(text)); }
  StreamState stream() override {
    const std::lock_guard lock(mutex_);
    return {id_, bytes_.size(), ended_};
  }
  std::size_t read_stream(std::uint64_t offset, std::span<std::uint8_t> into) override {
    const std::lock_guard lock(mutex_);
    const std::size_t size = std::min<std::size_t>(into.size(), bytes_.size() - offset);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), size, into.begin());
    return size;
  }

  void record(std::string_view text, bool ended = false, std::uint64_t id = 1) {
    const std::lock_guard lock(mutex_);
    if (id != id_) bytes_.clear();
    bytes_ += text;
    ended_ = ended;
    id_ = id;
  }
  std::vector<std::string> heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  Reply told(std::string text) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(std::move(text));
    return Reply::ok();
  }

  std::atomic<State> state_{State::idle};
  std::mutex mutex_;
  std::vector<std::string> heard_;
  std::string bytes_;
  bool ended_ = false;
  std::uint64_t id_ = 0;
};

class control_server : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kNever = 1'000'000;

  // Silence and stalls never end but where a test wants them to.
  ServerConfig config() {
    ServerConfig config;
    config.listen_unix = true;
    config.folder = folder_.file("meeting");
    config.silence_ms = config.frame_ms = config.stall_ms = kNever;
    config.converter = folder_.write("converter", "#!/bin/sh\nprintf '%s:' \"$4\"\nexec cat\n");
    chmod(config.converter.c_str(), 0700);
    return config;
  }
  template <class T>
  static void expect_done(const base::result<T>& result) {
    EXPECT_TRUE(result) << result.error().detail;
  }
  void open(ServerConfig with) {
    server_ = std::make_unique<Server>(handler_, std::move(with));
    const auto opened = server_->open();
    ASSERT_TRUE(opened) << opened.error().detail;
    ASSERT_TRUE(server_->start());
  }
  Client dial() {
    Client client;
    expect_done(client.connect_path(server_->socket_path()));
    return client;
  }
  Welcome greet(Client& client, Accepted accepts, bool control = true) {
    const auto welcome = client.greet({accepts, control, {}});
    expect_done(welcome);
    return welcome.value_or(Welcome{});
  }
  Answer ask(Client& client, Message message, const Body& body = {}) {
    const auto answer = client.command(message, body);
    expect_done(answer);
    return answer.value_or(Answer{});
  }
  void give_credit(Client& client, std::uint64_t bytes) {
    Body body;
    body.number(Field::bytes, bytes);
    EXPECT_TRUE(client.send({Message::credit, 0, 0, body.view()}));
  }
  // The content of DATA frames, up to so many bytes or the end of the stream.
  std::string take(Client& client, std::size_t size) {
    std::string content;
    Frame frame;
    while (content.size() < size && client.receive(frame, Client::kPatience) == kFrame &&
           frame.message == Message::data)
      content += content_of_frame(frame);
    return content;
  }
  // Everything up to the end of the connection.
  std::string drain(Client& client) {
    std::string all;
    for (bool ended = false; !ended;) {
      const std::string more = client.receive_text(Client::kPatience, ended);
      if (more.empty() && !ended) return all + "(no end)";
      all += more;
    }
    return all;
  }
  static std::string content_of_frame(const Frame& frame) {
    Items items(frame.body);
    for (Item item; items.next(item);) {
      if (item.is(Field::content)) return std::string(item.text());
    }
    return {};
  }
  ~control_server() override {
    if (server_) {
      EXPECT_TRUE(server_->stop(0));
    }
  }

  static constexpr auto kFrame = Client::Got::frame;
  static constexpr auto kEnd = Client::Got::end;
  test::TemporaryFolder folder_;
  RecordingHandler handler_;
  std::unique_ptr<Server> server_;
};

}  // namespace polytrace::agent::control
