// SPDX-License-Identifier: Apache-2.0
// Writes the review's variant (docs/formats/monoblock.md, section 7). Events keep their order: a
// block ends where the next event does not fit into it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/seeded_hash.hpp"
#include "base/types.hpp"
#include "event/open_calls.hpp"
#include "format/format.hpp"
#include "format/monoblock/write/block_output.hpp"

namespace polytrace::format::monoblock {

// The memory regions there are at a moment, by address.
class RegionIndex {
 public:
  struct Place {
    base::Id region;
    std::uint64_t offset;
  };

  void add(base::Id region, std::uint64_t start, std::uint64_t size) {
    remove(region);
    by_start_[start] = {region, size};
    starts_[region] = start;
  }
  void remove(base::Id region) {
    const auto known = starts_.find(region);
    if (known == starts_.end()) return;
    const auto found = by_start_.find(known->second);
    if (found != by_start_.end() && found->second.region == region) by_start_.erase(found);
    starts_.erase(known);
  }
  std::optional<Place> find(std::uint64_t address) const {
    auto after = by_start_.upper_bound(address);
    if (after == by_start_.begin()) return std::nullopt;
    const auto& [start, region] = *--after;
    if (address - start >= region.size) return std::nullopt;
    return Place{region.region, address - start};
  }

 private:
  struct Region {
    base::Id region = 0;
    std::uint64_t size = 0;
  };
  std::map<std::uint64_t, Region> by_start_;
  std::unordered_map<base::Id, std::uint64_t, base::SeededHash> starts_;
};

class BlockFileWriter final : public event::Writer {
 public:
  static base::result<std::unique_ptr<event::Writer>> create(std::unique_ptr<base::Sink> sink,
                                                             const WriteOptions& options);
  static bool holds(event::Kind kind, std::string_view version);

  explicit BlockFileWriter(std::unique_ptr<base::Sink> sink) : out_(std::move(sink)) {}

  base::result<void> write(const event::Batch& batch) override;
  void leave_open() override { leave_open_ = true; }
  base::result<void> finish() override;
  const event::Loss& loss() const override { return loss_; }

 private:
  using Event = event::Event;

  // A clock that was told and has not found its block yet.
  struct PendingClock {
    ClockPoint point;
    base::Id thread;
    std::uint64_t ticks_per_second;
  };
  struct Symbol {
    std::string name;
    base::Id region;
    event::Time time;
  };
  // The HEAP_DATA block of a dump, which is complete only with its end.
  struct HeapDump {
    base::Id collection;
    ClockPoint start;
    std::optional<ClockPoint> end;
    std::optional<ClockPoint> written;
    base::Appender items;
  };
  struct Frame {
    base::Id id;  // a method, a function or an address
    bool native;
  };
  struct SummaryRow {
    base::Id class_id;
    std::uint64_t objects;
    std::uint64_t bytes;
  };

  void put(const Event& event);
  // The kinds that have no overload have no place.
  template <class T>
  void put_details(const Event& event, const T&) {
    lose(event);
  }
  void put_details(const Event& event, const event::Process& process);
  void put_details(const Event& event, const event::Clock& clock);
  void put_details(const Event& event, const event::Recording& recording);
  void put_details(const Event& event, const event::Setting& setting);
  // MAPPING, LOADED and UNLOADED
  void put_details(const Event& event, const event::Class& details);
  void put_details(const Event& event, const event::Method& details);
  void put_details(const Event& event, const event::Domain& details);
  void put_details(const Event& event, const event::Assembly& details);
  void put_details(const Event& event, const event::Module& details);
  // EVENTS
  void put_call(const Event& event, bool enters);
  // The calls from there on that only add to the open block: gives how many there are.
  std::size_t put_calls(std::span<const Event> events);
  template <class Way>
  std::size_t put_calls_by(std::span<const Event> events);
  void put_details(const Event& event, const event::Enter& details);
  void put_details(const Event& event, const event::Leave& details);
  void put_details(const Event& event, const event::Unwind& details);
  void put_details(const Event& event, const event::Alloc& details);
  void put_details(const Event& event, const event::Jit& details);
  void put_details(const Event& event, const event::ClassLoad& details);
  void put_details(const Event& event, const event::Throw& details);
  void put_details(const Event& event, const event::Thread& details);
  void put_details(const Event& event, const event::Gc& details);
  void put_details(const Event& event, const event::HeapSize& details);
  void put_details(const Event& event, const event::Monitor& details);
  // STATISTICAL
  void put_details(const Event& event, const event::Sample& details);
  void put_details(const Event& event, const event::NativeSymbol& details);
  void put_details(const Event& event, const event::NativeBinary& details);
  // HEAP_DATA and HEAP_SUMMARY
  void put_details(const Event& event, const event::Dump& details);
  void put_details(const Event& event, const event::DumpObject& details);
  void put_details(const Event& event, const event::Free& details);
  void put_details(const Event& event, const event::Census& details);

