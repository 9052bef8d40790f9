// SPDX-License-Identifier: Apache-2.0
#include "analysis/runtime/counter_names.hpp"

#include <fmt/format.h>

namespace polytrace::analysis {
namespace {

struct CounterSection {
  std::uint32_t number;
  const char* name;
};
constexpr CounterSection kCounterSections[] = {
    {0x100, "Mono JIT"},      {0x200, "Mono GC"},         {0x400, "Mono Metadata"},
    {0x800, "Mono Generics"}, {0x1000, "Mono Security"},  {0x2000, "Mono Runtime"},
    {0x4000, "Mono System"},  {0x10000, "Mono Profiler"}, {0x20000, "Mono Interpreter"}};

}  // namespace

std::string counter_section(const event::CounterDef& details) {
  if (!details.section_name.empty()) return std::string(details.section_name);
  for (const CounterSection& section : kCounterSections)
    if (section.number == details.section) return section.name;
  return fmt::format("section {:#x}", details.section);
}

}  // namespace polytrace::analysis
