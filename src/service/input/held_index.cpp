// SPDX-License-Identifier: Apache-2.0
#include "service/input/held_index.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "store/read/events/store_reader.hpp"

namespace polytrace::service {
namespace {

struct AllHeld {
  std::mutex mutex;  // guards what follows
  std::vector<const HeldIndex*> held;
};

AllHeld& all_held() {
  static AllHeld all;
  return all;
}

}  // namespace

HeldIndex::HeldIndex(std::string folder, const format::Format& format, Frames frames,
                     std::optional<store::FolderLock> use)
    : folder_(std::move(folder)),
      format_(format),
      frames_(std::move(frames)),
      use_(std::move(use)) {
  AllHeld& all = all_held();
  const std::lock_guard lock(all.mutex);
  all.held.push_back(this);
}

HeldIndex::~HeldIndex() {
  AllHeld& all = all_held();
  const std::lock_guard lock(all.mutex);
  std::erase(all.held, this);
}

std::optional<format::Opened> open_held(const std::string& folder) {
  AllHeld& all = all_held();
  const std::lock_guard lock(all.mutex);
  const auto found = std::ranges::find(all.held, folder, &HeldIndex::folder);
  if (found == all.held.end()) return std::nullopt;
  return format::Opened{&(*found)->format(),
                        std::make_unique<store::StoreReader>((*found)->frames())};
}

}  // namespace polytrace::service
