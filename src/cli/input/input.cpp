// SPDX-License-Identifier: Apache-2.0
#include "cli/input/input.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/codes.hpp"
#include "cli/frame/progress.hpp"
#include "cli/frame/signals.hpp"
#include "cli/input/spool.hpp"
#include "event/copy.hpp"

namespace polytrace::cli {
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

// A growing file always ends inside a frame that is still being written.
std::vector<base::Notice> notices_of(const base::Notices& notices, bool follow) {
  std::vector<base::Notice> all = notices.sorted();
  if (follow)
    std::erase_if(
        all, [](const base::Notice& notice) { return notice.code == base::Code::frame_truncated; });
  return all;
}

}  // namespace

namespace {
constexpr const char* kGroup = "Input";
}

void add_input_file(OptionList& list, InputOptions& options) {
  list.add("FILE", options.file, "The trace; - is standard input. gzip and zstd are unpacked")
      .takes("FILE")
      .required()
      .in(kGroup);
}

void add_reading_options(OptionList& list, InputOptions& options, Following following) {
  if (following == Following::offered)
    list.add("--follow", options.follow, "Wait for more at the end of a growing file, until Ctrl-C")
        .in(kGroup);
  list.add("--resync", options.resync, "After damage between frames, search for the next frame")
      .in(kGroup);
}

void add_input_options(OptionList& list, InputOptions& options, Following following) {
  add_input_file(list, options);
  add_reading_options(list, options, following);
  list.add("--strict", options.strict, "Stop at the first problem").in(kGroup);
}

Input::Input(const InputOptions& options) : options_(options), path_(options.file) {}

Input::~Input() {
  if (spool_ >= 0) close(spool_);
}

base::result<void> Input::prepare_passes() {
  if (options_.follow)
    return base::fail(base::Code::usage,
                      "--follow reads once: give times as the trace's own clock (plain "
                      "nanoseconds) and threads by id, without --name or --order time");
  if (options_.file != "-" || spool_ >= 0) return {};
  const auto spooled = spool_standard_input();
  if (!spooled) return base::Unexpected(spooled.error());
  spool_ = *spooled;
  path_ = fmt::format("/dev/fd/{}", spool_);
  return {};
}

event::ReadOptions Input::read_options() const { return {{}, options_.resync, options_.segments}; }

base::result<format::Recognised> Input::recognise() const {
  if (path_ == "-" && isatty(STDIN_FILENO) == 1)
    return base::fail(base::Code::usage, "standard input is a terminal: name a file");
  base::SourceOptions source_options;
  if (options_.follow) source_options.stop_following = &stop_asked();
  auto source = base::open_source(path_, source_options);
  if (!source) return base::Unexpected(source.error());
  return format::recognise(std::move(*source));
}

base::result<format::Opened> Input::open() const {
  auto found = recognise();
  if (!found) return base::Unexpected(found.error());
  auto reader = found->format->open(std::move(found->source), read_options());
  if (!reader) return base::Unexpected(reader.error());
  return format::Opened{found->format, std::move(*reader)};
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

int Passed::exit_code() const {
  constexpr int kSignals = 128;
  if (interrupted) return kSignals + stop_signal();
  int worst = outcome.error ? base::describe(outcome.error->code).exit : 0;
  for (const base::Notice& notice : notices)
    worst = std::max(worst, base::describe(notice.code).exit);
  return worst == 0 && stopped_early ? kCheckFailed : worst;
}

Passed pass(const Session& session, const Input& input, event::Reader& reader,
            event::Consumer& consumer) {
  Progress progress(session);
  Strict strict(consumer, reader);
  const InputOptions& options = input.options();
  event::PumpOptions pump_options;
  pump_options.stop = &stop_asked();
  // In order and nothing beyond the problem: one worker.
  if (options.strict) pump_options.workers = 1;
  if (progress.wanted())
    pump_options.progress = [&](const base::Source& source) { progress.update(source); };
  Passed passed;
  passed.outcome = event::pump(reader, options.strict ? strict : consumer, pump_options);
  passed.notices = notices_of(passed.outcome.notices, options.follow);
  // Ctrl-C is how following a file regularly ends.
  passed.interrupted = stop_asked() && !options.follow;
  passed.stopped_early = strict.stopped();
  return passed;
}

Passed pass(const Session& session, const Input& input, format::Rewriter& rewriter) {
  Progress progress(session);
  Passed passed;
  for (base::result<bool> more = true; *more && !stop_asked() && !passed.stopped_early;) {
    more = rewriter.next();
    if (!more) {
      passed.outcome.error = more.error();
      break;
    }
    if (progress.wanted()) progress.update(rewriter.source());
    passed.stopped_early = input.options().strict && !rewriter.notices().empty();
  }
  passed.outcome.notices = rewriter.notices();
  passed.notices = passed.outcome.notices.sorted();
  passed.interrupted = stop_asked();
  return passed;
}

bool keeps_old(const Passed& passed, const std::string& output) {
  std::error_code fault;
  return passed.interrupted && output != "-" &&
         (std::filesystem::is_regular_file(output, fault) ||
          std::filesystem::is_directory(output, fault));
}

int conclude(const Session& session, const Input& input, const Passed& passed) {
  if (passed.outcome.error) session.fail(*passed.outcome.error, input.name());
  if (passed.interrupted)
    session.remark("interrupted: the result is partial, of what was read so far");
  else if (passed.stopped_early)
    session.remark("stopped at the first problem (--strict): the result is partial");
  return passed.exit_code();
}

}  // namespace polytrace::cli
