// SPDX-License-Identifier: Apache-2.0
// TPTP XML as a stream of messages, one after the other: what conversions within the family read.
// Events for everybody else come from xml_reader.hpp.
#pragma once

#include <memory>
#include <string>

#include "format/tptp/xml/encoding.hpp"
#include "format/tptp/xml/framing.hpp"
#include "format/tptp/xml/parser.hpp"

namespace polytrace::format::tptp::xml {

// One thread at a time.
class MessageReader {
 public:
  // Any encoding, also in a zip file. Fails as the source does.
  static base::result<std::unique_ptr<MessageReader>> open(std::unique_ptr<base::Source> source,
                                                           const base::Limits& limits,
                                                           Receiver& receiver,
                                                           const ParseOptions& options = {});
  MessageReader(Decoded decoded, const base::Limits& limits, Receiver& receiver,
                const ParseOptions& options)
      : source_(std::move(decoded.source)),
        encoding_(std::move(decoded.encoding)),
        framing_(*source_, limits, decoded.converted),
        parser_(receiver, notices_, {options.carry, decoded.converted}) {}

  // Gives the receiver some more messages; false at the end. Errors are the source's, faults of
  // the content go to notices().
  base::result<bool> next();
  // Complete when next() gave false.
  base::Notices notices() const;
  const base::Source& source() const { return *source_; }
  const std::string& encoding() const { return encoding_; }

 private:
  std::unique_ptr<base::Source> source_;
  std::string encoding_;
  base::Notices notices_;
  Framing framing_;
  Parser parser_;
  event::Chunk chunk_;
};

}  // namespace polytrace::format::tptp::xml
