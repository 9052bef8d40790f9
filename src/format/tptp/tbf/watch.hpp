// SPDX-License-Identifier: Apache-2.0
// What is only odd in the light of earlier messages: ids used before their definition, exits
// without an entry, time that goes back in a thread. Also completes exits that do not name their
// method. Its memory grows with definitions and open calls, not with the stream.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/notices.hpp"
#include "event/open_calls.hpp"
#include "format/tptp/tbf/frame.hpp"
#include "format/tptp/tbf/payload_parser.hpp"
#include "format/tptp/tbf/seen_chunk.hpp"

namespace polytrace::format::tptp {

// Ids that were defined, behind a small cache: calls ask for the same few over and over.
class DefinedIds {
 public:
  void define(base::Id id) { ids_.insert(id); }
  bool has(base::Id id) {
    base::Id& cached = cache_[(id * 0x9e3779b97f4a7c15U) >> 54];
    if (cached == id) return true;
    if (!ids_.contains(id)) return false;
    cached = id;
    return true;
  }
  void clear() {
    ids_.clear();
    cache_.fill(0);
  }

 private:
  std::array<base::Id, 1024> cache_{};  // 0, which is never asked for, is nothing
  base::IdSet ids_;
};

// What to do with exits that do not name their method.
enum class Exits : std::uint8_t { kept, completed };

// One thread at a time, messages in stream order: one by one, or by chunks.
class Watch {
 public:
  explicit Watch(Exits exits) : exits_(exits) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // When exits are completed, one without a method gets that of its entry, in `message` itself.
  void see(const Frame& frame, std::span<std::byte> message, std::uint64_t offset,
           const StreamState& state);
  // The same of a chunk at `offset`, from what decoding it left; its bytes are looked at only where
  // that does not do. Whether any exit in them was completed.
  bool see(const SeenChunk& chunk, std::span<std::byte> bytes, std::uint64_t offset);
  // Adds what was found so far, once.
  void tell(base::Notices& notices) const;

 private:
  struct Found {
    std::uint64_t count = 0;
    std::vector<base::Occurrence> places{};  // the first ones, in stream order

    template <class Describe>
    void add(std::uint64_t at, Describe&& describe) {
      if (count++ <= base::Notice::kMostOthers) places.push_back({{.offset = at}, describe()});
    }
    void tell(base::Code code, base::Notices& notices) const;
  };
  struct Thread {
    base::Time last = INT64_MIN;
    event::OpenCalls<event::OpenCall> calls;
  };

  using Part = SeenChunk::Part;

  // The stream begins anew: nothing of it is defined.
  void restart();
  // Takes a stretch as a whole; false, and nothing is changed, where anything is odd.
  bool join(const SeenChunk& chunk, const Part& part);
  bool has_all(std::span<const CallIds> ids, std::span<const SeenChunk::Thread> threads);
  bool fits(const SeenChunk& chunk, std::span<const SeenChunk::Thread> threads) const;
  // Of plain calls.
  template <ByteOrder order>
  void see_calls(std::span<std::byte> bytes, std::uint64_t offset);
  template <ByteOrder order>
  void see_entry(const std::byte* payload, std::uint64_t offset, base::Time now);
  template <ByteOrder order>
  void see_exit(std::byte* payload, std::uint64_t offset, base::Time now);
  void see_other(const MessageInfo& message, base::Bytes payload, std::uint64_t offset,
                 const StreamState& state);
  // Notes the ids of a message; false when it is damaged and will be dropped.
  bool collect(const MessageInfo& message, base::Bytes payload, const StreamState& state);
  bool collect_parsed(const MessageInfo& message, base::Bytes payload, const StreamState& state);
  void refer(Meaning meaning, base::Id id, std::uint64_t offset);
  // The same for the three of a call.
  void refer_call(base::Id thread, base::Id method, base::Id class_id, std::uint64_t offset) {
    if (!is_known({method, class_id}) || !is_known(threads_, thread))
      refer_new_call(thread, method, class_id, offset);
  }
  void refer_new_call(base::Id thread, base::Id method, base::Id class_id, std::uint64_t offset);
  DefinedIds* table_of(Meaning meaning);
  // Until the next one is asked for.
  Thread& thread(base::Id id) {
    return id == last_thread_ && last_ != nullptr ? *last_ : other_thread(id);
  }
  Thread& other_thread(base::Id id);
  void see_time(Thread& thread, base::Time now, std::uint64_t offset) {
    if (now < thread.last) [[unlikely]]
      tell_time(thread.last, now, offset);
    thread.last = now;
  }
  void tell_time(base::Time before, base::Time now, std::uint64_t offset);
  void tell_exit_without_entry(base::Id told, std::uint64_t offset);

  // A number of the message at hand.
  struct Number {
    const AttributeInfo* attribute;
    std::int64_t value;
  };

  // Methods whose calls referred to nothing undefined, with their class.
  static constexpr std::size_t kKnownCalls = 4096;
  CallIds& known_call(base::Id method) {
    return known_calls_[place_of_method<kKnownCalls>(method)];
  }
  bool is_known(const CallIds& ids) { return known_call(ids.method) == ids; }
  // An id of 0 refers to nothing.
  static bool is_known(DefinedIds& table, base::Id id) { return id == 0 || table.has(id); }

  Exits exits_;
  bool completed_ = false;  // any exit
  std::array<CallIds, kKnownCalls> known_calls_{};
  std::vector<Number> numbers_;
  base::Limits limits_;
  PayloadParser parser_{limits_};
  Message parsed_;
  DefinedIds threads_;
  DefinedIds classes_;
  DefinedIds methods_;
  base::IdMap<std::size_t> thread_index_;
  std::vector<Thread> by_thread_;
  event::CallAccount account_;
  base::Id last_thread_ = 0;
  Thread* last_ = nullptr;  // in by_thread_
  Found undefined_;
  Found odd_;
};

}  // namespace polytrace::format::tptp
