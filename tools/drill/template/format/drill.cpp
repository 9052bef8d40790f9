// SPDX-License-Identifier: Apache-2.0
#include "format/drill/drill.hpp"

#include <array>

namespace polytrace::format::drill {
namespace {

constexpr std::array<std::string_view, 1> kVersions{"1"};

bool recognise(base::Bytes head) {
  return std::string_view(reinterpret_cast<const char*>(head.data()), head.size())
      .starts_with(kFirstLine);
}

// Native records are the common events themselves.
std::string record_name(std::uint8_t record) {
  if (record >= event::kKindCount) return "unknown";
  return std::string(event::describe(static_cast<event::Kind>(record)).name);
}

bool holds(event::Kind, std::string_view) { return true; }

}  // namespace

const Format kFormat{
    .name = "drill",
    .title = "Drill: canonical text in a frame",
    .suffix = ".drill",
    .read_versions = "1",
    .write_versions = kVersions,
    .recognise = recognise,
    .open = open,
    .create = create,
    .record_name = record_name,
    .holds = holds,
};

}  // namespace polytrace::format::drill
