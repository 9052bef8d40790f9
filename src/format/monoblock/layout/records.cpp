// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/layout/records.hpp"

#include <fmt/format.h>

#include <array>

namespace polytrace::format::monoblock {
namespace {

constexpr auto kFurtherEvents = [] {
  std::array<FurtherEvent, kEventCodes> table{};
#define EVENT(number, identifier, title, type, stage)               \
  table[number] = {EventCode::identifier, title, event::Kind::type, \
                   static_cast<std::uint8_t>(stage)};
#include "format/monoblock/layout/events.def"
#undef EVENT
  return table;
}();

constexpr unsigned kEndBit = 0x10;

constexpr auto kShippedEvents = [] {
  std::array<std::optional<EventCode>, 256> table{};
#define SHIPPED(low, code, end, identifier) \
  table[((code) | ((end) * kEndBit)) << 3 | (low)] = EventCode::identifier;
#include "format/monoblock/layout/shipped_events.def"
#undef SHIPPED
  return table;
}();

}  // namespace

std::string record_name(std::uint8_t number) {
  switch (static_cast<Record>(number)) {
#define RECORD(number, identifier, name) \
  case Record::identifier: return name;
#include "format/monoblock/layout/records.def"
#undef RECORD
  }
  const unsigned code = number - kFirstEvent;
  if (code < kEventCodes && !further_event(code).name.empty())
    return std::string(further_event(code).name);
  return fmt::format("record {}", number);
}

const FurtherEvent& further_event(unsigned code) { return kFurtherEvents[code]; }

const FurtherEvent* find_further_event(event::Kind kind, std::uint8_t what) {
  for (const FurtherEvent& further : kFurtherEvents) {
    if (!further.name.empty() && further.kind == kind && further.what == what) return &further;
  }
  return nullptr;
}

std::optional<EventCode> shipped_event(std::uint8_t first) { return kShippedEvents[first]; }

}  // namespace polytrace::format::monoblock
