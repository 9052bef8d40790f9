// SPDX-License-Identifier: Apache-2.0
// Several traces as one, by time. Each input's own order stays as it is; between inputs the next
// event is that of the input whose latest time so far is the smallest. So the result is in order of
// time where the inputs are, and one batch per input is all that is held.
//
// There is one clock, the reference's. Ids become different (merge_plan.hpp). Of several inputs,
// each has a process event with an id or a name, which says the input's label unless it has a name,
// and names of threads begin with the label.
//
// fetch() reads the inputs one after the other on the thread that calls it; decode() copies, on any
// thread. Notices say by their frames which input they are about.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "event/reader.hpp"
#include "transform/merge_plan.hpp"

namespace polytrace::transform {

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
