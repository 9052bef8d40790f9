// SPDX-License-Identifier: Apache-2.0
// Several traces as one, by time. Each input's own order stays as it is; between inputs the next
// event is that of the input whose latest time so far is the smallest. So the result is in order of
// time where the inputs are, and one batch per input is all that is held.
//
// There is one clock, the reference's. Ids become different (place()). Of several inputs, each has
// a process event with an id or a name, which says the input's label unless it has a name, and
// names of threads begin with the label.
//
// fetch() reads the inputs one after the other on the thread that calls it; decode() copies, on any
// thread. Notices say by their frames which input they are about.
#pragma once

#include <bitset>
#include <memory>
#include <string>
#include <vector>

#include "event/pump.hpp"
#include "event/reader.hpp"

namespace polytrace::transform {

// --- before: what has to be known of each trace, and where its times and ids go ------------------

// The upper 16 bits of an id.
inline constexpr unsigned kPrefixShift = 48;
using Prefixes = std::bitset<65536>;

// What a trace tells that matters to a merge.
struct TraceFacts {
  Prefixes prefixes{};                 // of its ids
  base::Time first = base::kNoTime;    // smallest time of an event, headings apart
  base::Time wall = base::kNoTime;     // nanoseconds since 1970 at clock time `wall_at`
  base::Time wall_at = base::kNoTime;  // of the first clock event with a wall time
};

class TraceSurvey final : public event::Consumer {
 public:
  void begin(unsigned workers) override { facts_.resize(workers); }
  void survey(const event::Batch& batch, unsigned worker) override;
  bool consume(const event::Batch& batch) override;
  // After the last batch.
  TraceFacts take();

 private:
  std::vector<TraceFacts> facts_;
  TraceFacts all_;
};

// Where a trace's events go.
struct Placement {
  bool is_reference = false;  // its clock is the merged trace's
  base::Duration shift = 0;   // what is added to its times
  base::Id tag = 0;           // what its ids are combined with (exclusive or)
};

// One for each trace, in order. The reference is the first that tells wall time, else the first.
// Others are shifted by the difference of wall times, or, where they tell none, so that they begin
// with the earliest event; all are shifted by their `offsets` on top. Ids of different traces are
// different from each other; those of the first stay.
std::vector<Placement> place(const std::vector<TraceFacts>& facts,
                             const std::vector<base::Duration>& offsets);

// time + shift, stopping at the ends of the clock.
base::Time shifted(base::Time time, base::Duration shift);

// --- the merge -----------------------------------------------------------------------------------

struct MergeInput {
  std::unique_ptr<event::Reader> reader;
  std::string label;
  Placement placement{};
};

class MergedReader final : public event::Reader {
 public:
  // REQUIRES: at least one input.
  explicit MergedReader(std::vector<MergeInput> inputs);
  ~MergedReader() override;

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  const base::Notices& notices() const override { return notices_; }
  const base::Source& source() const override;

 private:
  struct Lane;
  struct Piece;
  struct Pieces;

  void start(Pieces& pieces);
  void take_headings(Lane& lane, Pieces& pieces);
  void name_process(const Lane& lane, Pieces& pieces) const;
  // Makes sure that the lane has an event, unless it is at its end.
  void fill(Lane& lane, Pieces& pieces);
  void end(Lane& lane);
  void adapt(Lane& lane) const;
  static void adapt_process(Lane& lane, const event::Event& event);
  Lane* next_lane();
  std::size_t run_end(const Lane& lane) const;
  base::Notices told_by(const Lane& lane, const base::Notices& notices) const;

  std::vector<Lane> lanes_;
  base::Notices notices_;
  base::result<bool> outcome_ = false;  // what the last fetch gives
  std::uint64_t sequence_ = 0;
};

}  // namespace polytrace::transform
