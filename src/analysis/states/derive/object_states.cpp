// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/object_states.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::array<std::string_view, kObjectAttributes> kObjectNames{"Live", "Bytes"};

}  // namespace

ObjectStates::ObjectStates(World& world)
    : world_(world),
      source_(world.gathered().seen.census  ? Source::censuses
              : world.gathered().seen.frees ? Source::frees
              : world.gathered().seen.dumps ? Source::dumps
                                            : Source::none) {}

// Classes of one name are one place.
std::uint32_t ObjectStates::type(std::uint32_t class_index) {
  if (class_index != kNothing && class_index < type_of_class_.size() &&
      type_of_class_[class_index] != kNothing)
    return type_of_class_[class_index];
  if (parent_ == history::kNoKey) parent_ = world_.writer.key(history::kRoot, "Objects");
  const std::string name =
      class_index == kNothing ? "(class not recorded)" : world_.class_name(class_index);
  const history::Key key = world_.writer.key(parent_, name);
  const auto [at, is_new] =
      type_of_key_.try_emplace(key, static_cast<std::uint32_t>(types_.size()));
  if (is_new)
    types_.emplace_back().attributes = Attributes<ObjectAttribute, kObjectAttributes>(key);
  if (class_index == kNothing) return at->second;
  if (class_index >= type_of_class_.size()) type_of_class_.resize(class_index + 1, kNothing);
  return type_of_class_[class_index] = at->second;
}

void ObjectStates::show(Type& type) {
  StateWriter& writer = world_.writer;
  writer.set_number(type.attributes.key(writer, kObjectNames, ObjectAttribute::live), type.objects);
  writer.set_number(type.attributes.key(writer, kObjectNames, ObjectAttribute::bytes), type.bytes);
}

// An address that is used again, of an object whose end was not told, is that of another object.
void ObjectStates::alloc(const Happening& happening) {
  if (source_ != Source::frees || happening.a == base::kNoId) return;
  free(happening.a);
  const std::uint32_t index = type(happening.index);
  objects_[happening.a] = {index, happening.b};
  ++types_[index].objects;
  types_[index].bytes = saturated_sum(types_[index].bytes, happening.b);
  show(types_[index]);
}

void ObjectStates::free(base::Id object) {
  if (source_ != Source::frees) return;
  const auto known = objects_.find(object);
  if (known == objects_.end()) return;
  Type& of = types_[known->second.type];
  --of.objects;
  of.bytes -= std::min(of.bytes, known->second.size);
  objects_.erase(known);
  show(of);
}

void ObjectStates::move(base::Id from, base::Id to) {
  if (source_ != Source::frees || from == to) return;
  const auto known = objects_.find(from);
  if (known == objects_.end()) return;
  const Object object = known->second;
  objects_.erase(known);
  free(to);
  objects_[to] = object;
}

void ObjectStates::count(const Happening& happening) {
  const Source source = happening.what == What::census ? Source::censuses : Source::dumps;
  if (source != source_) return;
  if (in_census_ && happening.thread != census_) show_census();
  in_census_ = true;
  census_ = happening.thread;
  census_time_ = happening.time;
  if (happening.index == kNothing && happening.a == 0) return;  // only says that there was a census
  const std::uint32_t index = type(happening.index);
  Type& of = types_[index];
  if (of.census != census_) {
    of.census = census_;
    of.objects = of.bytes = 0;
    counted_.push_back(index);
  }
  of.objects = saturated_sum(of.objects, happening.a);
  of.bytes = saturated_sum(of.bytes, happening.b);
}

// A class that is not counted has no object any more. Of a census whose rows have several times,
// each part is shown at its own.
void ObjectStates::show_census() {
  const history::Tick now = world_.writer.now();
  world_.writer.move_to(census_time_);
  for (const std::uint32_t index : counted_) show(types_[index]);
  if (census_ != shown_census_) {
    for (const std::uint32_t index : before_) {
      if (types_[index].census == census_) continue;
      types_[index].objects = types_[index].bytes = 0;
      show(types_[index]);
    }
    before_.clear();
  }
  shown_census_ = census_;
  before_.insert(before_.end(), counted_.begin(), counted_.end());
  counted_.clear();
  in_census_ = false;
  world_.writer.move_to(now);
}

}  // namespace polytrace::analysis
