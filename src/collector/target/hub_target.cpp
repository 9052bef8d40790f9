// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "collector/target/hub_posters.hpp"
#include "collector/target/target.hpp"

namespace polytrace::collector {
namespace {

constexpr std::uint64_t kMostHubAnswer = 4096;
constexpr std::chrono::milliseconds kConnectWithin{10'000};
constexpr std::chrono::seconds kLongestWait{60};
constexpr unsigned kTriesOfHub = 2;

class HubTarget final : public Target {
 public:
  HubTarget(std::vector<std::string> hubs, std::vector<warehouse::Poster> posters)
      : hubs_(std::move(hubs)), posters_(std::move(posters)) {}

  base::result<void> send(std::span<const Outbox::Batch> batches, const std::string& edge,
                          unsigned before) override {
    if (tries_ >= kTriesOfHub) {
      tries_ = 0;
      turn_ = (turn_ + 1) % hubs_.size();
    }
    auto sent = post(batches.front(), edge, before + batches.front().again);
    tries_ = sent ? 0 : tries_ + 1;
    return sent;
  }
  bool may_try_again() const override {
    return status_ == 0 || status_ == 429 || status_ == 408 || status_ >= 500;
  }
  std::chrono::milliseconds asked_to_wait() const override { return wait_; }
  std::string name() const override { return hubs_[turn_]; }

 private:
  base::result<void> post(const Outbox::Batch& batch, const std::string& edge, unsigned before) {
    const Origin& origin = batch.block.origin;
    const bool is_ours = origin.edge.empty();
    const auto posted = posters_[turn_].post(
        batch.packed,
        {.path = fmt::format("/v1/rows/{}", batch.block.table),
         .fields = {
             fmt::format("{}: {}", kEdgeField, is_ours ? edge : origin.edge),
             fmt::format("{}: {}", kBatchField, is_ours ? batch.number : origin.number),
             fmt::format("{}: {}", kBeforeField, std::uint64_t{before} + origin.sent_before)}});
    status_ = posted ? posted->status : 0;
    wait_ = posted ? std::min(posted->retry_after, kLongestWait) : std::chrono::seconds(0);
    if (!posted) return base::fail(base::Code::open_failed, posted.error().detail);
    if (status_ == 200) return {};
    return base::fail(base::Code::open_failed, fmt::format("{}: HTTP {}: {}", name(), status_,
                                                           warehouse::first_line(posted->answer)));
  }

  const std::vector<std::string> hubs_;
  std::vector<warehouse::Poster> posters_;  // of each hub
  std::size_t turn_ = 0;                    // whose it is
  unsigned tries_ = 0;                      // that failed in a row
  int status_ = 0;                          // 0: no answer
  std::chrono::milliseconds wait_{0};
};

}  // namespace

base::result<std::unique_ptr<Target>> hub_target(std::vector<std::string> hubs,
                                                 const Credentials& shown,
                                                 std::chrono::seconds within) {
  auto posters = open_posters(
      hubs, shown, {.connect = kConnectWithin, .answer = within, .most_answer = kMostHubAnswer});
  if (!posters) return base::Unexpected(posters.error());
  return std::make_unique<HubTarget>(std::move(hubs), std::move(*posters));
}

}  // namespace polytrace::collector
