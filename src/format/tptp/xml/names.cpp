// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace polytrace::format::tptp {
namespace {

constexpr std::array<std::string_view, 17> kCarried{
    "processSuspend", "processResume",    "classUnload", "objDef", "objMove",
    "methodCall",     "methodReturn",     "value",       "line",   "throw",
    "catch",          "methodCount",      "methodBody",  "method", "tag",
    "code",           "invocationContext"};

struct Lost {
  std::string_view element;
  std::string_view attribute;
  bool operator==(const Lost&) const = default;
};
constexpr std::array<Lost, 3> kLost{{{"methodEntry", "objIdRef"},
                                     {"methodEntry", "transientClassIdRef"},
                                     {"methodDef", "visibility"}}};

bool contains_ignoring_case(std::string_view text, std::string_view lower) {
  return !std::ranges::search(text, lower, [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == b;
          }).empty();
}

}  // namespace

bool is_event(std::string_view name) { return find_element(name) != nullptr; }

bool is_carried(std::string_view name) {
  return std::ranges::find(kCarried, name) != kCarried.end();
}

bool holds_anything(std::string_view name) {
  const MessageInfo* info = find_element(name);
  return info != nullptr && body_of(*info) != info->attributes.size();
}

bool is_lost(std::string_view element, std::string_view attribute) {
  return std::ranges::find(kLost, Lost{element, attribute}) != kLost.end() ||
         contains_ignoring_case(attribute, "overhead");
}

unsigned body_of(const MessageInfo& info) {
  const auto found = std::ranges::find(info.attributes, Meaning::body, &AttributeInfo::meaning);
  return static_cast<unsigned>(found - info.attributes.begin());
}

}  // namespace polytrace::format::tptp
