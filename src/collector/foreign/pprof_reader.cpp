// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/pprof_reader.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "exports/profiles/fields.hpp"

namespace polytrace::collector {
namespace {

using namespace exports;

constexpr WireForm kProfileForm{"Profile", "llllllvvvvlvrvv"};
constexpr WireForm kTypeForm{"ValueType", "vv"};
constexpr WireForm kSampleForm{"Sample", "rrl"};
constexpr WireForm kLabelForm{"Label", "vvvv"};
constexpr WireForm kMappingForm{"Mapping", "vvvvvvvvvv"};
constexpr WireForm kLocationForm{"Location", "vvvlv"};
constexpr WireForm kLineForm{"Line", "vvv"};
constexpr WireForm kFunctionForm{"Function", "vvvvv"};

constexpr std::size_t kMostPlaces = std::size_t{1} << 24;  // of all stacks that are kept apart

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void PprofReader::read(std::vector<std::byte> message, LabelList told) {
  auto owned = std::make_unique<Document>();
  Document& document = *owned;
  document.bytes = std::move(message);
  documents_.push_back(std::move(owned));
  const View bytes(reinterpret_cast<const char*>(document.bytes.data()), document.bytes.size());
  read_tables(document, bytes);
  Goal goal = goal_of(document, std::move(told));
  Walk<PprofProfile> walk(nullptr, kProfileForm, bytes);
  while (walk.next()) {
    if (walk.field() == PprofProfile::sample) read_sample(document, walk.view(), goal);
    else walk.skip();
  }
  tell_left_out(document, goal);
}

void PprofReader::read_tables(Document& document, View bytes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> types;
  Walk<PprofProfile> walk(&work_, kProfileForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case PprofProfile::sample_type: {
        ForeignWork::need_room(types.size() + ForeignWork::kMostEntries - 64, "types of values");
        auto& [type, unit] = types.emplace_back();
        Walk<PprofValueType> one(&work_, kTypeForm, walk.view());
        while (one.next()) (one.field() == PprofValueType::type ? type : unit) = one.number();
        break;
      }
      case PprofProfile::mapping: read_mapping(document, walk.view()); break;
      case PprofProfile::location: read_location(document, walk.view()); break;
      case PprofProfile::function: read_function(document, walk.view()); break;
      case PprofProfile::string_table:
        ForeignWork::need_room(document.tables.texts(), "texts");
        document.tables.add_text(walk.text());
        break;
      case PprofProfile::time_nanos: document.time = walk.number(); break;
      case PprofProfile::duration_nanos: document.duration = walk.number(); break;
      case PprofProfile::default_sample_type: document.preferred = walk.number(); break;
      default: walk.skip();
    }
  }
  for (const auto& [type, unit] : types)
    document.types.push_back({document.tables.text(type), document.tables.text(unit)});
  refer(document);
}

void PprofReader::read_function(Document& document, View bytes) {
  auto& functions = document.tables.functions;
  ForeignWork::need_room(functions.size(), "functions");
  std::uint64_t id = 0;
  FrameTables::Function& function = functions.emplace_back();
  Walk<PprofFunction> walk(&work_, kFunctionForm, bytes);
  while (walk.next()) {
    const std::int64_t value = walk.number();
    switch (walk.field()) {
      case PprofFunction::id: id = static_cast<std::uint64_t>(value); break;
      case PprofFunction::name: function.name = value; break;
      case PprofFunction::system_name: function.other_name = value; break;
      case PprofFunction::filename: function.file = value; break;
      case PprofFunction::start_line: function.set_line(value); break;
    }
  }
  document.function_of[id] = static_cast<std::uint32_t>(functions.size() - 1);
}

void PprofReader::read_mapping(Document& document, View bytes) {
  auto& mappings = document.tables.mappings;
  ForeignWork::need_room(mappings.size(), "mappings");
  std::uint64_t id = 0;
  FrameTables::Mapping& mapping = mappings.emplace_back();
  Walk<PprofMapping> walk(&work_, kMappingForm, bytes);
  while (walk.next()) {
    const std::int64_t value = walk.number();
    switch (walk.field()) {
      case PprofMapping::id: id = static_cast<std::uint64_t>(value); break;
      case PprofMapping::memory_start: mapping.start = static_cast<std::uint64_t>(value); break;
      case PprofMapping::file_offset: mapping.offset = static_cast<std::uint64_t>(value); break;
      case PprofMapping::filename: mapping.file = value; break;
      default: break;
    }
  }
  document.mapping_of[id] = static_cast<std::uint32_t>(mappings.size() - 1);
}

void PprofReader::read_location(Document& document, View bytes) {
  auto& locations = document.tables.locations;
  ForeignWork::need_room(locations.size(), "locations");
  std::uint64_t id = 0;
  FrameTables::Location& location = locations.emplace_back();
  std::uint64_t& mapping = document.mapping_ids.emplace_back();
  location.begin = document.line_functions.size();
  Walk<PprofLocation> walk(&work_, kLocationForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case PprofLocation::id: id = static_cast<std::uint64_t>(walk.number()); break;
      case PprofLocation::mapping_id: mapping = static_cast<std::uint64_t>(walk.number()); break;
      case PprofLocation::address:
        location.address = static_cast<std::uint64_t>(walk.number());
        break;
      case PprofLocation::line: {
        std::uint64_t function = 0;
        Walk<PprofLine> line(&work_, kLineForm, walk.view());
        while (line.next()) {
          const std::int64_t value = line.number();
          if (line.field() == PprofLine::function_id) function = static_cast<std::uint64_t>(value);
        }
        if (document.line_functions.size() >= FrameTables::kMostLines)
          throw RoomFault{"too many lines in one message"};
        document.line_functions.push_back(function);
        break;
      }
      default: walk.skip();
    }
  }
  location.end = document.line_functions.size();
  document.location_of[id] = static_cast<std::uint32_t>(locations.size() - 1);
}

