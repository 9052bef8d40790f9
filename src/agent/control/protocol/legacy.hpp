// SPDX-License-Identifier: Apache-2.0
// The XML command language of old clients:
//   client  <setOutputFormat><format>binary</format></setOutputFormat>
//   agent   <enabledOutputFormat><format>binary</format></enabledOutputFormat>
// Read leniently: white space anywhere between the parts, any letter case, an XML declaration and
// comments before it, and the published slip of a closing tag without its slash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/control/protocol/negotiation.hpp"

namespace polytrace::agent::control {

enum class LegacyVerb : std::uint8_t {
  set_output_format,
  enabled_output_format,
  start_monitoring,
  unknown,  // an element of another name: skipped whole
};

struct LegacyCommand {
  LegacyVerb verb = LegacyVerb::unknown;
  // Of the two with a format; false where it names none that exists (native does not, here).
  bool has_format = false;
  StreamFormat format = StreamFormat::xml;
};

// Collects text until it is a command.
class LegacyReader {
 public:
  enum class Cut : std::uint8_t { command, more, impossible };

  static constexpr std::size_t kLongest = 4096;  // a command that is longer is impossible

  void append(std::string_view text) { text_ += text; }
  Cut next(LegacyCommand& command);
  bool empty() const;  // nothing but white space is waiting

 private:
  std::string text_;
};

// Whether the first bytes of a connection are this language rather than a frame. They decide as
// soon as there are four of them: as the length of a frame, text is far too large.
bool looks_legacy(std::string_view first_bytes);

std::string legacy_command(LegacyVerb verb, StreamFormat format);

}  // namespace polytrace::agent::control
