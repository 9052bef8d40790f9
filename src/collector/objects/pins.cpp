// SPDX-License-Identifier: Apache-2.0
#include "collector/objects/pins.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "collector/aggregate/windows.hpp"
#include "collector/keep/spool_index.hpp"

namespace polytrace::collector {
namespace {

namespace fs = std::filesystem;

constexpr Time kLateEvents = 2 * kSecond;     // a stream is past an end: as windows are closed
constexpr Time kNothingComes = 60 * kSecond;  // of a stream that says nothing
constexpr Time kLookAtFilesEvery = 10 * kSecond;
constexpr Time kHour = 3600 * kSecond;
constexpr Time kAwayKnown = 2 * kHour;     // that it counts for per_hour, and comes no second time
constexpr std::size_t kMostPins = 20'000;  // with those that are done

}  // namespace

base::result<std::unique_ptr<Pins>> Pins::open(PinsOptions options, const Spool& spool,
                                               PinSender::Hands hands) {
  auto book = PinBook::open(options.sender.folder / "pins");
  if (!book) return base::Unexpected(book.error());
  std::error_code fault;
  const fs::path pinned = options.sender.folder / "pinned";
  fs::create_directories(pinned, fault);
  if (fault) return base::fail(base::Code::write_failed, pinned.string() + ": " + fault.message());
  fs::permissions(pinned, fs::perms::owner_all, fault);
  PinSender::Options sending = options.sender;
  std::unique_ptr<Pins> pins(new Pins(std::move(options), spool, std::move(*book), hands.tell));
  hands.done = [own = pins.get()](Pin&& pin) { own->done(std::move(pin)); };
  auto sender = PinSender::open(std::move(sending), std::move(hands));
  if (!sender) return base::Unexpected(sender.error());
  pins->sender_ = std::move(*sender);
  pins->restore();
  return pins;
}

Pins::Pins(PinsOptions options, const Spool& spool, PinBook book, TellPin tell)
    : options_(std::move(options)),
      spool_(spool),
      pinned_(options_.sender.folder / "pinned"),
      book_(std::move(book)),
      tell_(std::move(tell)) {}

void Pins::restore() {
  const std::scoped_lock lock(mutex_);
  for (Pin& pin : book_.all()) {
    for (const std::string& rule : pin.rules) ++hours_[{rule, pin.database, pin.window / kHour}];
    if (pin.state == Pin::State::waiting) sender_->add(pin);
    pins_.emplace(Key{pin.stream, pin.window}, std::move(pin));
  }
  if (book_.damaged() != 0)
    tell_(true, 0,
          fmt::format("{} of the notes on what rules keep are damaged: passed over",
                      book_.damaged()));
  release_files();
}

// How long it is known where in a stream a time is.
Time Pins::kept_behind() const {
  std::chrono::seconds most{0};
  for (const Rule& rule : options_.rules) most = std::max(most, rule.around);
  return most.count() * kSecond / 2 + 2 * kWindow + kNothingComes;
}

void Pins::begin(PinWatch& watch, std::uint64_t stream, std::uint64_t next) {
  watch.begin(next);
  const std::scoped_lock lock(mutex_);
  for (auto at = pins_.lower_bound({stream, INT64_MIN});
       at != pins_.end() && at->first.first == stream; ++at)
    if (at->second.state == Pin::State::open)
      watch.waits_for = std::min(watch.waits_for, at->second.to + kLateEvents);
}

void Pins::look(PinWatch& watch, std::uint64_t stream, const warehouse::Health10s& row, Time now,
                const std::function<Whose()>& whose) {
  std::vector<const Rule*> named;
  for (const Rule& rule : options_.rules)
    if (rule.test.holds(row)) named.push_back(&rule);
  if (named.empty()) return;
  Whose of = whose();
  Pin pin{.stream = stream,
          .series = row.series,
          .service = std::move(of.service),
          .tenant = std::move(of.tenant),
          .database = std::move(of.database),
          .window = Time{row.t} * kSecond};
  std::chrono::seconds around{0};
  for (const Rule* const rule : named) around = std::max(around, rule->around);
  const Time half = around.count() * kSecond / 2;
  pin.from = pin.window - half;
  pin.to = pin.window + kWindow + half;
  pin.first = watch.first_of(pin.from);
  // By our clock, for the stream's may be another one.
  pin.due = now + half + kNothingComes;
  const std::scoped_lock lock(mutex_);
  if (pins_.contains({stream, pin.window})) return;  // a window that was made again
  admit(pin, named);
  if (!pin.rules.empty()) watch.waits_for = std::min(watch.waits_for, pin.to + kLateEvents);
}

// Whether the window is in one that this rule keeps already.
bool Pins::is_covered(const Pin& pin, const std::string& rule) const {
  for (auto at = pins_.lower_bound({pin.stream, pin.from - kHour});
       at != pins_.end() && at->first.first == pin.stream; ++at) {
    const Pin& other = at->second;
    if (other.from <= pin.window && pin.window + kWindow <= other.to &&
        std::ranges::find(other.rules, rule) != other.rules.end())
      return true;
  }
  return false;
}

void Pins::admit(Pin& pin, const std::vector<const Rule*>& named) {
  for (const Rule* const rule : named) {
    if (is_covered(pin, rule->name)) continue;
    const Hour hour{rule->name, pin.database, pin.window / kHour};
    if (hours_[hour] >= rule->per_hour)
      refuse(pin, rule->name, fmt::format("more than {} an hour", rule->per_hour));
    else pin.rules.push_back(rule->name);
  }
  if (pin.rules.empty()) return;
  auto held = pins_.size() < kMostPins
                  ? hold(pin, ~std::uint64_t{0})
                  : base::fail(base::Code::limit_exceeded, "too many are held already");
  if (held) held = book_.note(pin);
  if (!held) {
    for (const std::string& rule : std::exchange(pin.rules, {}))
      refuse(pin, rule, held.error().detail);
    release_files();
    return;
  }
  for (const std::string& rule : pin.rules) ++hours_[{rule, pin.database, pin.window / kHour}];
  ++figures_.kept;
  tell_(false, pin.stream, fmt::format("{}: kept from block {} on", pin.why(), pin.first));
  pins_.emplace(Key{pin.stream, pin.window}, pin);
}

// Once an hour for each rule it is told, and stands where others look for what was kept.
void Pins::refuse(const Pin& pin, const std::string& rule, const std::string& why) {
  ++figures_.refused;
  if (!told_.insert({rule, pin.database, pin.window / kHour}).second) return;
  tell_(true, pin.stream, fmt::format("{}: a window is not kept: {}", rule, why));
  warehouse::Trace row;
  row.series = pin.series;
  row.stream = pin.stream;
  row.first_block = pin.first;
  row.last_block = pin.first;
  row.t = static_cast<std::uint32_t>(pin.window / kSecond);
  row.first_ns = pin.window;
  row.last_ns = pin.window + kWindow;
  row.why = rule;
  row.place = "nowhere: " + why;
  sender_->add(std::move(row), pin.database);
}

// Links files with its blocks up to that one.
base::result<void> Pins::hold(Pin& pin, std::uint64_t last) {
  std::error_code fault;
  const auto space = fs::space(pinned_, fault);
  if (!fault && space.available < options_.min_free)
    return base::fail(base::Code::write_failed, "too little space is free");
  const auto files = spool_.pin(pin.stream, pin.first, last, pinned_);
  if (!files) return base::Unexpected(files.error());
  for (const std::uint64_t file : *files)
    if (std::ranges::find(pin.files, file) == pin.files.end()) pin.files.push_back(file);
  sync_folder(pinned_);
  const std::uint64_t bytes = held_bytes();
  figures_.bytes = bytes;
  if (bytes <= options_.bytes) return {};
  return base::fail(base::Code::limit_exceeded,
                    fmt::format("more than {} would be held", base::bytes_text(options_.bytes)));
}

// What has come since it was named is held, too, as far as there is room: it is in the ring yet.
void Pins::end(Pin& pin, std::uint64_t last) {
  pin.last = std::max(pin.first, last);
  static_cast<void>(hold(pin, pin.last));
  pin.state = Pin::State::waiting;
  if (const auto noted = book_.note(pin); !noted)
    tell_(true, pin.stream, base::to_text(noted.error()));
  sender_->add(pin);
}

void Pins::end_passed(PinWatch& watch, std::uint64_t stream, Time latest, std::uint64_t last) {
  const std::scoped_lock lock(mutex_);
  watch.waits_for = INT64_MAX;
  for (auto at = pins_.lower_bound({stream, INT64_MIN});
       at != pins_.end() && at->first.first == stream; ++at) {
    Pin& pin = at->second;
    if (pin.state != Pin::State::open) continue;
    if (pin.to + kLateEvents <= latest) end(pin, last);
    else watch.waits_for = std::min(watch.waits_for, pin.to + kLateEvents);
  }
}

void Pins::note(PinWatch& watch, std::uint64_t stream, std::uint64_t block, Time latest) {
  if (!options_.rules.empty()) watch.note(block, latest, kept_behind());
  if (latest != base::kNoTime && latest >= watch.waits_for)
    end_passed(watch, stream, latest, block);
}

void Pins::finish(PinWatch& watch, std::uint64_t stream, std::uint64_t next) {
  if (watch.waits_for != INT64_MAX) end_passed(watch, stream, INT64_MAX, next == 0 ? 0 : next - 1);
}

void Pins::look_around(Time now) {
  const std::scoped_lock lock(mutex_);
  if (now - looked_ < kLookAtFilesEvery && now >= looked_) return;
  looked_ = now;
  const Time keep = options_.keep.count() * kSecond;
  for (auto at = pins_.begin(); at != pins_.end();) {
    Pin& pin = at->second;
    if (pin.state == Pin::State::open && pin.due <= now) {
      const auto held = spool_.held(pin.stream);
      end(pin, held && held->next_block != 0 ? held->next_block - 1 : pin.first);
    }
    const Time known = pin.is_away ? kAwayKnown : keep;
    if (pin.state == Pin::State::kept && pin.due + known <= now) {
      book_.forget(pin);
      at = pins_.erase(at);
    } else {
      ++at;
    }
  }
  const std::int64_t oldest = now / kHour - 24;
  std::erase_if(hours_, [&](const auto& one) { return std::get<2>(one.first) < oldest; });
  std::erase_if(told_, [&](const Hour& one) { return std::get<2>(one) < oldest; });
  release_files();
}

void Pins::done(Pin&& pin) {
  const std::scoped_lock lock(mutex_);
  const auto own = pins_.find({pin.stream, pin.window});
  if (own == pins_.end()) return;
  own->second = std::move(pin);
  if (own->second.is_away) own->second.files.clear();
  if (const auto noted = book_.note(own->second); !noted)
    tell_(true, own->second.stream, base::to_text(noted.error()));
  release_files();
}

// Links that nothing needs go.
void Pins::release_files() {
  std::set<std::uint64_t> needed;
  for (const auto& [key, pin] : pins_)
    if (pin.needs_files()) needed.insert(pin.files.begin(), pin.files.end());
  const auto files = kSpoolFiles.find(pinned_);
  if (!files) return;
  std::error_code ignored;
  for (const NumberedFiles::Found& file : *files)
    if (!needed.contains(file.number)) fs::remove(file.path, ignored);
  figures_.bytes = held_bytes();
}

std::uint64_t Pins::held_bytes() const {
  const auto files = kSpoolFiles.find(pinned_);
  if (!files) return 0;
  std::uint64_t bytes = 0;
  for (const NumberedFiles::Found& file : *files) {
    std::error_code fault;
    const std::uint64_t size = fs::file_size(file.path, fault);
    bytes += fault ? 0 : size;
  }
  return bytes;
}

bool Pins::holds(std::uint64_t stream) const {
  const std::scoped_lock lock(mutex_);
  for (auto at = pins_.lower_bound({stream, INT64_MIN});
       at != pins_.end() && at->first.first == stream; ++at)
    if (at->second.needs_files()) return true;
  return false;
}

}  // namespace polytrace::collector
