// SPDX-License-Identifier: Apache-2.0
// Messages of text both ways over one connection (WebSocket), which stays: taken by a listener
// (Reply::upgrade), or dialled. Who says nothing for kSilence is asked whether it is there, and the
// channel is over where no answer comes. One thread, the context's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/listener.hpp"

namespace polytrace::http {

class Channel {
 public:
  static constexpr std::chrono::seconds kSilence{15};
  static constexpr std::size_t kMostUnread = std::size_t{8} << 20;  // of bytes to be sent

  struct Hands {
    std::size_t most = 0;  // bytes of a message; a longer one ends the channel
    std::function<void(std::string message)> heard{};
    std::function<void(const std::string& why)> over{};  // once, unless close() was called
  };
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Once, before anything else. What the hands hold is let go at the end.
  virtual void begin(Hands hands) = 0;
  virtual void send(std::string message) = 0;
  virtual void close() = 0;

 protected:
  Channel() = default;
};

struct DialOptions {
  std::string host{};
  std::string port{};
  std::string path{};
  bool over_tls = true;
  TlsFiles tls{};  // shown, and whom to believe; without `ca` those that the system believes
  std::vector<Field> fields{};
  std::chrono::seconds within{10};
};
// Gives the channel, or why there is none: once, never from within the call. TLS 1.3, and the
// certificate must be the host's. Errors: open_failed (files, host, TLS, another answer than 101).
using TakeChannel = std::function<void(base::result<std::shared_ptr<Channel>>)>;
void dial(boost::asio::io_context& context, DialOptions options, TakeChannel take);

}  // namespace polytrace::http
