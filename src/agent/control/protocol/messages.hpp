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
enum class Right : std::uint8_t { kNone = 0, kObserve = 1, kControl = 2 };

// How a command ended.
enum class Outcome : std::uint8_t {
  kOk = 0,
  kUnsupported = 1,  // this agent cannot do that
  kForbidden = 2,    // the client lacks the right
  kWrongState = 3,   // not now: PAUSE of what is not running
  kInvalid = 4,      // the command makes no sense
  kFailed = 5,       // it was tried
};

// Why a NOTICE was sent.
enum class NoticeCode : std::uint8_t {
  kGap = 1,         // events were dropped
  kOverflow = 2,    // a limit was reached
  kCapability = 3,  // something that was asked for cannot be had
  kEndOfStream = 4,
  kEndOfProcess = 5,
  kNoConverter = 6,  // XML or TBF was to be sent, and there is no program that makes it
};

// "HELLO"; "?" for a number that is no message.
std::string_view name_of(Message message);
// The right that a client needs to send it; kNone where it needs none. False for what only agents
// send and for numbers that are no message.
bool may_be_sent(Message message, Right& needed);
std::string_view name_of(Outcome outcome);

}  // namespace polytrace::agent::control
