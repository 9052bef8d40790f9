// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/question_desk.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <map>
#include <set>

#include "base/text/utf8.hpp"
#include "collector/hub/block_intake.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kFleetPath = "/v1/fleet/";
constexpr std::size_t kLongestQuestionName = 60;
constexpr unsigned kOk = 200, kNotOurs = 500, kLate = 504;

QuestionEnd end_of(unsigned status) {
  if (status == kOk) return QuestionEnd::answered;
  if (status == kLate) return QuestionEnd::late;
  return status < kNotOurs ? QuestionEnd::wrong : QuestionEnd::failed;
}

// One under way. What says when it has waited long enough is the loop's.
struct Pending {
  Pending(asio::io_context& context, Call from) : call(std::move(from)), patience(context) {}

  Call call;
  StoreQuestion question{};
  asio::steady_timer patience;
  std::atomic<bool> is_late{false};
};
using PendingQuestion = std::shared_ptr<Pending>;

class OwnQuestionDesk final : public QuestionDesk {
 public:
  OwnQuestionDesk(asio::io_context& context, const Config& config, const AnswerStore& answer,
                  Figures& figures, Tell tell)
      : context_(context),
        config_(config),
        answer_(answer),
        figures_(figures),
        tell_(std::move(tell)) {}
  ~OwnQuestionDesk() override {
    for (const PendingQuestion& one : pending_) *one->call.stop = true;
    threads_.stop();
    threads_.join();
  }

  void add_to(Routes& routes) override {
    routes.push_back({.method = "POST",
                      .path = std::string(kFleetPath),
                      .role = Role::read,
                      .most_body = kMostQuestion,
                      .answer = [this](Call call) { take(std::move(call)); }});
  }

 private:
  void take(Call call) {
    const std::string* const database = database_of(call.caller, config_.tenants);
    if (database == nullptr)
      return call.done(
          refuse_call(figures_, tell_, Refused::tenant, 403, call, "there is no such tenant"));
    if (pending_.size() >= kMostAsked || of_database_[*database] >= kMostOfTenant)
      return refuse_busy(call);
    if (!call.stop) call.stop = std::make_shared<std::atomic<bool>>(false);
    const auto one = std::make_shared<Pending>(context_, std::move(call));
    one->question = {one->call.request.target.substr(kFleetPath.size()),
                     std::move(one->call.request.body), *database};
    ++of_database_[*database];
    pending_.insert(one);
    one->patience.expires_after(kPatience);
    one->patience.async_wait([held = std::weak_ptr(one)](boost::system::error_code fault) {
      const auto here = held.lock();
      if (fault || !here) return;
      here->is_late = true;
      *here->call.stop = true;
    });
    asio::post(threads_, [this, one] { work_on(one); });
  }
  void refuse_busy(const Call& call) {
    figures_.count(QuestionEnd::busy);
    call.done(come_again(429, "too many questions are under way: ask again in a moment\n", 2));
  }

  // On a thread of the desk's own. Who waited for a thread in vain is not asked for any more.
  void work_on(const PendingQuestion& one) {
    const std::atomic<bool>& stop = *one->call.stop;
    http::Reply reply = plain(kLate, "nobody waits for it any more\n");
    if (!stop) reply = answer_(one->question, stop);
    if (one->is_late)
      reply = plain(kLate, fmt::format("no answer within {} s: ask for a shorter range, fewer "
                                       "processes, or a coarser resolution\n",
                                       kPatience.count()));
    asio::post(context_,
               [this, one, reply = std::move(reply)]() mutable { finish(one, std::move(reply)); });
  }
  void finish(const PendingQuestion& one, http::Reply reply) {
    one->patience.cancel();
    pending_.erase(one);
    if (--of_database_[one->question.database] == 0) of_database_.erase(one->question.database);
    figures_.count(end_of(reply.status));
    tell_({Weight::detail, "question", one->call.caller.name, 0,
           fmt::format("{}: {}", base::short_name(one->question.target, kLongestQuestionName),
                       reply.status)});
    one->call.done(std::move(reply));
  }

  asio::io_context& context_;
  const Config& config_;
  const AnswerStore& answer_;
  Figures& figures_;
  Tell tell_;
  std::set<PendingQuestion> pending_{};
  std::map<std::string, std::size_t> of_database_{};  // of them
  asio::thread_pool threads_{kAtOnce};
};

}  // namespace

std::unique_ptr<QuestionDesk> QuestionDesk::make(asio::io_context& context, const Config& config,
                                                 const AnswerStore& answer, Figures& figures,
                                                 Tell tell) {
  return std::make_unique<OwnQuestionDesk>(context, config, answer, figures, std::move(tell));
}

}  // namespace polytrace::collector
