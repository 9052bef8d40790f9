// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "event/details.hpp"

namespace polytrace::event {
namespace {

constexpr std::array kKinds{
#define KIND(Type, text, subject, ...) KindInfo{Kind::Type, #text, #subject},
#include "event/kinds.def"
#undef KIND
};

}  // namespace

const KindInfo& describe(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const KindInfo* find_kind(std::string_view name) {
  for (const KindInfo& info : kKinds) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace polytrace::event
