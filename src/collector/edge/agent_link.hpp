// SPDX-License-Identifier: Apache-2.0
// The client's side of the control protocol for an agent that dialled us: what its bytes say, and
// what is said to it; over TCP both sides show a token. Knows no sockets and no clock. Whatever an
// agent sends, it ends at the worst with a refusal; memory is one frame. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/control/protocol/frames.hpp"
#include "collector/flow/figures.hpp"

namespace polytrace::collector {

class AgentLink {
 public:
  using Bytes = agent::control::Bytes;
  using View = agent::control::View;

  enum class Heard : std::uint8_t {
    nothing,     // more bytes are needed
    welcome,     // who it is: agent(), runtime()
    data,        // of stream(): content(), at offset()
    stream_end,  // of stream(): it is whole
    answer,      // to resume(): the agent cannot, and got no credit
    reply,       // to a command: reply()
    notice,      // text()
    bye,         // text(): why
    refused,     // why(): nothing more is heard
  };

  // `token`: what both sides must show; empty: the kernel says who it is.
  explicit AgentLink(std::string token = {}) : token_(std::move(token)) {}

  void append(View bytes) { frames_.append(bytes); }
  Heard next();

  // What it said of a command.
  struct Reply {
    std::uint32_t request = 0;
    agent::control::Message message{};  // ANSWER, or DONE behind one
    agent::control::Outcome outcome = agent::control::Outcome::failed;
    std::uint64_t state = 0;  // agent::State
    std::string text{};
  };

  const std::string& agent() const { return agent_; }
  const std::string& runtime() const { return runtime_; }
  std::uint64_t process() const { return process_; }  // as it says itself
  // Behind a welcome the one that is there already; then the one that data came of. 0: none.
  std::uint64_t stream() const { return stream_; }
  std::uint64_t offset() const { return offset_; }
  // Until the next call.
  View content() const { return content_; }
  const std::string& text() const { return text_; }
  Refused why() const { return why_; }
  const Reply& reply() const { return reply_; }
  // Behind a welcome: whether it obeys us; its labels as it tells them, NAME=VALUE.
  bool may_control() const { return may_control_; }
  const std::vector<std::string>& labels() const { return labels_; }
  // That it may still send.
  std::uint64_t credit() const { return credit_; }

  // Wants::control: to be obeyed, too, which one client of an agent is.
  enum class Wants : bool { stream, control };
  static Bytes hello(std::string_view token = {}, Wants wants = Wants::stream);
  // `request` is not 0 and comes back in replies.
  static Bytes command(agent::control::Message message, std::uint32_t request,
                       const agent::control::Body& body);
  Bytes give_credit(std::uint64_t bytes);
  // The first credit of a stream whose beginning we have.
  Bytes resume(std::uint64_t offset, std::uint64_t bytes);
  // Whether it is still there: any agent answers. One of this version hangs up when it hears
  // nothing for three times as long as `every`, in milliseconds.
  static Bytes heartbeat(std::uint64_t every);
  // All of the stream before that is with us for good.
  static Bytes kept(std::uint64_t stream, std::uint64_t offset);
  static Bytes bye(std::string_view why);

 private:
  Heard refuse(Refused why);
  Heard hear_welcome(const agent::control::Frame& frame);
  Heard hear_data(const agent::control::Frame& frame);
  Heard hear_notice(const agent::control::Frame& frame);
  Heard hear_answer(const agent::control::Frame& frame);
  Heard hear_reply(const agent::control::Frame& frame);
  bool begins(std::uint64_t stream, std::uint64_t offset) const;

  std::string token_;
  std::uint64_t process_ = 0;
  agent::control::FrameBuffer frames_{agent::control::kMaxData};
  bool greeted_ = false;
  bool refused_ = false;
  bool began_ = false;  // the stream: data came of it
  bool ended_ = false;
  Refused why_{};
  std::string agent_, runtime_, text_;
  bool may_control_ = false;
  std::vector<std::string> labels_{};
  Reply reply_{};
  std::uint64_t stream_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
  std::uint64_t credit_ = 0;
  std::uint64_t resumed_ = 0;  // offset that was asked for; 0: none
  View content_{};
};

}  // namespace polytrace::collector
