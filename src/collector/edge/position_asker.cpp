// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/position_asker.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

using PatienceClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLeaveAlone{10};

class ThreadedAsker final : public PositionAsker {
 public:
  ThreadedAsker(boost::asio::io_context& context, std::unique_ptr<Positions> positions,
                Pipeline& pipeline, Figures& figures, Tell tell)
      : context_(context),
        positions_(std::move(positions)),
        pipeline_(pipeline),
        figures_(figures),
        tell_(std::move(tell)) {}
  ~ThreadedAsker() override {
    thread_.stop();
    thread_.join();
  }

  void ask(std::uint64_t stream, const Owner& owner, std::function<void()> hear) override {
    boost::asio::post(thread_, [this, stream, owner, hear = std::move(hear)]() mutable {
      const bool is_adopted = look_up(stream, owner);
      boost::asio::post(context_, [this, stream, owner, is_adopted, hear = std::move(hear)] {
        if (is_adopted) pipeline_.note_owner(stream, owner);
        hear();
      });
    });
  }

 private:
  bool look_up(std::uint64_t stream, const Owner& owner) {
    if (!positions_) return miss(stream, owner, "over a bus nobody can be asked where it is");
    if (PatienceClock::now() < silent_until_) return miss(stream, owner, silence_);
    const std::string* const database = pipeline_.database_of(owner.user);
    if (database == nullptr) return false;
    const auto found = positions_->find(stream, *database);
    if (!found) {
      silence_ = base::to_text(found.error());
      silent_until_ = PatienceClock::now() + kLeaveAlone;
      return miss(stream, owner, silence_);
    }
    if (!*found) return false;
    const auto adopted = pipeline_.adopt(**found);
    if (!adopted) return miss(stream, owner, base::to_text(adopted.error()));
    if (!*adopted) return miss(stream, owner, "another version told where it was");
    ++figures_.positions_taken_total;
    tell_({Weight::news, "position", owner.name, stream,
           fmt::format("goes on at block {}, as the store tells", (*found)->next_block)});
    return true;
  }

  bool miss(std::uint64_t stream, const Owner& owner, const std::string& why) {
    ++figures_.positions_missed_total;
    tell_({Weight::warning, "position", owner.name, stream,
           why + ": the stream begins anew, and what the store has of it already may count twice "
                 "or stand as lost"});
    return false;
  }

  boost::asio::io_context& context_;
  const std::unique_ptr<Positions> positions_;
  Pipeline& pipeline_;
  Figures& figures_;
  Tell tell_;
  // The thread's own.
  PatienceClock::time_point silent_until_{};
  std::string silence_;  // why
  boost::asio::thread_pool thread_{1};
};

}  // namespace

std::unique_ptr<PositionAsker> PositionAsker::make(boost::asio::io_context& context,
                                                   std::unique_ptr<Positions> positions,
                                                   Pipeline& pipeline, Figures& figures,
                                                   Tell tell) {
  return std::make_unique<ThreadedAsker>(context, std::move(positions), pipeline, figures,
                                         std::move(tell));
}

base::result<std::unique_ptr<Positions>> positions_to_ask(const Config& config) {
  if (config.is_hub) return store_positions(config);
  if (!config.bus.url.empty()) return std::unique_ptr<Positions>();
  return hub_positions(config);
}

}  // namespace polytrace::collector
