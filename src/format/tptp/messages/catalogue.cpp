// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/codes.hpp"

namespace polytrace::format::tptp {
namespace {

constexpr std::size_t kMostRegistered = 128;

#define ATTRIBUTE(type, field, meaning, used, xml, title, ...) \
  AttributeInfo{Type::type, Meaning::meaning, used, #field, xml, title, {__VA_ARGS__}},
#define MESSAGE(Name, id, element, title, ...) constexpr std::array k##Name{__VA_ARGS__};
#include "format/tptp/messages/catalogue.def"
#undef MESSAGE
#undef ATTRIBUTE

constexpr std::int32_t find_time(std::span<const AttributeInfo> attributes) {
  std::size_t at = 0;
  bool moves = false;
  for (const AttributeInfo& attribute : attributes) {
    if (attribute.meaning == Meaning::time)
      return moves ? MessageInfo::kTimeMoves : static_cast<std::int32_t>(at);
    moves = moves || attribute.is_text() || attribute.is_list();
    at += least_bytes(attribute.type);
  }
  return MessageInfo::kNoTime;
}

constexpr auto kMessages = [] {
  std::array messages{
#define MESSAGE(Name, id, element, title, ...) \
  MessageInfo{id, element, title, k##Name, 0, find_time(k##Name), nullptr},
#include "format/tptp/messages/catalogue.def"
#undef MESSAGE
  };
  for (std::size_t i = 0; i < messages.size(); ++i)
    messages[i].record = static_cast<std::uint8_t>(i);
  return messages;
}();

constexpr auto kById = [] {
  std::array<const MessageInfo*, kFirstFreeId - kFirstDataId> table{};
  for (const MessageInfo& message : kMessages) table[message.id - kFirstDataId] = &message;
  return table;
}();

// Owns what a registered MessageInfo views.
struct Registered {
  MessageSpec spec;
  std::vector<AttributeInfo> attributes;
  MessageInfo info;
};

struct Registry {
  std::deque<Registered> messages;  // addresses stay
  std::unordered_map<std::uint16_t, const MessageInfo*> by_id;
};

Registry& registry() {
  static Registry registry;
  return registry;
}

const std::unordered_map<std::string_view, const MessageInfo*>& elements() {
  static const auto table = [] {
    std::unordered_map<std::string_view, const MessageInfo*> elements;
    for (const MessageInfo& message : kMessages) elements.emplace(message.element, &message);
    return elements;
  }();
  return table;
}

bool is_name(std::string_view text) {
  const auto starts = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto goes_on = [&](char c) {
    return starts(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !text.empty() && starts(text[0]) && std::all_of(text.begin(), text.end(), goes_on);
}

// Why these attributes cannot be coded, or nothing.
std::string fault_of(std::span<const AttributeSpec> attributes) {
  bool depth = false;
  std::set<std::string_view> names;
  for (const AttributeSpec& attribute : attributes) {
    if (attribute.meaning != Meaning::body && !names.insert(attribute.name).second)
      return fmt::format("two attributes {}", attribute.name);
    if (attribute.meaning == Meaning::depth) {
      if (attribute.type != Type::i32) return "a depth is of type i32";
      depth = true;
    }
    const bool list = attribute.type == Type::strs || attribute.type == Type::i64s;
    if (list && !depth) return fmt::format("no depth before the list {}", attribute.name);
    if (attribute.meaning != Meaning::body && !is_name(attribute.name))
      return fmt::format("\"{}\" is no name of an attribute", attribute.name);
  }
  return {};
}

// Whether the first two bytes of a header, "0TBF", are this number in either byte order.
bool begins_magic(std::uint16_t id) { return id == 0x3054 || id == 0x5430; }

std::string fault_of(const MessageSpec& spec) {
  if (spec.id < kFirstFreeId || spec.id > kLastId)
    return fmt::format("id {} is not between {} and {}", spec.id, kFirstFreeId, kLastId);
  if (begins_magic(spec.id))
    return fmt::format("a message of id {} could be taken for a header", spec.id);
  if (find_message(spec.id) != nullptr) return fmt::format("id {} is taken", spec.id);
  if (!is_name(spec.element)) return fmt::format("\"{}\" is no name of an element", spec.element);
  if (find_element(spec.element) != nullptr)
    return fmt::format("element {} is taken", spec.element);
  if (registry().messages.size() >= kMostRegistered) return "too many messages";
  return fault_of(spec.attributes);
}

}  // namespace

std::size_t MessageInfo::least_bytes() const {
  std::size_t bytes = kMessageHeaderBytes;
  for (const AttributeInfo& attribute : attributes) bytes += tptp::least_bytes(attribute.type);
  return bytes;
}

unsigned MessageInfo::find_xml(std::string_view name) const {
  const auto has = [name](const AttributeInfo& attribute) {
    return attribute.xml == name && !attribute.is_list() && attribute.meaning != Meaning::body;
  };
  const auto also = [name](const AttributeInfo& attribute) {
    return std::find(attribute.aliases.begin(), attribute.aliases.end(), name) !=
           attribute.aliases.end();
  };
  auto found = std::find_if(attributes.begin(), attributes.end(), has);
  if (found == attributes.end() && !name.empty())
    found = std::find_if(attributes.begin(), attributes.end(), also);
  return static_cast<unsigned>(found - attributes.begin());
}

const MessageInfo* find_message(std::uint16_t id) {
  const unsigned index = unsigned{id} - kFirstDataId;
  if (index < kById.size()) return kById[index];
  const auto& registered = registry().by_id;
  if (registered.empty()) return nullptr;
  const auto found = registered.find(id);
  return found == registered.end() ? nullptr : found->second;
}

const MessageInfo* find_element(std::string_view name) {
  const auto found = elements().find(name);
  if (found != elements().end()) return found->second;
  for (const Registered& message : registry().messages) {
    if (message.info.element == name) return &message.info;
  }
  return nullptr;
}

std::vector<const MessageInfo*> all_messages() {
  std::vector<const MessageInfo*> all;
  for (const MessageInfo& message : kMessages) all.push_back(&message);
  for (const Registered& message : registry().messages) all.push_back(&message.info);
  return all;
}

const MessageInfo* message_of_record(std::uint8_t record) {
  if (record < kMessages.size()) return &kMessages[record];
  const std::size_t index = record - kMessages.size();
  const auto& registered = registry().messages;
  return index < registered.size() ? &registered[index].info : nullptr;
}

base::result<const MessageInfo*> register_message(MessageSpec spec) {
  if (std::string fault = fault_of(spec); !fault.empty())
    return base::fail(base::Code::usage, std::move(fault));
  Registered& added = registry().messages.emplace_back();
  added.spec = std::move(spec);
  for (const AttributeSpec& attribute : added.spec.attributes)
    added.attributes.push_back({attribute.type, attribute.meaning, attribute.used, attribute.name,
                                attribute.name, attribute.name});
  const auto record = kMessages.size() + registry().messages.size() - 1;
  added.info = {.id = added.spec.id,
                .element = added.spec.element,
                .title = added.spec.element,
                .attributes = added.attributes,
                .record = static_cast<std::uint8_t>(record),
                .time_at = find_time(added.attributes)};
  if (added.spec.handler) added.info.handler = &added.spec.handler;
  registry().by_id.emplace(added.info.id, &added.info);
  return &added.info;
}

}  // namespace polytrace::format::tptp
