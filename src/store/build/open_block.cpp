// SPDX-License-Identifier: Apache-2.0
#include "store/build/open_block.hpp"

#include "base/seeded_hash.hpp"

namespace polytrace::store {
namespace {

constexpr std::size_t kFewPlaces = 32;

}  // namespace

void OpenBlock::begin(std::uint32_t path, std::uint32_t method, std::uint32_t open,
                      base::Time now) {
  head.open = head.fewest = open;
  head.before = head.last = now;
  outermost = add(path, method);
}

std::size_t OpenBlock::bytes() const {
  return sizeof *this + times.size() * sizeof times[0] + larger.size() * sizeof larger[0] +
         directions.size() * sizeof directions[0] + codes.size() * sizeof codes[0] +
         locals.size() * sizeof locals[0] + places_.size() * sizeof places_[0] +
         beside.size() * sizeof beside[0] + late.size() * sizeof late[0] +
         unwinds.size() * sizeof unwinds[0] + details.size() * sizeof details[0] +
         changes.size() * sizeof changes[0];
}

void OpenBlock::clear() {
  head = {};
  number = 0;
  outermost = 0;
  times.clear();
  larger.clear();
  directions.clear();
  codes.clear();
  locals.clear();
  unwinds.clear();
  beside.clear();
  late.clear();
  details.clear();
  changes.clear();
  places_.clear();
}

std::uint16_t OpenBlock::return_to(std::uint16_t local, std::uint32_t path, std::uint32_t method) {
  const std::uint16_t caller = add(path, method);
  join(caller, local);
  --head.fewest;
  return outermost = caller;
}

void OpenBlock::set_details(std::uint32_t event) {
  if (details.size() <= event / 64) details.resize(event / 64 + 1);
  details[event / 64] |= std::uint64_t{1} << (event % 64);
}

std::uint16_t OpenBlock::other_child(std::uint16_t caller, std::uint32_t method, PathTable& paths) {
  if (!places_.empty() || locals.size() > kFewPlaces / 2) {
    if (places_.size() < locals.size() * 2) make_places();
    if (const std::uint16_t known = *place_of(caller, method); known != kNone)
      return locals[caller].last_child = known;
  } else {
    for (std::size_t i = 0; i < locals.size(); ++i)
      if (locals[i].parent == caller && locals[i].method == method)
        return locals[caller].last_child = static_cast<std::uint16_t>(i);
  }
  const std::uint16_t child = add(paths.child(locals[caller].path, method), method);
  join(caller, child);
  return child;
}

std::uint16_t OpenBlock::add(std::uint32_t path, std::uint32_t method) {
  const auto local = static_cast<std::uint16_t>(locals.size());
  locals.push_back({path, method, kNone, kNone, local, 0, 0});
  return local;
}

void OpenBlock::join(std::uint16_t caller, std::uint16_t child) {
  const std::uint16_t last = locals[caller].last_child;
  if (last != kNone) {
    locals[child].next = locals[last].next;
    locals[last].next = child;
  }
  locals[caller].last_child = child;
  locals[child].parent = caller;
  if (places_.empty()) return;
  if (places_.size() < locals.size() * 2) make_places();
  else *place_of(caller, locals[child].method) = child;
}

// Where the local stands, or would.
std::uint16_t* OpenBlock::place_of(std::uint16_t caller, std::uint32_t method) {
  static const std::uint64_t kSeed = base::process_seed();
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15U;
  const std::uint64_t key = ((std::uint64_t{caller} << 32 | method) ^ kSeed) * kMix;
  std::size_t place = static_cast<std::size_t>((key ^ key >> 29) >> 32) & (places_.size() - 1);
  for (; places_[place] != kNone; place = (place + 1) & (places_.size() - 1)) {
    const Local& local = locals[places_[place]];
    if (local.parent == caller && local.method == method) break;
  }
  return &places_[place];
}

void OpenBlock::make_places() {
  std::size_t size = kFewPlaces;
  while (size < locals.size() * 3) size *= 2;
  places_.assign(size, kNone);
  for (std::size_t i = 0; i < locals.size(); ++i)
    if (locals[i].parent != kNone)
      *place_of(locals[i].parent, locals[i].method) = static_cast<std::uint16_t>(i);
}

}  // namespace polytrace::store
