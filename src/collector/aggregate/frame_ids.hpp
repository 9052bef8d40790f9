// SPDX-License-Identifier: Apache-2.0
// The store's ids of methods, classes and stacks, and the rows that say what they are: each once a
// month, with the first row that uses it. Where there are too many new ones (novelty.hpp), names
// are "(many)" and stacks "(many stacks)". One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_hash.hpp"
#include "collector/aggregate/novelty.hpp"
#include "collector/aggregate/rows.hpp"
#include "slice/slice.hpp"
#include "slice/stacks.hpp"
#include "warehouse/ids.hpp"

namespace polytrace::collector {

class FrameIds {
 public:
  // `novelty` outlives it; null: anything is told.
  explicit FrameIds(std::uint64_t seed, Novelty* novelty = nullptr)
      : seed_(seed), novelty_(novelty) {}

  // What a trace says of where methods stand in their sources.
  void learn(const slice::Slice& slice);
  // What follows is of that day (since 1970), and its rows go there.
  void begin(std::uint16_t day, Rows& rows);

  std::uint64_t method(std::uint32_t index, const slice::Names& names);
  std::uint64_t type(std::uint32_t index, const slice::Names& names);
  std::uint64_t other(std::string_view name) {
    return frame(warehouse::FrameKind::other, name, {});
  }

  struct Stack {
    warehouse::Id128 id{};
    bool is_final = false;  // all names are known
  };
  // Of a node of a tree; `frameless` names the frame of what has none. `known` is by node.
  Stack stack(const slice::StackTree& tree, std::uint32_t node, const slice::Names& names,
              std::string_view frameless, std::vector<Stack>& known);
  // Of one frame that is no method.
  warehouse::Id128 lone_stack(std::string_view name);

  // --- of what no trace tells ---
  struct Place {
    std::string file{};
    std::uint32_t line = 0;
  };
  std::uint64_t frame(warehouse::FrameKind kind, std::string_view name, const Place& place);
  // Of the ids of its frames, innermost first.
  warehouse::Id128 announced(const std::vector<std::uint64_t>& frames);

 private:
  warehouse::Id128 announced(const warehouse::Id128& id, const std::vector<std::uint64_t>& frames);

  std::uint64_t seed_;
  Novelty* novelty_;
  std::vector<Place> places_;            // by method index; may be shorter
  std::vector<std::uint64_t> methods_;   // by index: 0, not known yet
  base::IdSet told_frames_;              // this month
  base::IdSet told_stacks_;              // by the first half of their ids
  std::vector<std::uint64_t> frames_{};  // while a stack is put together
  std::uint64_t many_ = 0;               // the id of what names stand for that are too many
  std::uint16_t day_ = 0;
  std::uint64_t month_ = 0;
  Rows* rows_ = nullptr;
};

}  // namespace polytrace::collector
