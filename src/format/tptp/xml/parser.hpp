// SPDX-License-Identifier: Apache-2.0
// From a chunk of top-level elements (xml_framing.hpp) to messages. Every chunk stands alone, so
// chunks are parsed on every core, each by a parser of its own.
#pragma once

#include <memory>

#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/tptp/messages/message.hpp"

namespace polytrace::format::tptp {

class Receiver {
 public:
  virtual ~Receiver() = default;
  // The element stands at `offset` of the input and is `bytes` long there. The message lives until
  // the return.
  virtual void take(const Message& message, std::uint64_t offset, std::size_t bytes) = 0;
  // An attribute or a child of an event that no message has a place for.
  virtual void lost(std::string_view element, std::string_view name) {
    static_cast<void>(element), static_cast<void>(name);
  }
};

struct ParseOptions {
  bool carry = true;        // elements without a message travel as custom messages
  std::string converted{};  // as of Decoded
  bool plain = true;        // plain elements are read without the parser: the same, but faster
};

// Parses chunk after chunk. What is wrong with an element goes to `notices`, with its line and
// column; an element that is not well-formed is lost, the next one is read. One thread at a time.
class Parser {
 public:
  Parser(Receiver& receiver, base::Notices& notices, const ParseOptions& options = {});
  ~Parser();

  // Says how many bytes of the input belong to no element.
  std::size_t parse(const event::Chunk& chunk);

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace polytrace::format::tptp
