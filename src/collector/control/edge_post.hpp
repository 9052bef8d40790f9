// SPDX-License-Identifier: Apache-2.0
// One edge as who commands sees it: in this process, or at the other end of a channel that the edge
// keeps open. What is asked of it is answered in time, if only by "not reached". One thread, the
// loop's; `take` is called once, never from within the call.
//
// Between hub and edge, a JSON object a message, whose answer has its id:
//   {"id": 7, "do": "find", "where": "service=\"shop\"", "limit": 3}
//     {"id": 7, "matched": 9, "found": [{"number": 4, "series": "16 hex", "service", "host",
//      "instance"}]}
//   {"id": 8, "do": "act", "number": 4, "verb": "level", "order": {"events": ["gc"], ...}}
//   {"id": 9, "do": "judge", "number": 4}
//     {"id": 9, "outcome": "ok", "text": ""}
// Others are an EdgeService's.
#pragma once

#include "base/text/json_writer.hpp"
#include "collector/control/executor.hpp"
#include "http/channel.hpp"
#include "service/json/body.hpp"

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

// What somebody else says, as people may read it: a line, not too long.
std::string shown_text(const std::string& text, std::size_t most);

using WriteMembers = std::function<void(base::JsonWriter&)>;
// An answer, or with `what` a question; `more` writes its other members.
std::string edge_message(std::uint64_t id, std::string_view what, const WriteMembers& more);

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

  // Any question. Null: no answer within that time.
  using Hear = std::function<void(service::JsonMembers*)>;
  virtual void ask(std::string_view what, std::chrono::seconds within, const WriteMembers& more,
                   Hear hear) = 0;
  // The same to who need not answer.
  virtual void say(std::string_view what, const WriteMembers& more) = 0;
};

// What an edge does for its hubs besides. One thread, the loop's.
class EdgeService {
 public:
  using AnswerHub = std::function<void(std::string)>;

  virtual ~EdgeService() = default;
  EdgeService(const EdgeService&) = delete;
  EdgeService& operator=(const EdgeService&) = delete;

  // `answer` is called once, at once or later, with an edge_message; never where it is no such
  // message, which is false.
  virtual bool serve(std::string_view what, std::uint64_t id, service::JsonMembers& more,
                     AnswerHub answer) = 0;

 protected:
  EdgeService() = default;
};

// The edge's end: what a message asks, done; `answer` is called once, unless it is no message,
// which is false. Rows of all of an edge's programs are its one tenant's.
bool serve_message(Executor& executor, EdgeService& other, const std::string& message,
                   EdgeService::AnswerHub answer);

}  // namespace polytrace::collector
