// SPDX-License-Identifier: Apache-2.0
// Which format a client gets. One pure function, so that the whole table can be tested.
#pragma once

#include <cstdint>
#include <string_view>

namespace polytrace::agent::control {

enum class StreamFormat : std::uint8_t { xml = 0, tbf = 1, native = 2 };

// The agent's option format=xml|binary|native.
using FormatOption = StreamFormat;

// Who takes the stream: a file (server=standalone), or clients that attach to a program that runs
// at once (enabled) or waits for one of them (controlled).
enum class ServerMode : std::uint8_t { standalone, enabled, controlled };

// What a client said that it can read. XML is what everybody can: saying nothing means it.
struct Accepted {
  bool tbf = false;
  bool native = false;
};

// A file gets what the option says. A client gets
//   XML     under format=xml, and whenever it has not announced better;
//   TBF     under format=binary if it accepts TBF;
//   native  under format=binary or native if it accepts native (and nothing above applies).
StreamFormat negotiate(FormatOption option, ServerMode mode, Accepted client);

// "xml", "binary", "native": as options and the legacy commands spell it.
std::string_view name_of(StreamFormat format);
// As `polytrace convert --to` names it: "trcxml", "tbf", "native".
std::string_view converter_name(StreamFormat format);
// Letter case is ignored. False for other words.
bool format_named(std::string_view word, StreamFormat& format);

}  // namespace polytrace::agent::control
