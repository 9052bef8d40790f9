// SPDX-License-Identifier: Apache-2.0
// The numbers by which the tally counts what was decoded, and the table of further events. Pure.
#pragma once

#include <optional>
#include <string>

#include "event/details.hpp"

namespace polytrace::format::monoblock {

enum class Record : std::uint8_t {
#define RECORD(number, identifier, name) identifier = number,
#include "format/monoblock/layout/records.def"
#undef RECORD
};
inline constexpr std::uint8_t kFirstEvent = 64;

std::string record_name(std::uint8_t number);

// Codes of further events.
enum class EventCode : std::uint8_t {
#define EVENT(code, identifier, ...) identifier = code,
#include "format/monoblock/layout/events.def"
#undef EVENT
};
inline constexpr unsigned kEventCodes = 64;

struct FurtherEvent {
  EventCode code{};
  std::string_view name{};  // empty for a code without meaning
  event::Kind kind{};
  std::uint8_t what = 0;  // its stage, phase or life
};
const FurtherEvent& further_event(unsigned code);  // REQUIRES: below kEventCodes
// Null when there is none.
const FurtherEvent* find_further_event(event::Kind kind, std::uint8_t what);
// The event that a shipped variant packs into `first`, whose 3 low bits are 5, 6 or 7.
std::optional<EventCode> shipped_event(std::uint8_t first);

// The first byte of a LOADED or UNLOADED block: what it is about, and how that went.
enum Load : unsigned {
  kLoadedModule = 1,
  kLoadedAssembly = 2,
  kLoadedDomain = 4,
  kLoadSucceeded = 8,
  kLoadFailed = 16
};

// The layout of a further event follows from its code.
enum class EventLayout : std::uint8_t {
  delta,             // INT delta
  main_delta,        // INT main, INT delta
  main_second,       // INT main, INT second; no time
  main_delta_extra,  // INT main, INT delta, INT extra
  bytes,             // INT length, that many bytes
};
constexpr EventLayout layout_of(unsigned code) {
  if (code == 0) return EventLayout::delta;
  if (code <= 22) return EventLayout::main_delta;
  if (code <= 31) return EventLayout::main_second;
  return code <= 47 ? EventLayout::main_delta_extra : EventLayout::bytes;
}

}  // namespace polytrace::format::monoblock
