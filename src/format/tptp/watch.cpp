// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "format/tptp/attribute_walk.hpp"
#include "format/tptp/field_places.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Code;
using base::Id;

constexpr std::size_t kMostCalls = 64 * 1024;    // kept per thread
constexpr std::size_t kMostThreads = 64 * 1024;  // beyond, all are forgotten
constexpr std::size_t kMostUnwound = 64;         // calls that one exit may end besides its own

std::string_view noun(Meaning meaning) {
  switch (meaning) {
    case Meaning::thread: return "thread";
    case Meaning::class_id: return "class";
    default: return "method";
  }
}

}  // namespace

void Watch::see(const Frame& frame, std::span<std::byte> message, std::uint64_t offset,
                const StreamState& state) {
  using Entry = field::MethodEntry;
  using Exit = field::MethodExit;
  const std::span<std::byte> payload = message.subspan(frame.payload);
  if (frame.id == Entry::kId && payload.size() >= kEntryPlaces.least) {
    see_entry(payload, offset, state);
  } else if (frame.id == Exit::kId && payload.size() >= kExitPlaces.least) {
    see_exit(payload, offset, state);
  } else if (const MessageInfo* info = find_message(frame.id); info != nullptr) {
    see_other(*info, payload, offset, state);
  }
}

void Watch::restart() {
  threads_.clear();
  classes_.clear();
  methods_.clear();
  thread_index_.clear();
  by_thread_.clear();
  last_thread_ = 0;
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

void Watch::see_entry(std::span<std::byte> payload, std::uint64_t offset,
                      const StreamState& state) {
  using Entry = field::MethodEntry;
  const auto get = [&](unsigned i) {
    return load<Id>(payload.data() + kEntryPlaces.at[i], state.order);
  };
  const Id method = get(Entry::method_id_ref);
  Thread& at = thread(get(Entry::thread_id_ref));
  refer(Meaning::thread, get(Entry::thread_id_ref), offset);
  refer(Meaning::method, method, offset);
  refer(Meaning::class_id, get(Entry::class_id_ref), offset);
  if (get(Entry::time) != 0) see_time(at, state.now, offset);
  if (at.calls.size() < kMostCalls) at.calls.push_back(method);
  else ++at.deeper;
}

void Watch::see_exit(std::span<std::byte> payload, std::uint64_t offset, const StreamState& state) {
  using Exit = field::MethodExit;
  const auto get = [&](unsigned i) {
    return load<Id>(payload.data() + kExitPlaces.at[i], state.order);
  };
  const Id method = get(Exit::method_id_ref);
  const Id class_id = get(Exit::class_id_ref);
  Thread& at = thread(get(Exit::thread_id_ref));
  refer(Meaning::thread, get(Exit::thread_id_ref), offset);
  refer(Meaning::method, method, offset);
  refer(Meaning::class_id, class_id, offset);
  if (get(Exit::time) != 0) see_time(at, state.now, offset);
  const Id entered = leave(at, method, offset);
  if (exits_ == Exits::kept || method != 0 || entered == 0) return;
  const Id stored = state.order == ByteOrder::little ? entered : swapped(entered);
  std::memcpy(payload.data() + kExitPlaces.at[Exit::method_id_ref], &stored, sizeof stored);
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
  if (id == 0 || table_of(meaning)->has(id)) return;
  undefined_.add(offset, [&] { return fmt::format("{} {}", noun(meaning), id); });
}

DefinedIds* Watch::table_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::thread: return &threads_;
    case Meaning::class_id: return &classes_;
    case Meaning::method: return &methods_;
    default: return nullptr;
  }
}

Watch::Thread& Watch::thread(Id id) {
  if (id == last_thread_ && last_index_ < by_thread_.size()) return by_thread_[last_index_];
  if (by_thread_.size() == kMostThreads && !thread_index_.contains(id)) {
    thread_index_.clear();
    by_thread_.clear();
  }
  const auto [found, added] = thread_index_.try_emplace(id, by_thread_.size());
  if (added) by_thread_.emplace_back();
  last_thread_ = id;
  last_index_ = found->second;
  return by_thread_[last_index_];
}

void Watch::see_time(Thread& thread, base::Time now, std::uint64_t offset) {
  if (now < thread.last)
    odd_.add(offset, [&] { return fmt::format("time {} after {}", now, thread.last); });
  thread.last = now;
}

// The method that was entered; an exit may also end calls inside it that an exception left.
Id Watch::leave(Thread& thread, Id method, std::uint64_t offset) {
  if (thread.deeper > 0) return --thread.deeper, 0;
  std::vector<Id>& calls = thread.calls;
  const std::size_t lowest = calls.size() > kMostUnwound ? calls.size() - kMostUnwound : 0;
  std::size_t at = calls.size();
  while (at > lowest && method != 0 && calls[at - 1] != method) --at;
  if (at == lowest) {
    odd_.add(offset, [&] { return fmt::format("exit from method {} without entry", method); });
    return 0;
  }
  const Id entered = calls[at - 1];
  calls.resize(at - 1);
  return entered;
}

}  // namespace polytrace::format::tptp
