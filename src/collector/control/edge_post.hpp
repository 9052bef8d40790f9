// SPDX-License-Identifier: Apache-2.0
// One edge as who commands sees it: in this process, or at the other end of a channel that the edge
// keeps open. What is asked of it is answered in time, if only by "not reached". One thread, the
// loop's; `take` is called once, never from within the call.
//
// Between hub and edge, a JSON object a message:
//   {"id": 7, "do": "find", "where": "service=\"shop\"", "limit": 3}
//     {"id": 7, "matched": 9, "found": [{"number": 4, "series": "16 hex", "service", "host",
//      "instance"}]}
//   {"id": 8, "do": "act", "number": 4, "verb": "level", "order": {"events": ["gc"], ...}}
//   {"id": 9, "do": "judge", "number": 4}
//     {"id": 9, "outcome": "ok", "text": ""}
#pragma once

#include "collector/control/executor.hpp"
#include "http/channel.hpp"

namespace polytrace::collector {

class EdgePost {
 public:
  using TakeFound = std::function<void(std::optional<Found>)>;  // nothing: not reached

  virtual ~EdgePost() = default;
  EdgePost(const EdgePost&) = delete;
  EdgePost& operator=(const EdgePost&) = delete;

  virtual const std::string& name() const = 0;
  // Of programs whose rows go to that database alone.
  virtual void find(const std::string& where, const std::string& database, std::uint64_t most,
                    TakeFound take) = 0;
  virtual void act(const Candidate& whom, const std::string& database, const Order& order,
                   TakeResult take) = 0;
  virtual void judge(const Candidate& whom, TakeResult take) = 0;

 protected:
  EdgePost() = default;
};

// The executor outlives it.
std::shared_ptr<EdgePost> near_post(boost::asio::io_context& context, Executor& executor);

// The hub's end of an edge's channel.
class FarPost : public EdgePost {
 public:
  static constexpr std::size_t kMostAnswer = std::size_t{4} << 20;
  static constexpr std::size_t kMostInFlight = 256;  // requests
  static constexpr std::chrono::seconds kFindWithin{5};

  // `over`: the channel has ended, and all that was asked was answered so.
  static std::shared_ptr<FarPost> make(boost::asio::io_context& context, std::string name,
                                       std::shared_ptr<http::Channel> channel,
                                       std::function<void()> over);
  virtual void close() = 0;
};

// The edge's end: what a message asks, done; `answer` is called once, unless it is no message,
// which is false. Rows of all of an edge's programs are its one tenant's.
bool serve_message(Executor& executor, const std::string& message,
                   std::function<void(std::string)> answer);

}  // namespace polytrace::collector
