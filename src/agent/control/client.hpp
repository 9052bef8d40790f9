// SPDX-License-Identifier: Apache-2.0
// A client's side of the control protocol, for commands and tests: calls wait, at most as long as
// they are told. The detail of an error says why in a sentence. One thread at a time.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/common/memory/status.hpp"
#include "agent/control/protocol/endpoint.hpp"
#include "agent/control/protocol/frames.hpp"
#include "agent/control/protocol/handler.hpp"
#include "agent/control/protocol/negotiation.hpp"
#include "base/result.hpp"

namespace polytrace::agent::control {

struct Hello {
  Accepted accepts;
  bool wants_control = false;
  std::string token;  // TCP
};

struct Welcome {
  std::uint64_t version = 0, process = 0, started = 0;
  StreamFormat format = StreamFormat::xml;
  Right right = Right::none;
  State state = State::idle;
  std::string runtime, agent, clock;
  std::string token;  // of an agent that dialled over TCP
  std::vector<std::string> capabilities;
  std::vector<std::string> labels;  // NAME=VALUE
  std::uint64_t stream = 0;         // of the recording that is there; 0: none
};

struct Answer {
  Outcome outcome = Outcome::failed;
  State state = State::idle;
  std::string text;
  std::vector<Counter> figures;
};

class Client {
 public:
  static constexpr int kPatience = 10'000;  // milliseconds

  // The socket of a process in any of the folders where it may be.
  base::result<void> connect_process(pid_t process);
  base::result<void> connect_path(const std::string& path);
  base::result<void> connect_port(std::uint16_t port);
  // Takes a connection that somebody else made.
  explicit Client(Descriptor socket = {}) : socket_(std::move(socket)) {}

  base::result<Welcome> greet(const Hello& hello);
  // Sends a command and waits for its answer; of a heap dump for the last one. What else arrives
  // meanwhile is kept in notices(), or dropped if it is data.
  base::result<Answer> command(Message message, const Body& body, int patience_ms = kPatience);
  // A list of any length, in as many frames as it takes.
  base::result<Answer> set_filters(const std::vector<std::string>& rules);

  bool send(const Frame& frame);
  bool send_text(std::string_view text);
  enum class Got : std::uint8_t { frame, nothing, end, damaged };
  // The next frame, whose body lives until the next call.
  Got receive(Frame& frame, int patience_ms);
  // Whatever has arrived, for who speaks without frames; "" after the patience or at the end.
  std::string receive_text(int patience_ms, bool& ended);
  void close_output();

  const std::vector<std::string>& notices() const { return notices_; }
  int socket() const { return socket_.get(); }

 private:
  bool send_all(View bytes);
  bool wait(short what, int patience_ms);
  base::result<Answer> await(std::uint32_t request, bool is_dump, int patience_ms);

  Descriptor socket_;
  FrameBuffer frames_{kMaxData};
  std::uint32_t request_ = 0;
  std::vector<std::string> notices_;
};

// Connects to a process and has its recording stopped.
base::result<Answer> stop_recording(pid_t process);

}  // namespace polytrace::agent::control
