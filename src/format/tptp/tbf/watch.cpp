// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "format/tptp/events/call_tickets.hpp"
#include "format/tptp/messages/attribute_walk.hpp"
#include "format/tptp/tbf/plain_call.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Code;
using base::Id;

std::string_view noun(Meaning meaning) {
  switch (meaning) {
    case Meaning::thread: return "thread";
    case Meaning::class_id: return "class";
    default: return "method";
  }
}

template <ByteOrder order>
event::u64 ticket_at(const std::byte* place) {
  return static_cast<event::u64>(load_as<std::int32_t, order>(place));
}

}  // namespace

void Watch::see(const Frame& frame, std::span<std::byte> message, std::uint64_t offset,
                const StreamState& state) {
  using Entry = field::MethodEntry;
  using Exit = field::MethodExit;
  if (frame.step == Step::header) return restart();
  const std::span<std::byte> payload = message.subspan(frame.payload);
  const bool little = state.order == ByteOrder::little;
  if (frame.id == Entry::kId && payload.size() >= kEntryPlaces.least) {
    if (little) see_entry<ByteOrder::little>(payload.data(), offset, state.now);
    else see_entry<ByteOrder::big>(payload.data(), offset, state.now);
  } else if (frame.id == Exit::kId && payload.size() >= kExitPlaces.least) {
    if (little) see_exit<ByteOrder::little>(payload.data(), offset, state.now);
    else see_exit<ByteOrder::big>(payload.data(), offset, state.now);
  } else if (const MessageInfo* info = find_message(frame.id); info != nullptr) {
    see_other(*info, payload, offset, state);
  }
}

bool Watch::see(const SeenChunk& chunk, std::span<std::byte> bytes, std::uint64_t offset) {
  completed_ = false;
  for (const Part& part : chunk.parts) {
    if (part.sort == SeenChunk::Sort::summed_calls && join(chunk, part)) continue;
    StreamState state = chunk.states[part.state];
    state.now = part.now;
    const std::span<std::byte> seen = bytes.subspan(part.at, part.bytes);
    if (part.sort == SeenChunk::Sort::header) restart();
    else if (part.sort == SeenChunk::Sort::message)
      see({.step = Step::message, .id = part.id, .bytes = part.bytes, .payload = part.payload},
          seen, offset + part.at, state);
    else if (state.order == ByteOrder::little) see_calls<ByteOrder::little>(seen, offset + part.at);
    else see_calls<ByteOrder::big>(seen, offset + part.at);
  }
  return completed_;
}

template <ByteOrder order>
void Watch::see_calls(std::span<std::byte> bytes, std::uint64_t offset) {
  constexpr std::size_t kEntryTime = kEntryPlaces.at[field::MethodEntry::time];
  constexpr std::size_t kExitTime = kExitPlaces.at[field::MethodExit::time];
  for (std::size_t at = 0; at < bytes.size();) {
    const bool entry = plain_call<order>(bytes.data() + at) == PlainCall::entry;
    std::byte* payload = bytes.data() + at + kMessageHeaderBytes;
    const auto time = load_as<std::int64_t, order>(payload + (entry ? kEntryTime : kExitTime));
    if (entry) see_entry<order>(payload, offset + at, time);
    else see_exit<order>(payload, offset + at, time);
    at += entry ? kEntryBytes : kExitBytes;
  }
}

bool Watch::join(const SeenChunk& chunk, const Part& part) {
  const auto ids = std::span(chunk.ids.data(), chunk.ids.size());
  const auto threads =
      std::span(chunk.threads).subspan(part.threads.begin, part.threads.end - part.threads.begin);
  if (!has_all(ids.subspan(part.ids.begin, part.ids.end - part.ids.begin), threads)) return false;
  if (!fits(chunk, threads)) return false;
  for (const SeenChunk::Thread& seen : threads) {
    Thread& at = thread(seen.id);
    at.last = std::max(at.last, seen.last);
    for (std::uint32_t i = seen.exits.begin; i < seen.exits.end; ++i)
      at.calls.leave(chunk.calls[i], account_);
    for (std::uint32_t i = seen.open.begin; i < seen.open.end; ++i)
      at.calls.enter(chunk.calls[i], account_);
  }
  return true;
}

