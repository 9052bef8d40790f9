// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the control protocol: docs/recording.md. Any thread may use it.
#pragma once

#include <cstdint>
#include <string_view>

namespace polytrace::agent::control {

inline constexpr std::uint64_t kProtocolVersion = 1;

enum class Message : std::uint16_t {
#define MESSAGE(name, number, who, text) name = number,
#include "agent/control/protocol/messages.def"
#undef MESSAGE
};

enum class Field : std::uint32_t {
#define FIELD(name, number) name = number,
#include "agent/control/protocol/messages.def"
#undef FIELD
};

// What a client may do. Each right includes those before it.
enum class Right : std::uint8_t { none = 0, observe = 1, control = 2 };

// How a command ended.
enum class Outcome : std::uint8_t {
  ok = 0,
  unsupported = 1,  // this agent cannot do that
  forbidden = 2,    // the client lacks the right
  wrong_state = 3,  // not now: PAUSE of what is not running
  invalid = 4,      // the command makes no sense
  failed = 5,       // it was tried
};

// Why a NOTICE was sent.
enum class NoticeCode : std::uint8_t {
  gap = 1,         // events were dropped
  overflow = 2,    // a limit was reached
  capability = 3,  // something that was asked for cannot be had
  end_of_stream = 4,
  end_of_process = 5,
  no_converter = 6,  // XML or TBF was to be sent, and there is no program that makes it
};

// "HELLO"; "?" for a number that is no message.
std::string_view name_of(Message message);
// The right that a client needs to send it; kNone where it needs none. False for what only agents
// send and for numbers that are no message.
bool may_be_sent(Message message, Right& needed);
std::string_view name_of(Outcome outcome);

}  // namespace polytrace::agent::control