  void lose(const Event& event) { loss_.event(event.kind); }
  void lose_field(const Event& event, std::string_view name) { loss_.field(event.kind, name); }
  void lose_subject(const Event& event);
  // Blocks that tell no thread.
  void lose_thread(const Event& event);
  // Absent ids are written as 0, the format's own null.
  static std::uint64_t told(base::Id id) { return id == base::kNoId ? 0 : id; }
  static std::uint64_t counter_of(const Event& event) {
    return static_cast<std::uint64_t>(event.time);
  }
  void put_text(const Event& event, event::Text text, std::string_view field);

  ClockPoint point_of(const Event& event, const event::Clock& clock);
  void lose_ticks(std::uint64_t ticks_per_second);
  // The clock of a block that begins with this event.
  ClockPoint take_clock(const Event& event, base::Id thread, std::uint64_t ticks_per_second = 0);
  void put_pending_clock();
  void put_end(ClockPoint point);

  void open_mapping(const Event& event, bool for_method);
  void close_block();
  template <class T>
  void put_load(const Event& event, const T& details, unsigned kind);
  // Makes the open block one of this event's thread and time; `timed` events can be later.
  void open_events(const Event& event, bool timed);
  void put_delta(const Event& event);
  void put_wide(unsigned low, unsigned bits, std::uint64_t number);
  bool put_further(const Event& event, std::uint8_t what, std::uint64_t main, std::uint64_t second);

  void open_statistical(const Event& event);
  void collect_frames(const Event& event, const event::Sample& sample);
  void put_frame(const Event& event, const Frame& frame);
  void put_native(const Event& event, std::uint64_t address);
  void close_regions();

  bool take_dump_clock(const Event& event, const event::Clock& clock);
  bool in_dump(const Event& event);
  void put_dump(event::Time end);
  void split_dump();
  void put_row(std::uint64_t unreachable_objects, std::uint64_t unreachable_bytes);
  void open_summary(const Event& event, base::Id collection);

  BlockOutput out_;
  event::Loss loss_;
  event::LostCallFields lost_of_calls_;
  const event::Batch* batch_ = nullptr;
  std::optional<PendingClock> clock_;
  event::Time last_time_ = 0;
  bool have_process_ = false;
  bool leave_open_ = false;
  bool ended_ = false;

  // Of the open block.
  base::Id thread_ = base::kNoId;
  std::uint64_t time_ = 0;
  ClockPoint begun_at_;
  bool methods_begun_ = false;
  event::OpenCalls<base::Id> stack_;
  enum class Regions : std::uint8_t { none, removed, added };
  Regions regions_ = Regions::none;
  base::Id collection_ = 0;
  std::optional<SummaryRow> row_;

  // Of the file.
  std::unordered_map<base::Id, std::uint64_t, base::SeededHash> fixed_sizes_;
  std::unordered_map<base::Id, Symbol, base::SeededHash> new_functions_;  // told, and not hit yet
  std::unordered_set<base::Id, base::SeededHash> functions_;              // written
  RegionIndex region_index_;
  std::optional<HeapDump> dump_;
  std::vector<Frame> frames_;  // of the sample being written, innermost first
};

}  // namespace polytrace::format::monoblock
