// SPDX-License-Identifier: Apache-2.0
// What a trace holds, counted: events per kind and thread, its span, who recorded it. The counting
// is order-free and scales with the cores; names and facts come in order.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/samples/uninstrumented.hpp"
#include "base/id_table.hpp"
#include "base/notices.hpp"
#include "event/pump.hpp"

namespace polytrace::service {

struct ThreadSpan {
  base::Id id = base::kNoId;
  std::uint64_t events = 0;
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;
  std::string name{};
  std::uint64_t lives = 0;  // ends seen: an id may be used again
};

// One thing that the trace says about its process.
struct Fact {
  std::string_view name;
  std::variant<std::uint64_t, std::string> value;
};

struct Overview {
  std::array<std::uint64_t, event::kKindCount> events{};
  base::Time first = base::kNoTime;  // smallest and largest time of an event that heads nothing
  base::Time last = base::kNoTime;
  std::vector<ThreadSpan> threads{};  // by first event; what heads a trace is of none
  base::Id pid = base::kNoId;
  std::vector<Fact> process{};      // as far as told
  base::Time wall = base::kNoTime;  // nanoseconds since 1970 at clock time `wall_at`
  base::Time wall_at = base::kNoTime;
  std::string cut_off{};  // why the recording ended before it was to; "": it did not
  base::Time cut_off_at = base::kNoTime;
  analysis::Uninstrumented uninstrumented{};

  std::uint64_t total() const;
  // Without the events of no thread.
  std::uint64_t thread_count() const;
  // Saturates: a damaged trace may tell any times.
  base::Duration span() const;
};

// Whether a recording ended before it was to, as its trace says.
struct CutOff {
  std::string why{};              // "": it did not
  base::Time at = base::kNoTime;  // when it ended, as far as told
  bool by_limit = false;          // one that the user had set

  bool is_cut() const { return !why.empty(); }
};

CutOff cut_off_of(const Overview& overview);
// A stream without its end: `before` where nothing else is known.
CutOff or_without_end(CutOff before, const std::vector<base::Notice>& notices);

// Passes a trace on and looks for it.
class CutOffWatch final : public event::Consumer {
 public:
  explicit CutOffWatch(event::Consumer& to) : to_(to) {}

  bool consume(const event::Batch& batch) override;
  const CutOff& found() const { return found_; }

 private:
  event::Consumer& to_;
  CutOff found_;
};

class OverviewConsumer final : public event::Consumer {
 public:
  void begin(unsigned workers) override { counts_.resize(workers); }
  void survey(const event::Batch& batch, unsigned worker) override;
  bool consume(const event::Batch& batch) override;
  // Instead of surveys: what was counted before.
  void count(const std::array<std::uint64_t, event::kKindCount>& kinds,
             std::span<const ThreadSpan> threads);

  // After the last batch.
  Overview take();

 private:
  struct Counts {
    static constexpr std::size_t kLanes = 4;
    // Neighbours count in different lanes, so that no increment waits for the one before.
    std::array<std::array<std::uint64_t, 256>, kLanes> lanes{};
    base::IdTable thread_ids;
    std::vector<ThreadSpan> threads;

    void add(const event::Batch& batch);
    const event::Event* add_run(const event::Event* at, const event::Event* end,
                                ThreadSpan& thread);
    void add_calls(const event::CallSpan& calls, const event::Event* first, ThreadSpan& thread);
    ThreadSpan& thread(base::Id id);
  };

  void learn(const event::Batch& batch, const event::Event& event);
  ThreadSpan& named(base::Id id);
  void merge(const Counts& counts);

  std::vector<Counts> counts_;
  Overview overview_;
  base::IdTable thread_ids_;
};

// For a shell that completes the name of a thread: each name once, in order of the trace. Reads
// some millions of events at most, which takes a fraction of a second; what is named later is left
// out. Empty where the file cannot be read. Names that cannot be typed (control characters) are
// left out, too.
std::vector<std::string> quick_thread_names(const std::string& file);

}  // namespace polytrace::service
