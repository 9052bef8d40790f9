// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/object_fates.hpp"

#include <algorithm>
#include <bit>

#include "analysis/table/cells.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {

void Fate::merge(const Fate& other) {
  const base::Time start = first == base::kNoTime ? other.first : std::min(first, other.first);
  const auto shift = [&](const Fate& fate) {
    return static_cast<double>(base::elapsed(start, fate.first)) * static_cast<double>(fate.made);
  };
  since_first = (made == 0 ? 0 : since_first + shift(*this)) + other.since_first + shift(other);
  first = start;
  last = last == base::kNoTime ? other.last : std::max(last, other.last);
  made += other.made;
  made_bytes += other.made_bytes;
  dead += other.dead;
  dead_bytes += other.dead_bytes;
  unfollowed += other.unfollowed;
  young += other.young;
}

std::uint32_t ObjectFates::fate_of(std::uint32_t type, std::uint32_t site) {
  const std::uint64_t key = (std::uint64_t{type} << 32) | site;
  const auto [entry, fresh] = indexes_.try_emplace(key, static_cast<std::uint32_t>(fates_.size()));
  if (fresh) {
    fates_.emplace_back();
    fates_.back().type = type;
    fates_.back().site = site;
  }
  return entry->second;
}

void ObjectFates::made(base::Time time, std::uint32_t type, std::uint32_t site,
                       const event::Alloc& alloc) {
  const std::uint32_t index = fate_of(type, site);
  Fate& fate = fates_[index];
  const std::uint64_t weight = std::max<std::uint64_t>(alloc.weight, 1);
  if (fate.first == base::kNoTime) fate.first = fate.last = time;
  fate.made += weight;
  fate.made_bytes += weight * alloc.size;
  fate.since_first +=
      static_cast<double>(base::elapsed(fate.first, time)) * static_cast<double>(weight);
  fate.last = std::max(fate.last, time);
  // Address 0 is what formats say that have no word for none.
  if (alloc.object == base::kNoId || alloc.object == 0 || weight != 1) {
    fate.unfollowed += weight;
    return;
  }
  const Object object{index, collections_, alloc.size};
  const auto known = living_.find(alloc.object);
  if (known != living_.end()) {  // its place is free again: that one is gone
    died(known->second, collections_ - known->second.born);
    known.value() = object;
  } else if (living_.size() < kMostFollowed) {
    living_.emplace(alloc.object, object);
  } else {
    ++fate.unfollowed;
  }
}

void ObjectFates::died(const Object& object, std::uint64_t age) {
  ++known_deaths_;
  ++fates_[object.fate].dead;
  fates_[object.fate].dead_bytes += object.size;
  Deaths& deaths = deaths_[std::min<std::size_t>(std::bit_width(age), kAges - 1)];
  ++deaths.objects;
  deaths.bytes += object.size;
}

void ObjectFates::freed(base::Id id, const event::Free& free) {
  const auto known = living_.find(id);
  if (known == living_.end()) return;
  ++told_frees_;
  died(known->second, std::max<std::uint64_t>(free.age, collections_ - known->second.born));
  living_.erase(known);
}

void ObjectFates::moved(base::Id from, base::Id to) {
  const auto known = living_.find(from);
  if (known == living_.end() || from == to) return;
  const Object object = known->second;
  living_.erase(known);
  const auto [there, fresh] = living_.try_emplace(to, object);
  if (fresh) return;
  died(there->second, collections_ - there->second.born);
  there.value() = object;
}

void ObjectFates::finish() {
  for (const auto& [id, object] : living_)
    if (object.born == collections_) ++fates_[object.fate].young;
  living_ = Objects();
}

}  // namespace polytrace::analysis
