// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/frame_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/utf8.hpp"
#include "collector/aggregate/stable_names.hpp"

namespace polytrace::collector {

void FrameTables::Function::set_line(std::int64_t told) {
  line = static_cast<std::uint32_t>(std::clamp<std::int64_t>(told, 0, ~std::uint32_t{0}));
}

void FrameTables::add_text(std::string_view text) {
  if (text.size() > kLongestName)
    text = shortened_.emplace_back(
        base::short_name(base::repaired(text.substr(0, 64 * kLongestName)), kLongestName));
  texts_.push_back(text);
}

std::string_view FrameTables::name_of(std::uint32_t function) const {
  if (function == kNothing) return {};
  const std::string_view name = text(functions[function].name);
  return name.empty() ? text(functions[function].other_name) : name;
}

std::string_view FrameTables::innermost_name(std::uint32_t location) const {
  const Location& place = locations[location];
  return place.begin == place.end ? std::string_view() : name_of(lines[place.begin]);
}

std::string FrameTables::native_name(const Location& location) const {
  if (location.mapping == kNothing) return fmt::format("0x{:x}", location.address);
  const Mapping& mapping = mappings[location.mapping];
  const std::string_view file = text(mapping.file);
  if (file.empty()) return fmt::format("0x{:x}", location.address);
  const std::uint64_t at = location.address >= mapping.start
                               ? location.address - mapping.start + mapping.offset
                               : location.address;
  return fmt::format("{}+0x{:x}", file.substr(file.rfind('/') + 1), at);
}

bool FrameTables::append_frames(std::uint32_t location, std::size_t most,
                                std::vector<ForeignFrame>& into) const {
  const Location& place = locations[location];
  for (std::size_t i = place.begin; i < place.end; ++i) {
    if (into.size() >= most) return false;
    const std::string_view name = name_of(lines[i]);
    if (name.empty()) into.push_back({native_name(place)});
    else {
      const Function& function = functions[lines[i]];
      into.push_back({std::string(name), std::string(text(function.file)), function.line});
    }
  }
  if (place.begin != place.end) return true;
  if (into.size() >= most) return false;
  into.push_back({native_name(place)});
  return true;
}

}  // namespace polytrace::collector
