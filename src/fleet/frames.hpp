// SPDX-License-Identifier: Apache-2.0
// Frames and stacks by their ids, each asked for once. One thread at a time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/seeded_hash.hpp"
#include "fleet/store.hpp"

namespace polytrace::fleet {

struct FrameText {
  std::string name;
  std::string file;
  std::uint32_t line = 0;
};

struct StackHash {
  std::size_t operator()(const warehouse::Id128& id) const {
    return base::SeededHash()({reinterpret_cast<const char*>(id.data()), id.size()});
  }
};

class Frames {
 public:
  explicit Frames(Store& store) : store_(store) {}

  base::result<void> load_frames(std::span<const std::uint64_t> ids);
  // Their frames, too.
  base::result<void> load_stacks(std::span<const warehouse::Id128> ids);

  // The name of a frame; of one that the store does not know its id.
  std::string name(std::uint64_t id) const;
  const FrameText* find(std::uint64_t id) const;
  // Innermost first. Null: the store does not know it.
  const std::vector<std::uint64_t>* stack(const warehouse::Id128& id) const;

 private:
  Store& store_;
  base::IdMap<FrameText> frames_;
  tsl::robin_map<warehouse::Id128, std::vector<std::uint64_t>, StackHash> stacks_;
};

}  // namespace polytrace::fleet
