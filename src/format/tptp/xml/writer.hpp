// SPDX-License-Identifier: Apache-2.0
// Messages as TPTP XML: one element per line, byte for byte the same for the same messages.
#pragma once

#include <memory>
#include <string>

#include "base/io/sink.hpp"
#include "format/tptp/messages/message.hpp"
#include "format/tptp/xml/scan.hpp"

namespace polytrace::format::tptp {

// Whether a text is exactly one well-formed element that has no message of its own: such a body of
// a custom message is written as it stands.
bool is_carried_element(std::string_view text);

// The element and a line end. Says how many characters XML cannot hold: they became U+FFFD.
std::size_t append_element(std::string& to, const Message& message);

// One document. One thread at a time.
class DocumentWriter {
 public:
  explicit DocumentWriter(std::unique_ptr<base::Sink> sink) : sink_(std::move(sink)) {}

  base::result<void> write(const Message& message);
  void leave_open() { open_ = true; }  // see event::Writer
  // Ends the document and commits the sink. Without it nothing appears.
  base::result<void> finish();
  // Characters that XML cannot hold and that were replaced.
  std::uint64_t replaced() const { return replaced_; }

 private:
  void begin();
  base::result<void> flush();

  std::unique_ptr<base::Sink> sink_;
  std::string text_;
  std::uint64_t replaced_ = 0;
  bool begun_ = false;
  bool open_ = false;
};

}  // namespace polytrace::format::tptp
