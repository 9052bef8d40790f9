// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/call_tickets.hpp"

#include <limits>

#include "format/tptp/call_limits.hpp"

namespace polytrace::format::tptp {

CallTickets::Thread& CallTickets::find_thread(base::Id id) {
  if (threads_.size() == kMostThreads && !threads_.contains(id)) threads_.clear();
  last_id_ = id;
  last_ = &threads_.try_emplace(id).first.value();
  return *last_;
}

CallTickets::Call CallTickets::enter(base::Id id, base::Id method, std::int64_t class_id,
                                     std::int32_t told) {
  Thread& at = thread(id);
  const bool last = at.last < 0 || at.last == std::numeric_limits<std::int32_t>::max();
  at.last = told != 0 ? told : last ? 1 : at.last + 1;
  const std::uint64_t depth = at.calls.size() + at.deeper + 1;
  if (at.calls.size() < kMostCalls) at.calls.push_back({method, {at.last, class_id}});
  else ++at.deeper;
  return {at.last, depth};
}

CallTickets::Entry CallTickets::leave(base::Id id, base::Id method) {
  Thread& at = thread(id);
  if (at.deeper > 0) return --at.deeper, Entry{};
  std::vector<Open>& calls = at.calls;
  const std::size_t lowest = calls.size() > kMostUnwound ? calls.size() - kMostUnwound : 0;
  std::size_t found = calls.size();
  while (found > lowest && method != 0 && calls[found - 1].method != method) --found;
  if (found == lowest) return {};
  const Entry entry = calls[found - 1].entry;
  calls.resize(found - 1);
  return entry;
}

}  // namespace polytrace::format::tptp