bool Watch::has_all(std::span<const CallIds> all, std::span<const SeenChunk::Thread> threads) {
  for (const CallIds& ids : all) {
    if (is_known(ids)) continue;
    if (!is_known(methods_, ids.method) || !is_known(classes_, ids.class_id)) return false;
    known_call(ids.method) = ids;
  }
  return std::ranges::all_of(
      threads, [&](const SeenChunk::Thread& seen) { return is_known(threads_, seen.id); });
}

// Whether each thread goes on where it was, its exits end its innermost calls, and no limit is
// near.
bool Watch::fits(const SeenChunk& chunk, std::span<const SeenChunk::Thread> threads) const {
  if (by_thread_.size() + threads.size() > kMostThreads) return false;
  std::size_t open = account_.open;
  for (const SeenChunk::Thread& seen : threads) {
    open += seen.deepest;
    const std::size_t exits = seen.exits.end - seen.exits.begin;
    const auto found = thread_index_.find(seen.id);
    if (found == thread_index_.end()) {
      if (exits != 0) return false;
      continue;
    }
    const Thread& at = by_thread_[found->second];
    if (seen.first < at.last || at.calls.dropped() != 0 || at.calls.depth() < exits) return false;
    for (std::size_t i = 0; i < exits; ++i)
      if (!event::agree(at.calls[at.calls.depth() - 1 - i], chunk.calls[seen.exits.begin + i]))
        return false;
  }
  return open < event::CallAccount::kMostOpen;
}

void Watch::restart() {
  known_calls_.fill({});
  threads_.clear();
  classes_.clear();
  methods_.clear();
  thread_index_.clear();
  by_thread_.clear();
  account_ = {};
  last_thread_ = 0;
  last_ = nullptr;
}

void Watch::Found::tell(Code code, base::Notices& notices) const {
  for (const base::Occurrence& one : places) notices.add(code, one.place, 0, one.detail);
  if (count > places.size())
    notices.add({code, count - places.size(), 0, places.back().place, places.back().detail});
}

void Watch::tell(base::Notices& notices) const {
  undefined_.tell(Code::reference_undefined, notices);
  odd_.tell(Code::order_odd, notices);
}

template <ByteOrder order>
void Watch::see_entry(const std::byte* payload, std::uint64_t offset, base::Time now) {
  using Entry = field::MethodEntry;
  const auto get = [payload](unsigned i) {
    return load_as<Id, order>(payload + kEntryPlaces.at[i]);
  };
  const Id thread_id = get(Entry::thread_id_ref);
  const Id method = get(Entry::method_id_ref);
  refer_call(thread_id, method, get(Entry::class_id_ref), offset);
  Thread& at = thread(thread_id);
  if (get(Entry::time) != 0) see_time(at, now, offset);
  at.calls.enter({method, ticket_at<order>(payload + kEntryPlaces.at[Entry::ticket])}, account_);
}

template <ByteOrder order>
void Watch::see_exit(std::byte* payload, std::uint64_t offset, base::Time now) {
  using Exit = field::MethodExit;
  const auto get = [payload](unsigned i) {
    return load_as<Id, order>(payload + kExitPlaces.at[i]);
  };
  const Id thread_id = get(Exit::thread_id_ref);
  const Id method = get(Exit::method_id_ref);
  refer_call(thread_id, method, get(Exit::class_id_ref), offset);
  Thread& at = thread(thread_id);
  if (get(Exit::time) != 0) see_time(at, now, offset);
  const event::OpenCall exit{method == 0 ? base::kNoId : method,
                             ticket_at<order>(payload + kExitPlaces.at[Exit::ticket])};
  const std::uint64_t ignored = account_.ignored;
  const event::OpenCall* const call = at.calls.leave(exit, account_);
  if (account_.ignored != ignored) [[unlikely]]
    tell_exit_without_entry(exit.id, offset);
  const Id entered = call == nullptr ? 0 : call->id;
  if (exits_ == Exits::kept || method != 0 || entered == 0) return;
  completed_ = true;
  const Id stored = order == ByteOrder::little ? entered : swapped(entered);
  std::memcpy(payload + kExitPlaces.at[Exit::method_id_ref], &stored, sizeof stored);
}

