// SPDX-License-Identifier: Apache-2.0
// What messages there are and what each of them holds: the 30 of catalogue.def, and those that a
// program registers. Binary codec, XML codec, text and documentation all go by these descriptions.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "event/batch.hpp"

namespace polytrace::format::tptp {

class Message;

// How a value is coded. A list (strs, i64s) has as many items as the depth attribute before it
// says.
enum class Type : std::uint8_t { i8, i32, i64, f64, str, strs, i64s };

// What a value is: decides its text in XML, its unit, and what it refers to.
enum class Meaning : std::uint8_t {
  plain,     // a number or a text, as it stands
  flag,      // 0 or 1
  time,      // of the event, in the stream's unit; nanoseconds in a Message
  span,      // a duration in the stream's unit; nanoseconds in a Message
  cpu_span,  // a duration, always in nanoseconds
  // Ids, one space each. An attribute whose XML name ends in "Ref" refers, another one defines.
  thread,
  class_id,
  method,
  object,
  dump,
  transient_thread,
  transient_class,
  transient_object,
  class_name,  // a class, with dots
  depth,       // the length of the lists behind it
  frame_name,  // lists of stack frames, innermost first: "annotation" children in XML
  frame_line,
  body,  // the element's content in XML
};

struct AttributeInfo {
  Type type = Type::i64;
  Meaning meaning = Meaning::plain;
  bool used = true;
  std::string_view field;  // its name in code and in text
  std::string_view xml;
  std::string_view title;
  std::array<std::string_view, 3> aliases{};  // XML names that are read too; empty ones behind

  constexpr bool is_list() const { return type == Type::strs || type == Type::i64s; }
  constexpr bool is_text() const { return type == Type::str || type == Type::strs; }
  constexpr bool refers() const { return xml.ends_with("Ref"); }
};

// Bytes of a value, the least there can be of a text, none of a list.
constexpr std::size_t least_bytes(Type type) {
  switch (type) {
    case Type::i8:
    case Type::str: return 1;
    case Type::i32: return 4;
    case Type::i64:
    case Type::f64: return 8;
    default: return 0;
  }
}

// Makes events of a registered message. `now` is its time, or that of the message before it when
// it has none. Called from several threads at once, each with its own batch.
using Handler = std::function<void(const Message& message, base::Time now, event::Batch& batch)>;

struct MessageInfo {
  std::uint16_t id = 0;
  std::string_view element;
  std::string_view title;
  std::span<const AttributeInfo> attributes;
  std::uint8_t record = 0;  // its number in event::Tally
  // Where its time stands behind the message's header, when that is always the same place.
  std::int32_t time_at = kNoTime;
  const Handler* handler = nullptr;  // of a registered one, null = none

  static constexpr std::int32_t kNoTime = -1;
  static constexpr std::int32_t kTimeMoves = -2;  // texts stand before it

  std::size_t least_bytes() const;  // the whole message with empty texts and lists
  // The attribute's index by XML name or alias; attributes.size() when there is none.
  unsigned find_xml(std::string_view name) const;
};

inline constexpr std::size_t kMessageHeaderBytes = 6;
inline constexpr std::uint16_t kFirstDataId = 1001;
inline constexpr std::uint16_t kFirstFreeId = 1042;
inline constexpr std::uint16_t kLastId = 32767;

// The attributes of each message of the catalogue as indexes: field::ThreadStart::thread_id.
namespace field {
#define ATTRIBUTE(type, field, ...) field,
#define MESSAGE(Name, number, element, title, ...) \
  struct Name {                                    \
    static constexpr std::uint16_t kId = number;   \
    enum Attribute : unsigned { __VA_ARGS__ };     \
  };
#include "format/tptp/messages/catalogue.def"
#undef MESSAGE
#undef ATTRIBUTE
}  // namespace field

// Null when no message has that id, or that element name.
const MessageInfo* find_message(std::uint16_t id);
const MessageInfo* find_element(std::string_view name);
// Those of the catalogue in order of their ids, then the registered ones in order of registration.
std::vector<const MessageInfo*> all_messages();
// By MessageInfo::record; null when there is none.
const MessageInfo* message_of_record(std::uint8_t record);

// --- more messages ---

struct AttributeSpec {
  Type type = Type::i64;
  std::string name;  // in XML and in text
  Meaning meaning = Meaning::plain;
  bool used = true;
};

struct MessageSpec {
  std::uint16_t id = 0;  // kFirstFreeId to kLastId
  std::string element;   // an XML name
  std::vector<AttributeSpec> attributes;
  Handler handler{};  // none: the message becomes a note
};

// Teaches all TPTP codecs a further message, for the rest of the process. Call it before anything
// is read or written: it must not run beside a codec. Fails with usage, saying why: an id or
// element that is taken or not allowed, two attributes of one name, a list without a depth before
// it, more than 128 messages.
base::result<const MessageInfo*> register_message(MessageSpec spec);

}  // namespace polytrace::format::tptp
