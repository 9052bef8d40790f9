// SPDX-License-Identifier: Apache-2.0
// Commands, and questions for parts of streams, over the bus: the messages of edge_post.hpp, which
// are in no stream, so that none waits. What nobody hears is not reached. Subjects:
//   pt.v1.<tenant>.here.<edge>        by an edge, each kHereEvery; with a text: it goes
//   pt.v1.<tenant>.cmd.<edge>         by a hub
//   pt.v1.<tenant>.said.<hub>.<edge>  the answer
// Who may say and hear what is the broker's to tell. One thread, the loop's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collector/config/config.hpp"
#include "collector/control/edge_post.hpp"
#include "collector/flow/figures.hpp"

namespace polytrace::collector {

inline constexpr std::chrono::seconds kHereEvery{10};
inline constexpr std::chrono::seconds kHereNoMore{35};  // of silence

// "pt.v1.shop.here.edge-1" with the verb "here", and a hub's name where the verb has one.
struct EdgeSubject {
  std::string tenant{};
  std::string edge{};
};
std::string edge_subject(const EdgeSubject& of, std::string_view verb);
// Nothing: it is none, or of another verb.
std::optional<EdgeSubject> parse_edge_subject(std::string_view text, std::string_view verb);

// An edge's end. All outlive it. Null: built without libnats, or the edge has a name that no
// subject can have, which is told.
class BusCommands {
 public:
  static std::unique_ptr<BusCommands> open(boost::asio::io_context& context, const Config& config,
                                           std::string name, Executor& executor, EdgeService& other,
                                           Tell tell);
  virtual ~BusCommands() = default;
  BusCommands(const BusCommands&) = delete;
  BusCommands& operator=(const BusCommands&) = delete;

 protected:
  BusCommands() = default;
};

// A hub's end: each edge that says it is there is met as one that keeps a channel open.
class BusEdges {
 public:
  static constexpr std::size_t kMostMet = 10'000;

  using Meet = std::function<void(const EdgeSubject& edge, std::shared_ptr<http::Channel> channel)>;
  static std::unique_ptr<BusEdges> open(boost::asio::io_context& context, const Config& config,
                                        Meet meet, Tell tell);
  virtual ~BusEdges() = default;
  BusEdges(const BusEdges&) = delete;
  BusEdges& operator=(const BusEdges&) = delete;

 protected:
  BusEdges() = default;
};

}  // namespace polytrace::collector
