// SPDX-License-Identifier: Apache-2.0
#include "server/traces.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "base/codes.hpp"

namespace polytrace::server {
namespace {

using Clock = std::chrono::steady_clock;

// Tells how far indexing has come.
class ProgressWatcher final : public service::Watcher {
 public:
  using Tell = std::function<void(std::uint64_t read, std::uint64_t size, double seconds_left)>;
  explicit ProgressWatcher(Tell tell) : tell_(std::move(tell)) {}

  void update(const base::Source& source) override {
    const std::uint64_t read = source.stored_position();
    const std::uint64_t size = source.stored_size().value_or(0);
    const std::chrono::duration<double> spent = Clock::now() - began_;
    const double rate = spent.count() > 0 ? static_cast<double>(read) / spent.count() : 0;
    const bool known = rate > 0 && size >= read && spent > std::chrono::milliseconds(500);
    tell_(read, size, known ? static_cast<double>(size - read) / rate : -1);
  }

 private:
  Tell tell_;
  Clock::time_point began_ = Clock::now();
};

// Who waits for an answer comes first: the browser, and other traces. Of this thread and those that
// it starts; where it fails nothing is lost.
void give_way() {
  constexpr int kNicer = 10;
  static_cast<void>(setpriority(PRIO_PROCESS, 0, kNicer));
}

// While it is being indexed, its times tell.
bool is_of(const TraceView& view, const std::string& file) {
  if (view.source) return view.source->has_content_of(file);
  const auto facts = store::look_up(file);
  return facts && *facts == view.facts;
}

}  // namespace

std::string_view word_of(TraceState state) {
  switch (state) {
    case TraceState::opening: return "opening";
    case TraceState::indexing: return "indexing";
    case TraceState::ready: return "ready";
    case TraceState::failed: return "failed";
  }
  return {};
}

Traces::~Traces() { finish(); }

base::result<std::string> Traces::add(const std::string& file, const std::string& shown,
                                      std::shared_ptr<const void> held, bool fleeting) {
  auto id = id_for(file);
  if (!id) return id;
  const service::Input input({.file = file});
  if (auto known = input.recognise(); !known) return base::Unexpected(known.error());
  const auto facts = store::look_up(file);
  if (!facts) return base::Unexpected(facts.error());
  const std::lock_guard lock(mutex_);
  const bool is_there =
      std::ranges::any_of(open_, [&](const auto& open) { return open->view.id == *id; });
  if (is_there || stop_) return id;
  auto& open = *open_.emplace_back(std::make_unique<Open>());
  open.view.id = *id;
  open.view.facts = *facts;
  open.path = file;
  open.held = std::move(held);
  open.fleeting = fleeting;
  open.view.file = shown;
  open.builder = std::thread([this, &open] { build(open); });
  return id;
}

// Files that differ only between the pieces of their fingerprints have ids of their own.
base::result<std::string> Traces::id_for(const std::string& file) const {
  auto id = service::trace_id(file);
  if (!id) return id;
  const auto there = find(*id);
  if (!there || is_of(*there, file)) return id;
  return service::content_id(file);
}

std::vector<TraceView> Traces::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<TraceView> views;
  for (const auto& open : open_) views.push_back(open->view);
  return views;
}

std::optional<TraceView> Traces::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& open : open_)
    if (open->view.id == id) return open->view;
  return std::nullopt;
}

void Traces::finish() {
  stop_ = true;
  std::vector<std::thread> builders;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& open : open_) builders.push_back(std::move(open->builder));
  }
  for (std::thread& builder : builders)
    if (builder.joinable()) builder.join();
}

void Traces::set(Open& open, const std::function<void(TraceView&)>& change) {
  const std::lock_guard lock(mutex_);
  change(open.view);
}

void Traces::build(Open& open) {
  const std::lock_guard alone(building_);
  give_way();
  set(open, [](TraceView& view) { view.state = TraceState::indexing; });
  const auto tell = [&](std::uint64_t read, std::uint64_t size, double left) {
    set(open,
        [&](TraceView& view) { view.read = read, view.size = size, view.seconds_left = left; });
  };
  service::Asking asking{.watch = [&] { return std::make_unique<ProgressWatcher>(tell); },
                         .stop = &stop_};
  service::InputOptions options{.file = open.path};
  options.index = open.fleeting ? service::IndexOptions{.none = true} : index_;
  const service::Input input(std::move(options), std::move(asking));
  auto trace = service::IndexedTrace::open(input);
  if (trace) {
    auto tracks = service::find_tracks(**trace, &stop_);
    if (!tracks) trace = service::refuse(tracks.error(), open.view.file);
    else
      return set(open, [&](TraceView& view) {
        view.trace = std::move(*trace);
        view.source = std::make_shared<store::SourceWatch>(
            open.path, view.trace->store().frames().view().head());
        view.tracks = std::make_shared<const service::Tracks>(std::move(*tracks));
        view.state = TraceState::ready;
      });
  }
  set(open, [&](TraceView& view) {
    view.error = trace.error();
    view.state = TraceState::failed;
  });
}

}  // namespace polytrace::server