// Tables may stand in any order: only now is known what ids mean.
void PprofReader::refer(Document& document) {
  for (const std::uint64_t id : document.line_functions) {
    const auto known = document.function_of.find(id);
    if (known == document.function_of.end())
      work_.damage(fmt::format("function {} is in no table", id));
    document.tables.lines.push_back(known == document.function_of.end() ? FrameTables::kNothing
                                                                        : known->second);
  }
  for (std::size_t i = 0; i < document.mapping_ids.size(); ++i)
    if (const auto known = document.mapping_of.find(document.mapping_ids[i]);
        known != document.mapping_of.end())
      document.tables.locations[i].mapping = known->second;
}

auto PprofReader::goal_of(const Document& document, LabelList told) -> Goal {
  const auto is_service = [](const auto& label) { return label.first == "service"; };
  const FrameTables& tables = document.tables;
  if (std::ranges::none_of(told, is_service) && !tables.mappings.empty())
    told.emplace_back("service", base_name(tables.text(tables.mappings[0].file)));
  // As pprof does: what it says, else the last one.
  std::size_t preferred = document.types.empty() ? 0 : document.types.size() - 1;
  for (std::size_t i = 0; i < document.types.size(); ++i)
    if (document.preferred != 0 && document.types[i].type == tables.text(document.preferred))
      preferred = i;
  Goal goal{work_.series(told), {}, plan_of(document.types, preferred)};
  goal.left_out.resize(goal.plan.size());
  for (const auto& figure : goal.plan)
    if (figure && !figure->is_known)
      work_.tell_unknown_type(type_text(document.types[preferred]) + " counts as samples");
  const std::optional<Time> wall =
      document.time > 0 ? std::optional(document.time) : work_.options().otherwise;
  goal.is_timeless = !wall;
  if (!wall) return goal;
  goal.time = goal.sums.time_of(*wall, false);
  if (goal.time && document.duration > 0)
    goal.sums.span(*goal.time, static_cast<std::uint64_t>(document.duration));
  return goal;
}

