// SPDX-License-Identifier: Apache-2.0
#include "event/open_calls.hpp"

#include <xxhash.h>

#include <array>

namespace polytrace::event {
namespace {

enum class Asked : u64 { method, ticket, both };

u64 hash(Asked asked, Id id, u64 ticket) {
  const std::array<u64, 3> key{static_cast<u64>(asked), id, ticket};
  return XXH3_64bits_withSeed(key.data(), sizeof key, base::process_seed());
}

}  // namespace

void CallCounts::change(const OpenCall& call, bool adds) {
  const auto change_one = [&](u64 key) {
    const auto found = by_hash_.try_emplace(key, 0).first;
    found.value() += adds ? 1 : ~std::uint32_t{0};
    if (found->second == 0) by_hash_.erase(found);
  };
  const auto change_sum = [&](u64& sum) { sum += adds ? 1 : ~u64{0}; };
  change_one(hash(Asked::both, call.id, call.ticket));
  change_sum(calls_);
  if (call.ticket == 0) return change_sum(without_ticket_);
  change_one(hash(Asked::method, call.id, 0));
  change_one(hash(Asked::ticket, 0, call.ticket));
}

void CallCounts::add(const OpenCall& call) { change(call, true); }
void CallCounts::remove(const OpenCall& call) { change(call, false); }

bool CallCounts::has(const OpenCall& leave) const {
  const auto known = [&](Asked asked, Id id, u64 ticket) {
    return by_hash_.contains(hash(asked, id, ticket));
  };
  const bool any_method = leave.id == base::kNoId;
  if (any_method && leave.ticket == 0) return calls_ != 0;
  if (any_method) return without_ticket_ != 0 || known(Asked::ticket, 0, leave.ticket);
  if (known(Asked::both, leave.id, 0)) return true;
  if (leave.ticket == 0) return known(Asked::method, leave.id, 0);
  return known(Asked::both, leave.id, leave.ticket);
}

}  // namespace polytrace::event
