// SPDX-License-Identifier: Apache-2.0
#include "service/input/pass.hpp"

#include <algorithm>
#include <filesystem>

#include "base/codes.hpp"
#include "event/copy.hpp"

namespace polytrace::service {
namespace {

// Stops the pump at the first problem: hands on what comes before the first problem.
class Strict final : public event::Consumer {
 public:
  Strict(event::Consumer& to, const event::Reader& reader) : to_(to), reader_(reader) {}
  void begin(unsigned workers) override { to_.begin(workers); }
  bool consume(const event::Batch& batch) override {
    // Between this batch and the one before.
    for (const base::Notice& notice : reader_.notices().sorted())
      stopped_ |= notice.first.offset < batch.offset;
    if (stopped_) return false;
    stopped_ = !batch.notices.empty();
    return hand_on(stopped_ ? beginning_of(batch) : batch) && !stopped_;
  }
  bool stopped() const { return stopped_; }

 private:
  bool hand_on(const event::Batch& batch) {
    to_.survey(batch, 0);
    return to_.consume(batch);
  }
  const event::Batch& beginning_of(const event::Batch& batch) {
    beginning_.clear();
    for (std::uint64_t i = 0; i < batch.notices.first_behind(); ++i)
      event::copy_event(batch, batch.events[i], beginning_);
    beginning_.offset = batch.offset;
    beginning_.tally = batch.tally;
    beginning_.notices = batch.notices;
    return beginning_;
  }

  event::Consumer& to_;
  const event::Reader& reader_;
  event::Batch beginning_;
  bool stopped_ = false;
};

}  // namespace

std::vector<base::Notice> notices_of(const base::Notices& notices, bool follow) {
  std::vector<base::Notice> all = notices.sorted();
  if (follow)
    std::erase_if(
        all, [](const base::Notice& notice) { return notice.code == base::Code::frame_truncated; });
  return all;
}

void Passed::add_limits(const std::vector<std::string>& limits) {
  for (const std::string& limit : limits)
    if (std::ranges::find(notices, limit, &base::Notice::detail) == notices.end())
      notices.push_back({.code = base::Code::paths_merged, .count = 1, .detail = limit});
}

bool Passed::is_partial() const {
  const auto costs = [](const base::Notice& notice) {
    return base::describe(notice.code).exit != 0;
  };
  return interrupted || outcome.error.has_value() || std::ranges::any_of(notices, costs);
}

std::uint64_t Passed::bytes_lost() const {
  std::uint64_t sum = 0;
  for (const base::Notice& notice : notices) sum += notice.bytes;
  return sum;
}

int Passed::worst() const {
  int worst = outcome.error ? base::describe(outcome.error->code).exit : 0;
  for (const base::Notice& notice : notices)
    worst = std::max(worst, base::describe(notice.code).exit);
  return worst;
}

Passed pass(const Input& input, event::Reader& reader, event::Consumer& consumer) {
  const auto watcher = input.asking().watcher();
  Strict strict(consumer, reader);
  const InputOptions& options = input.options();
  event::PumpOptions pump_options;
  pump_options.stop = input.asking().stop;
  pump_options.workers = options.workers;
  // In order and nothing beyond the problem: one worker.
  if (options.strict) pump_options.workers = 1;
  if (watcher) pump_options.progress = [&](const base::Source& source) { watcher->update(source); };
  Passed passed;
  passed.outcome = event::pump(reader, options.strict ? strict : consumer, pump_options);
  passed.notices = notices_of(passed.outcome.notices, options.follow);
  if (const auto& notice = input.index_notice())
    passed.notices.insert(passed.notices.begin(), *notice);
  // That is how following a file regularly ends.
  passed.interrupted = input.asking().is_stopped() && !options.follow;
  passed.stopped_early = strict.stopped();
  return passed;
}

Passed pass(const Input& input, format::Rewriter& rewriter) {
  const Asking& asking = input.asking();
  const auto watcher = asking.watcher();
  Passed passed;
  for (base::result<bool> more = true; *more && !asking.is_stopped() && !passed.stopped_early;) {
    more = rewriter.next();
    if (!more) {
      passed.outcome.error = more.error();
      break;
    }
    if (watcher) watcher->update(rewriter.source());
    passed.stopped_early = input.options().strict && !rewriter.notices().empty();
  }
  passed.outcome.notices = rewriter.notices();
  passed.notices = passed.outcome.notices.sorted();
  passed.interrupted = asking.is_stopped();
  return passed;
}

bool keeps_old(const Passed& passed, const std::string& output) {
  std::error_code fault;
  return passed.interrupted && output != "-" &&
         (std::filesystem::is_regular_file(output, fault) ||
          std::filesystem::is_directory(output, fault));
}

}  // namespace polytrace::service
