// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/fields.hpp"

#include <fmt/format.h>

namespace polytrace::analysis {
namespace {

using event::Kind;

}  // namespace

void FieldNames::take(const event::Batch& batch, const event::Event& event) {
  if (event.kind == Kind::Process) {
    pointer_size_ = batch.details_or<event::Process>(event, {}).pointer_size;
  } else if (event.kind == Kind::Field) {
    const auto field = batch.details_or<event::Field>(event, {});
    Class& type = classes_[event.id];
    if (field.class_id == base::kNoId)
      (field.is_static != 0 ? type.statics : type.own)[field.offset] = field.name;
    else type.super = field.class_id, type.super_offset = field.offset;
  }
}

std::string FieldNames::describe(base::Id object, base::Id type, std::uint64_t offset,
                                 const Names& names) const {
  const auto class_name = [&](base::Id id) { return names.class_name(names.class_index(id)); };
  // An object that is a class itself.
  if (const auto own = classes_.find(object); own != classes_.end())
    if (std::string name = in(own->second.statics, offset, class_name(object)); !name.empty())
      return "static " + name;
  if (class_name(type).ends_with("[]"))
    return pointer_size_ == 0 ? "" : fmt::format("[{}]", offset / pointer_size_);
  constexpr int kMostSupers = 1000;  // a circle, else
  for (int depth = 0; depth < kMostSupers; ++depth) {
    const auto known = classes_.find(type);
    if (known == classes_.end()) return {};
    const Class& here = known->second;
    if (std::string name = in(here.own, offset, class_name(type)); !name.empty()) return name;
    if (here.super == base::kNoId || offset < here.super_offset) return {};
    offset -= here.super_offset;
    type = here.super;
  }
  return {};
}

// "Map.table", its class without the package.
std::string FieldNames::in(const Fields& fields, std::uint64_t offset, std::string_view type) {
  const auto field = fields.find(offset);
  if (field == fields.end() || field->second.empty()) return {};
  return fmt::format("{}.{}", type.substr(type.find_last_of('.') + 1), field->second);
}

std::string ReferenceFields::between(base::Id from, base::Id to) {
  const auto [known, fresh] = known_[from].try_emplace(to);
  wanted_ += fresh;
  return known->second.field;
}

bool ReferenceFields::take_object(const event::Batch& batch, const event::Event& event) {
  const auto wanted = known_.find(event.id);
  if (wanted == known_.end()) return true;
  const event::DumpObject object = batch.details_or<event::DumpObject>(event, {});
  for (const event::Ref& reference : batch.list(object.refs)) {
    const auto known = wanted.value().find(reference.target);
    if (known == wanted.value().end() || known->second.found) continue;
    known->second = {true, fields_.describe(event.id, object.class_id, reference.offset, names_)};
    if (--wanted_ == 0) return false;
  }
  return true;
}

bool ReferenceFields::consume(const event::Batch& batch) {
  for (const event::Event& event : batch.events) {
    if (event.kind == Kind::Dump) {
      const auto stage = batch.details_or<event::Dump>(event, {}).stage;
      begun_ += stage == event::DumpStage::start;
      if (begun_ > snapshot_ + 1) return false;
    } else if (event.kind == Kind::DumpObject && begun_ == snapshot_ + 1) {
      if (!take_object(batch, event)) return false;
    }
  }
  return true;
}

}  // namespace polytrace::analysis
