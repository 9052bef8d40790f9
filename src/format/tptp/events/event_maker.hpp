// SPDX-License-Identifier: Apache-2.0
// Messages to the common events. Attributes that events have no field for (transient ids, collation
// values, ids of processes and agents) stay behind. One batch, one thread at a time.
#pragma once

#include "base/seeded_hash.hpp"
#include "event/batch.hpp"
#include "format/tptp/events/links.hpp"
#include "format/tptp/messages/message.hpp"

namespace polytrace::format::tptp {

class EventMaker {
 public:
  // The batch outlives the maker.
  explicit EventMaker(event::Batch& batch) : batch_(batch) {}

  // `now` is the message's time, or that of the last message before it that had one.
  void tell(const Message& message, base::Time now);
  // What the first time of a stream says about all: `wall` when it counts from 1970.
  // `ticks_per_second` is 0 when the stream told none.
  void tell_clock(base::Time now, bool wall, std::int64_t ticks_per_second);

 private:
  void tell_session(const Message& message, base::Time now);
  void tell_process(const Message& message, base::Time now);
  void tell_definition(const Message& message, base::Time now);
  void tell_call(const Message& message, base::Time now);
  void tell_memory(const Message& message, base::Time now);
  void tell_monitor(const Message& message, base::Time now);
  void tell_heap(const Message& message, base::Time now);
  void tell_registered(const Message& message, base::Time now);

  void tell_class(const Message& message, base::Time now);
  void tell_method(const Message& message, base::Time now);
  void tell_alloc(const Message& message, base::Time now);

  event::Stack stack_of(const Message& message, unsigned methods, unsigned lines, base::Time now);
  base::Id method_of_frame(std::string_view name, base::Time now);
  std::uint16_t slot(std::int64_t thread);
  event::Text keep(const Message& message, unsigned attribute) {
    return batch_.keep(message.text(attribute));
  }
  // Empty for what was made.
  event::Text keep_told(Link link, const Message& message, unsigned attribute) {
    return is_made_link(link, message.text(attribute)) ? event::Text{} : keep(message, attribute);
  }

  event::Batch& batch_;
  base::IdSet frame_methods_;  // named for the message at hand
};

// An id of the format, where 0 means none.
inline base::Id id_of(std::int64_t id) { return id == 0 ? base::kNoId : static_cast<base::Id>(id); }

// The id under which a stack frame's method goes, which the format knows by name only.
base::Id frame_method_id(std::string_view name);

// Flags of event::Method, as the Java virtual machine codes them.
enum class MethodFlag : std::uint32_t {
  is_static = 0x8,
  is_synchronized = 0x20,
  is_native = 0x100,
  is_abstract = 0x400,
};

}  // namespace polytrace::format::tptp