// Told once for each key: a message may have millions.
void PprofReader::read_label(const Document& document, View bytes) {
  std::int64_t key = 0;
  Walk<PprofLabel> walk(&work_, kLabelForm, bytes);
  while (walk.next()) {
    const std::int64_t value = walk.number();
    if (walk.field() == PprofLabel::key) key = value;
  }
  labels_.resize(document.tables.texts() + 1);
  ++labels_[std::min<std::uint64_t>(static_cast<std::uint64_t>(key), document.tables.texts())];
}

void PprofReader::tell_left_out(const Document& document, const Goal& goal) {
  for (std::size_t i = 0; i < labels_.size(); ++i)
    if (labels_[i] != 0)
      work_.leave_out(fmt::format("label \"{}\" of samples",
                                  document.tables.text(static_cast<std::int64_t>(i))),
                      labels_[i]);
  labels_.clear();
  for (std::size_t i = 0; i < goal.left_out.size(); ++i)
    if (goal.left_out[i] != 0)
      work_.leave_out("values of type " + type_text(document.types[i]), goal.left_out[i]);
}

void PprofReader::read_sample(const Document& document, View bytes, Goal& goal) {
  ids_.clear();
  values_.clear();
  Walk<PprofSample> walk(&work_, kSampleForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case PprofSample::location_id:
        walk.each([&](std::int64_t id) { ids_.push_back(static_cast<std::uint64_t>(id)); });
        break;
      case PprofSample::value:
        walk.each([&](std::int64_t value) { values_.push_back(value); });
        break;
      case PprofSample::label: read_label(document, walk.view()); break;
    }
  }
  if (!goal.time) {
    ++(goal.is_timeless ? work_.out().timeless : work_.out().refused);
    return;
  }
  if (values_.size() != goal.plan.size())
    return work_.damage(
        fmt::format("a sample has {} values of {} types", values_.size(), goal.plan.size()));
  const std::uint32_t stack = stack_of(document, ids_);
  goal.sums.count_sample();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] == 0) continue;
    if (values_[i] < 0) work_.damage("a value below 0 is taken as 0");
    if (!goal.plan[i]) ++goal.left_out[i];
    else if (values_[i] > 0)
      goal.sums.add({*goal.time, goal.plan[i]->carrier, stack, StackTexts::kNone},
                    goal.plan[i]->amount(values_[i]));
  }
}

std::uint32_t PprofReader::stack_of(const Document& document,
                                    const std::vector<std::uint64_t>& ids) {
  path_.clear();
  for (const std::uint64_t id : ids) {
    const auto known = document.location_of.find(id);
    if (known == document.location_of.end()) {
      work_.damage(fmt::format("location {} is in no table", id));
      continue;
    }
    path_.push_back(known->second);
  }
  if (path_.empty()) return kNone;
  const std::uint64_t hash = XXH3_64bits_withSeed(path_.data(), path_.size() * sizeof path_[0],
                                                  base::process_seed() + documents_.size());
  const auto known = known_.find(hash);
  if (known != known_.end()) {
    const Told& told = stacks_[known->second];
    if (told.document + 1 == documents_.size() && told.size == path_.size() &&
        std::equal(path_.begin(), path_.end(),
                   places_.begin() + static_cast<std::ptrdiff_t>(told.begin)))
      return known->second + 1;
  }
  if (places_.size() + path_.size() > kMostPlaces) return kMore;
  stacks_.push_back({static_cast<std::uint32_t>(documents_.size() - 1),
                     static_cast<std::uint32_t>(path_.size()), places_.size()});
  places_.insert(places_.end(), path_.begin(), path_.end());
  known_[hash] = static_cast<std::uint32_t>(stacks_.size() - 1);
  return static_cast<std::uint32_t>(stacks_.size());
}

bool PprofReader::frames(std::uint32_t stack, std::size_t most, std::vector<ForeignFrame>& into) {
  const Told& told = stacks_[stack - 1];
  const FrameTables& tables = documents_[told.document]->tables;
  for (std::size_t i = 0; i < told.size; ++i)
    if (!tables.append_frames(places_[told.begin + i], most, into)) return false;
  return true;
}

}  // namespace polytrace::collector
