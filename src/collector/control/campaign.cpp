// SPDX-License-Identifier: Apache-2.0
#include "collector/control/campaign.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using warehouse::CommandOutcome;

class Campaign final : public std::enable_shared_from_this<Campaign> {
 public:
  Campaign(asio::io_context& context, Wish wish, std::string database,
           std::vector<std::shared_ptr<EdgePost>> edges, CampaignHands hands)
      : wish_(std::move(wish)),
        database_(std::move(database)),
        edges_(std::move(edges)),
        hands_(std::move(hands)),
        timer_(context) {}

  void begin() {
    awaited_ = edges_.size() + 1;
    for (const auto& edge : edges_)
      edge->find(wish_.selection.where, database_, wish_.selection.limit,
                 [self = shared_from_this(), edge](std::optional<Found> found) {
                   self->add(edge, std::move(found));
                   self->found_some();
                 });
    asio::post(timer_.get_executor(), [self = shared_from_this()] { self->found_some(); });
  }

 private:
  struct Target {
    std::shared_ptr<EdgePost> edge{};
    Candidate whom{};
  };

  void add(const std::shared_ptr<EdgePost>& edge, std::optional<Found> found) {
    if (!found) return end_.silent.push_back(edge->name());
    end_.matched += found->matched;
    for (Candidate& one : found->first) targets_.push_back({edge, std::move(one)});
  }
  void found_some() {
    if (--awaited_ != 0) return;
    // The same ones for the same question, wherever they are.
    std::ranges::stable_sort(targets_, {}, [](const Target& one) { return one.whom.series; });
    const Selection& how = wish_.selection;
    if (targets_.size() > how.limit) targets_.resize(how.limit);
    if (targets_.empty()) return end();
    first_ = how.canary == 0 ? targets_.size() : std::min(how.canary, targets_.size());
    command_until(first_);
  }

  // Targets up to that one, each in its time.
  void command_until(std::size_t last) {
    if (sent_ == last) return;
    const Target target = targets_[sent_++];
    ++awaited_;
    target.edge->act(target.whom, database_, wish_.order,
                     [self = shared_from_this(), target](CommandResult result) {
                       self->note(target, std::move(result));
                       --self->awaited_;
                       self->done_some();
                     });
    if (sent_ == last) return;
    after(std::chrono::milliseconds(static_cast<std::int64_t>(1000 / wish_.selection.rate)),
          [last](Campaign& self) { self.command_until(last); });
  }
  void note(const Target& target, CommandResult result) {
    obeyed_ += result.outcome == CommandOutcome::ok;
    end_.outcomes.push_back({target.edge->name(), target.whom, std::move(result)});
    hands_.each(end_.outcomes.back());
  }
  void done_some() {
    if (awaited_ != 0 || sent_ < first_) return;
    if (sent_ == targets_.size()) return end();
    if (sent_ > first_ || is_judged_) return;
    if (obeyed_ < first_) return stop("the first ones did not obey");
    after(wish_.selection.wait, [](Campaign& self) { self.judge(); });
  }

  void judge() {
    awaited_ = first_;
    for (std::size_t i = 0; i < first_; ++i)
      targets_[i].edge->judge(
          targets_[i].whom,
          [self = shared_from_this()](const CommandResult& result) { self->judged(result); });
  }
  void judged(const CommandResult& result) {
    if (!end_.canary.empty()) end_.canary += "; ";
    end_.canary += result.text;
    is_bad_ |= result.outcome != CommandOutcome::ok;
    if (--awaited_ != 0) return;
    is_judged_ = true;
    if (is_bad_) return stop(end_.canary);
    command_until(targets_.size());
  }
  void stop(const std::string& why) {
    end_.canary = why;
    for (; sent_ < targets_.size(); ++sent_) note(targets_[sent_], {CommandOutcome::stopped, why});
    end();
  }

  void end() {
    std::ranges::stable_sort(end_.outcomes, {}, [](const Fate& one) { return one.whom.series; });
    hands_.end(std::move(end_));
  }
  void after(std::chrono::milliseconds time, std::function<void(Campaign&)> what) {
    timer_.expires_after(time);
    timer_.async_wait(
        [self = shared_from_this(), what = std::move(what)](boost::system::error_code fault) {
          if (!fault) what(*self);
        });
  }

  const Wish wish_;
  const std::string database_;
  const std::vector<std::shared_ptr<EdgePost>> edges_;
  const CampaignHands hands_;
  asio::steady_timer timer_;
  std::vector<Target> targets_{};
  std::size_t awaited_ = 0;  // answers
  std::size_t sent_ = 0;     // of the targets
  std::size_t first_ = 0;    // so many alone
  std::size_t obeyed_ = 0;
  bool is_judged_ = false;
  bool is_bad_ = false;
  CampaignEnd end_{};
};

}  // namespace

void carry_out(asio::io_context& context, Wish wish, std::string database,
               std::vector<std::shared_ptr<EdgePost>> edges, CampaignHands hands) {
  std::make_shared<Campaign>(context, std::move(wish), std::move(database), std::move(edges),
                             std::move(hands))
      ->begin();
}

}  // namespace polytrace::collector
