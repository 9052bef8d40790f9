// SPDX-License-Identifier: Apache-2.0
#include "exports/perfetto/perfetto.hpp"

#include <fmt/format.h>

#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::exports {

using namespace perfetto;
using base::Time;
using protozero::pbf_writer;
using slice::Names;
using slice::Slice;

namespace {

constexpr std::uint32_t kCallClock = 64;

}  // namespace

void PerfettoMaker::start(const Slice& slice) {
  facts_.set_first(slice.batch.events[0].time);
  facts_.describe_process();
}

auto PerfettoMaker::track(std::uint32_t thread) -> Track& {
  Track& track = track_of(tracks_, thread);
  if (track.uuid != 0) return track;
  track.uuid = facts_.new_track();
  track.head = call_head(kFirstThread + thread);
  describe_thread(track, *names_);
  file_.add(kFirstThread + thread, Flags::begins, [&](pbf_writer& packet) {
    {
      pbf_writer snapshot(packet, field::clock_snapshot);
      for (const auto& [id, is_incremental] : {std::pair(kBootClock, false), {kCallClock, true}}) {
        pbf_writer clock(snapshot, 1);
        clock.add_uint32(1, id);
        clock.add_uint64(2, 0);
        if (is_incremental) clock.add_bool(3, true);
      }
    }
    pbf_writer defaults(packet, field::defaults);
    {
      pbf_writer event(defaults, 11);
      event.add_uint64(field::track, track.uuid);
    }
    defaults.add_uint32(field::timestamp_clock, kCallClock);
  });
  return track;
}

// Once per thread and method, and each time for one without a name.
bool PerfettoMaker::introduce(Track& track, std::uint32_t method, const Names& names) {
  std::uint8_t& known = base::slot(track.known, method);
  if (known == kHidden) return false;
  const bool named = names.methods().named(method);
  if (!named) methods_.count_nameless(method);
  if (known == kNameless && !named) return true;
  if (!methods_.shows(method, names)) {
    known = kHidden;
    return false;
  }
  known = named ? kNamed : kNameless;
  file_.add(kFirstThread + track.thread, Flags::needs, [&](pbf_writer& packet) {
    pbf_writer interned(packet, field::interned);
    pbf_writer name(interned, 2);
    name.add_uint64(1, iid(method, named));
    name.add_string(2, base::repaired(names.method_name(method)));
  });
  return true;
}

base::result<void> PerfettoMaker::complete(const Names& names) {
  heaps_.close(names);
  for (const Track& track : tracks_)
    if (track.uuid != 0) describe_thread(track, names);  // names may have come since
  facts_.describe_process();
  for (std::uint32_t i = 0; i < strangers_.size(); ++i)
    facts_.describe_thread(facts_.new_track(), stranger_tid(i),
                           fmt::format("{:#x}", strangers_.id(i)));
  account_.limits = facts_.limits();
  const auto note = [&](std::uint64_t count, std::string_view text) {
    if (count != 0) account_.notes.push_back(fmt::format("{} {}", base::count_text(count), text));
  };
  heaps_.tell(account_);
  note(backwards_, "times of calls ran backwards and were put right.");
  note(facts_.misplaced(), "times before the beginning were put there.");
  copies_.tell(account_);
  if (facts_.shift() != 0)
    note(static_cast<std::uint64_t>(facts_.shift()), "ns were added to all times.");
  if (job_.origin.wall != base::kNoTime) facts_.add_wall(job_.origin.wall_at, job_.origin.wall);
  Time last = 0;
  for (const Track& track : tracks_) last = std::max(last, track.last);
  for (const std::string& sentence : account_.sentences()) remark(last - facts_.shift(), sentence);
  return file_.flush();
}

std::unique_ptr<TimelineMaker> make_perfetto(const TimelineJob& job) {
  return std::make_unique<TimelineWalk<PerfettoMaker>>(job);
}

}  // namespace polytrace::exports
