// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/events/call_tickets.hpp"

#include <limits>

namespace polytrace::format::tptp {

CallTickets::Thread& CallTickets::find_thread(base::Id id) {
  if (threads_.size() == kMostThreads && !threads_.contains(id)) {
    threads_.clear();
    account_ = {};
  }
  last_id_ = id;
  last_ = &threads_.try_emplace(id).first.value();
  return *last_;
}

CallTickets::Call CallTickets::enter(base::Id id, base::Id method, std::int64_t class_id,
                                     std::int32_t told) {
  Thread& at = thread(id);
  const bool last = at.last < 0 || at.last == std::numeric_limits<std::int32_t>::max();
  at.last = told != 0 ? told : last ? 1 : at.last + 1;
  at.calls.enter({{method, static_cast<event::u64>(told)}, {at.last, class_id}}, account_);
  return {at.last, at.calls.depth() + at.calls.dropped()};
}

CallTickets::Entry CallTickets::leave(base::Id id, base::Id method, std::int32_t told) {
  const event::OpenCall exit{method == 0 ? base::kNoId : method, static_cast<event::u64>(told)};
  const Open* const call = thread(id).calls.leave(exit, account_);
  return call == nullptr ? Entry{} : call->entry;
}

void CallTickets::end(base::Id id) {
  const auto known = threads_.find(id);
  if (known == threads_.end()) return;
  account_.open -= known->second.calls.depth();
  threads_.erase(known);
  last_ = nullptr;
}

}  // namespace polytrace::format::tptp
