// SPDX-License-Identifier: Apache-2.0
// The payload of one TBF message to a Message, in the catalogue's layout or an alternative one
// (docs/formats/tbf.md, sections 9 and 11). Reuse one object. One thread at a time.
#pragma once

#include "base/limits.hpp"
#include "format/tptp/messages/message.hpp"
#include "format/tptp/tbf/stream_state.hpp"

namespace polytrace::format::tptp {

enum class Layout : std::uint8_t {
  own,
  number_counter,  // the sequence counter of methodExit is an i64
  counted_lists,   // each list of stack frames has a count of its own before it
  wide_flags,      // i8 attributes are i32
};

enum class Fit : std::uint8_t {
  exact,
  longer,   // bytes are left over
  shorter,  // ends between two attributes; the others have their defaults
  broken,
};

struct Parsed {
  Fit fit = Fit::exact;
  Layout layout = Layout::own;
  std::size_t used = 0;    // bytes of the payload
  base::Code fault{};      // of a broken one
  std::int64_t value = 0;  // the count it is about, for a fault of a list
  std::uint32_t ill_texts = 0;
  std::uint32_t clamped = 0;  // numbers
};

class PayloadParser {
 public:
  explicit PayloadParser(const base::Limits& limits) : limits_(limits) {}

  // Texts view the payload or are kept by the message. Tries the alternatives of this kind of
  // message when its own layout does not fit exactly.
  Parsed parse(const MessageInfo& info, base::Bytes payload, const StreamState& state,
               Message& message);

 private:
  Parsed parse_as(Layout layout, const MessageInfo& info, base::Bytes payload,
                  const StreamState& state, Message& message);
  bool parse_value(unsigned index, Message& message);
  bool parse_number(unsigned index, Message& message);
  bool parse_text(std::string_view& text);
  bool parse_list(unsigned index, Message& message);
  bool list_count();
  void fill_list(unsigned index, Message& message) const;
  std::string_view utf8(std::string_view raw, Message& message);
  void to_nanoseconds(Message& message);

  std::size_t left() const { return payload_.size() - parsed_.used; }
  const std::byte* at() const { return payload_.data() + parsed_.used; }
  bool fail(base::Code code, std::int64_t value = 0);
  template <class T>
  T take();

  const base::Limits& limits_;
  base::Bytes payload_;
  const StreamState* state_ = nullptr;
  Parsed parsed_;
  std::int32_t depth_ = 0;
  std::string scratch_;
};

}  // namespace polytrace::format::tptp
