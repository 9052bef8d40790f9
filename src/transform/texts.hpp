// SPDX-License-Identifier: Apache-2.0
// What anonymize does with each text of the catalogue: texts.def, held against event/kinds.def.
#pragma once

#include "event/details.hpp"

namespace polytrace::transform {

enum class Treatment : std::uint8_t { keep, words, whole };

struct TextRule {
  event::Kind kind;
  std::string_view field;
  Treatment treatment;
};
inline constexpr TextRule kTextRules[] = {
#define TEXT(Type, field, treatment) {event::Kind::Type, #field, Treatment::treatment},
#include "transform/texts.def"
#undef TEXT
};

// Null when there is none.
constexpr const TextRule* find_rule(event::Kind kind, std::string_view field) {
  for (const TextRule& rule : kTextRules) {
    if (rule.kind == kind && rule.field == field) return &rule;
  }
  return nullptr;
}

struct FieldName {
  event::Tag tag;
  std::string_view name;
};

// Whether each text of a kind has a rule, and each rule its text.
template <std::size_t count>
constexpr bool is_decided(event::Kind kind, const FieldName (&fields)[count]) {
  std::size_t texts = 0, rules = 0;
  for (const FieldName& field : fields) {
    if (field.tag != event::Tag::kText) continue;
    if (find_rule(kind, field.name) == nullptr) return false;
    ++texts;
  }
  for (const TextRule& rule : kTextRules) rules += rule.kind == kind ? 1 : 0;
  return texts == rules;
}

#define FIELD(type, name) FieldName{event::Tag::k##type, #name},
#define KIND(Type, text, subject, ...)                        \
  static_assert(is_decided(event::Kind::Type, {__VA_ARGS__}), \
                "texts.def: a text of " #text " has no line, or a line no text");
#include "event/kinds.def"
#undef KIND
#undef FIELD

}  // namespace polytrace::transform
