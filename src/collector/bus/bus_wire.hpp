// SPDX-License-Identifier: Apache-2.0
// What is said over the bus and kept by nobody: messages of one subject come, others are published,
// over a connection of its own. Where it ends another one is opened, after 1 s doubling to 30 s, or
// ten minutes later where the broker does not allow it. What is said meanwhile is lost.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "collector/config/config.hpp"

namespace polytrace::collector {

class BusWire {
 public:
  static constexpr std::size_t kMostUnread = 1024;  // messages for the loop; others are lost
  static constexpr std::size_t kMostUnsent = 64;

  struct Message {
    std::string subject{};
    std::string reply{};  // where an answer goes; empty: nowhere
    std::string text{};
  };
  // Called by the loop, never after close().
  struct Hands {
    std::function<void()> up{};  // it listens
    std::function<void(Message message)> heard{};
    std::function<void(const std::string& why)> down{};  // it does not, any more or yet
  };

  // The context outlives it. `subject` may be of many, with stars.
  static std::shared_ptr<BusWire> open(boost::asio::io_context& context, Config config,
                                       std::string subject, Hands hands);
  virtual ~BusWire() = default;
  BusWire(const BusWire&) = delete;
  BusWire& operator=(const BusWire&) = delete;

  // Goes when it can, in order.
  virtual void publish(Message message) = 0;
  // What was published goes still, if that takes no longer than some seconds. Once.
  virtual void close() = 0;

 protected:
  BusWire() = default;
};

}  // namespace polytrace::collector
