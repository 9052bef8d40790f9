// SPDX-License-Identifier: Apache-2.0
// Questions to the store at the door, POST /v1/fleet/<question>, for who has the role `read`. Who
// answers is handed in: this lets in, bounds and counts. A question is about the database of the
// caller's tenant, whatever stands in it. Answers are made by threads of the desk's own: a store
// that takes its time delays nothing else.
//
// 429 with Retry-After: kMostAsked are under way, kMostOfTenant of them the caller's; 504: there
// was no answer within kPatience, counted from when it was asked. One thread, the loop's, but where
// it says otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "collector/config/config.hpp"
#include "collector/door/door.hpp"

namespace polytrace::collector {

struct StoreQuestion {
  std::string target{};    // behind /v1/fleet/: "methods"; with what stands behind a "?"
  std::string body{};      // JSON
  std::string database{};  // empty: the store's own
};
// The reply, whatever is asked. Called by several threads; ends soon once `stop` is true. Null:
// nobody answers questions here.
using AnswerStore =
    std::function<http::Reply(const StoreQuestion& question, const std::atomic<bool>& stop)>;

class QuestionDesk {
 public:
  static constexpr unsigned kAtOnce = 4;  // asked of the store; others wait
  static constexpr std::size_t kMostAsked = 32, kMostOfTenant = 16;
  static constexpr std::uint64_t kMostQuestion = 64 << 10;  // bytes of one
  static constexpr std::chrono::seconds kPatience{60};

  // All outlive it. REQUIRES: `answer` is not null.
  static std::unique_ptr<QuestionDesk> make(boost::asio::io_context& context, const Config& config,
                                            const AnswerStore& answer, Figures& figures, Tell tell);
  // What is being asked ends, and is not answered any more.
  virtual ~QuestionDesk() = default;
  QuestionDesk(const QuestionDesk&) = delete;
  QuestionDesk& operator=(const QuestionDesk&) = delete;

  virtual void add_to(Routes& routes) = 0;

 protected:
  QuestionDesk() = default;
};

}  // namespace polytrace::collector
