// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/write/held.hpp"

#include <array>
#include <optional>

#include "event/visit.hpp"

namespace polytrace::format::monoblock {
namespace {

constexpr auto kHeld = [] {
  std::array<std::optional<std::string_view>, event::kKindCount> table{};
#define HELD(Type, fields) table[static_cast<std::size_t>(event::Kind::Type)] = fields;
#include "format/monoblock/write/held.def"
#undef HELD
  return table;
}();

bool lists(std::string_view fields, std::string_view name) {
  while (!fields.empty()) {
    const std::size_t end = std::min(fields.find(' '), fields.size());
    if (fields.substr(0, end) == name) return true;
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  return false;
}

// A visitor (visit.hpp).
struct LostFields {
  std::string_view held;
  event::Kind kind;
  event::Loss& loss;

  template <event::Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if (event::is_told<tag>(value) && !lists(held, name)) loss.field(kind, name);
  }
};

}  // namespace

bool holds_kind(event::Kind kind) { return kHeld[static_cast<std::size_t>(kind)].has_value(); }

void count_lost_fields(const event::Batch& batch, const event::Event& event, event::Loss& loss) {
  if (event.detail == event::kAbsent) return;
  const auto& held = kHeld[static_cast<std::size_t>(event.kind)];
  LostFields lost{held.value_or(std::string_view{}), event.kind, loss};
  event::with_details(batch, event,
                      [&](const auto& details) { event::visit_fields(lost, details); });
}

}  // namespace polytrace::format::monoblock