void Watch::see_other(const MessageInfo& message, base::Bytes payload, std::uint64_t offset,
                      const StreamState& state) {
  if (!collect(message, payload, state)) return;
  Id of_thread = 0;
  bool has_time = false;
  for (const auto& [attribute, value] : numbers_) {
    if (attribute->meaning == Meaning::time) has_time = value != 0;
    DefinedIds* table = table_of(attribute->meaning);
    if (table == nullptr) continue;
    const auto id = static_cast<Id>(value);
    if (attribute->meaning == Meaning::thread && of_thread == 0) of_thread = id;
    if (attribute->refers()) refer(attribute->meaning, id, offset);
    else table->define(id);
  }
  if (has_time && of_thread != 0) see_time(thread(of_thread), state.now, offset);
}

bool Watch::collect(const MessageInfo& message, base::Bytes payload, const StreamState& state) {
  numbers_.clear();
  AttributeWalk walk(message, payload, state.order);
  while (walk.next()) {
    if (walk.attribute().type == Type::i64) numbers_.push_back({&walk.attribute(), walk.number()});
  }
  if (walk.complete() && walk.consumed() == payload.size()) return true;
  return collect_parsed(message, payload, state);
}

bool Watch::collect_parsed(const MessageInfo& message, base::Bytes payload,
                           const StreamState& state) {
  numbers_.clear();
  if (parser_.parse(message, payload, state, parsed_).fit == Fit::broken) return false;
  for (unsigned i = 0; i < message.attributes.size(); ++i) {
    if (message.attributes[i].type == Type::i64)
      numbers_.push_back({&message.attributes[i], parsed_.number(i)});
  }
  return true;
}

void Watch::refer(Meaning meaning, Id id, std::uint64_t offset) {
  if (is_known(*table_of(meaning), id)) return;
  undefined_.add(offset, [&] { return fmt::format("{} {}", noun(meaning), id); });
}

void Watch::refer_new_call(Id thread, Id method, Id class_id, std::uint64_t offset) {
  const std::uint64_t before = undefined_.count;
  refer(Meaning::thread, thread, offset);
  refer(Meaning::method, method, offset);
  refer(Meaning::class_id, class_id, offset);
  if (undefined_.count == before) known_call(method) = {method, class_id};
}

DefinedIds* Watch::table_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::thread: return &threads_;
    case Meaning::class_id: return &classes_;
    case Meaning::method: return &methods_;
    default: return nullptr;
  }
}

Watch::Thread& Watch::other_thread(Id id) {
  if (by_thread_.size() == kMostThreads && !thread_index_.contains(id)) {
    thread_index_.clear();
    by_thread_.clear();
    account_ = {};
  }
  const auto [found, added] = thread_index_.try_emplace(id, by_thread_.size());
  if (added) by_thread_.emplace_back();
  last_thread_ = id;
  last_ = &by_thread_[found->second];
  return *last_;
}

void Watch::tell_time(base::Time before, base::Time now, std::uint64_t offset) {
  odd_.add(offset, [&] { return fmt::format("time {} after {}", now, before); });
}

void Watch::tell_exit_without_entry(Id told, std::uint64_t offset) {
  const Id method = told == base::kNoId ? 0 : told;
  odd_.add(offset, [&] { return fmt::format("exit from method {} without entry", method); });
}

}  // namespace polytrace::format::tptp
