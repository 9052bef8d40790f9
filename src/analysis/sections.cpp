// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include <algorithm>
#include <array>

namespace polytrace::analysis {
namespace {

template <event::Kind... kinds>
constexpr std::array<event::Kind, sizeof...(kinds)> kNeededKinds{kinds...};

}  // namespace

std::span<const Section> sections() {
  using enum event::Kind;
  static constexpr std::array kSections{
#define SECTION(maker, key, title, said, events, option, quoting, needs, ...) \
  Section{key,                                                                \
          title,                                                              \
          said,                                                               \
          events,                                                             \
          option,                                                             \
          make_##maker,                                                       \
          Quoting::quoting,                                                   \
          SectionNeeds::needs,                                                \
          kNeededKinds<__VA_ARGS__>},
#include "analysis/sections.def"
#undef SECTION
  };
  return kSections;
}

const Section* find_section(std::string_view key) {
  const auto all = sections();
  auto found = std::ranges::find(all, key, &Section::key);
  if (found == all.end() && !key.empty()) found = std::ranges::find(all, key, &Section::events);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace polytrace::analysis
