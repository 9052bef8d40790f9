// SPDX-License-Identifier: Apache-2.0
// The dictionary of OpenTelemetry's profiles.
#include <fmt/format.h>

#include <algorithm>

#include "collector/foreign/otlp_reader.hpp"
#include "exports/profiles/fields.hpp"

namespace polytrace::collector {
namespace {

using namespace exports;

constexpr WireForm kDictionaryForm{"ProfilesDictionary", "lllllll"};
constexpr WireForm kStackForm{"Stack", "r"};
constexpr WireForm kOtlpLocationForm{"Location", "vvlr"};
constexpr WireForm kOtlpLineForm{"Line", "vvv"};
constexpr WireForm kOtlpFunctionForm{"Function", "vvvv"};
constexpr WireForm kOtlpMappingForm{"Mapping", "vvvvr"};

constexpr std::size_t kMostFramesOfStacks = std::size_t{1} << 24;

}  // namespace

// The number in a table; kNothing for none.
std::uint32_t OtlpReader::checked(std::int64_t index, std::size_t size, std::string_view name) {
  if (static_cast<std::uint64_t>(index) < size) return static_cast<std::uint32_t>(index);
  work_.damage(fmt::format("{} {} is in no table", name, index));
  return FrameTables::kNothing;
}

void OtlpReader::read_dictionary(View bytes) {
  Walk<OtlpDictionary> walk(&work_, kDictionaryForm, bytes);
  while (walk.next()) {
    const View entry = walk.view();
    switch (walk.field()) {
      case OtlpDictionary::mapping_table: read_mapping(entry); break;
      case OtlpDictionary::location_table: read_location(entry); break;
      case OtlpDictionary::function_table: read_function(entry); break;
      case OtlpDictionary::link_table: break;
      case OtlpDictionary::string_table:
        ForeignWork::need_room(tables_.texts(), "texts");
        tables_.add_text(text_of(entry));
        break;
      case OtlpDictionary::attribute_table:
        ForeignWork::need_room(attribute_views_.size(), "attributes");
        attribute_views_.push_back(entry);
        break;
      case OtlpDictionary::stack_table: read_stack(entry); break;
    }
  }
}

void OtlpReader::read_mapping(View bytes) {
  ForeignWork::need_room(tables_.mappings.size(), "mappings");
  FrameTables::Mapping& mapping = tables_.mappings.emplace_back();
  Walk<OtlpMapping> walk(&work_, kOtlpMappingForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case OtlpMapping::memory_start:
        mapping.start = static_cast<std::uint64_t>(walk.number());
        break;
      case OtlpMapping::file_offset:
        mapping.offset = static_cast<std::uint64_t>(walk.number());
        break;
      case OtlpMapping::filename_strindex: mapping.file = walk.number(); break;
      default: walk.skip();
    }
  }
}

// Numbers as they are told: whether they are of a table is known when all are read.
void OtlpReader::read_location(View bytes) {
  const auto number = [](std::int64_t told) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(told), FrameTables::kNothing - 1));
  };
  ForeignWork::need_room(tables_.locations.size(), "locations");
  FrameTables::Location& location = tables_.locations.emplace_back();
  location.mapping = 0;
  location.begin = tables_.lines.size();
  Walk<OtlpLocation> walk(&work_, kOtlpLocationForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case OtlpLocation::mapping_index: location.mapping = number(walk.number()); break;
      case OtlpLocation::address:
        location.address = static_cast<std::uint64_t>(walk.number());
        break;
      case OtlpLocation::lines: {
        std::uint32_t function = 0;
        Walk<OtlpLine> line(&work_, kOtlpLineForm, walk.view());
        while (line.next()) {
          const std::int64_t value = line.number();
          if (line.field() == OtlpLine::function_index) function = number(value);
        }
        if (tables_.lines.size() >= FrameTables::kMostLines)
          throw RoomFault{"too many lines in one message"};
        tables_.lines.push_back(function);
        break;
      }
      default: walk.skip();
    }
  }
  location.end = tables_.lines.size();
}

void OtlpReader::read_function(View bytes) {
  ForeignWork::need_room(tables_.functions.size(), "functions");
  FrameTables::Function& function = tables_.functions.emplace_back();
  Walk<OtlpFunction> walk(&work_, kOtlpFunctionForm, bytes);
  while (walk.next()) {
    const std::int64_t value = walk.number();
    switch (walk.field()) {
      case OtlpFunction::name_strindex: function.name = value; break;
      case OtlpFunction::system_name_strindex: function.other_name = value; break;
      case OtlpFunction::filename_strindex: function.file = value; break;
      case OtlpFunction::start_line: function.set_line(value); break;
    }
  }
}

void OtlpReader::read_stack(View bytes) {
  ForeignWork::need_room(stacks_.size(), "stacks");
  stacks_.push_back({places_.size(), places_.size()});
  Walk<OtlpStack> walk(&work_, kStackForm, bytes);
  while (walk.next())
    walk.each([&](std::int64_t index) {
      if (places_.size() >= kMostFramesOfStacks)
        throw RoomFault{"too many frames of stacks in one message"};
      places_.push_back(static_cast<std::uint32_t>(
          std::min<std::uint64_t>(static_cast<std::uint64_t>(index), FrameTables::kNothing)));
    });
  stacks_.back().end = places_.size();
}

// What is in no table is taken for entry 0, which says nothing; of a stack it goes.
void OtlpReader::refer() {
  if (tables_.functions.empty()) tables_.functions.emplace_back();
  if (tables_.mappings.empty()) tables_.mappings.emplace_back();
  for (std::uint32_t& line : tables_.lines)
    line = checked(line, tables_.functions.size(), "function");
  for (FrameTables::Location& location : tables_.locations)
    location.mapping = checked(location.mapping, tables_.mappings.size(), "mapping");
  for (std::uint32_t& place : places_) place = checked(place, tables_.locations.size(), "location");
}

}  // namespace polytrace::collector
