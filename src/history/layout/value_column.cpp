// SPDX-License-Identifier: Apache-2.0
#include "history/layout/value_column.hpp"

namespace polytrace::history {
namespace {

std::uint8_t code_byte(Tag tag) {
  if (presence_of(tag) == Presence::value) return type_of(tag);
  return static_cast<std::uint8_t>(kNoValueCode + static_cast<unsigned>(presence_of(tag)));
}

}  // namespace

ValueColumn ValueColumn::of(std::span<const std::uint64_t> values, std::span<const Tag> tags,
                            TypeCode code, unsigned special) {
  const Column all = Column::of(values, tags, is_signed_class(code));
  // Null and absent need numbers of their own; where all 64 bits are taken, codes tell.
  const bool has_room = all.range <= ~std::uint64_t{0} - special;
  if (code == kAnyCode || !has_room) return {all.least, all.width, 0, kCodesForm};
  const std::uint64_t most = all.any ? all.range + special : special - (special != 0 ? 1 : 0);
  return {all.least, base::width_of(most), special, 0};
}

void ValueColumn::put(base::Appender& to, std::span<const std::uint64_t> values,
                      std::span<const Tag> tags) const {
  if (form == kCodesForm) {
    for (const Tag tag : tags) to.byte(code_byte(tag));
  }
  base::pack(to, values.size(), width, [&](std::size_t i) {
    const auto presence = static_cast<unsigned>(presence_of(tags[i]));
    const std::uint64_t number = values[i] - least + special;
    const std::uint64_t none = special < presence ? 0 : special - presence;
    return presence == 0 ? number : none;
  });
}

}  // namespace polytrace::history
