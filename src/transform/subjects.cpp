// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "event/visit.hpp"
#include "transform/cut.hpp"

namespace polytrace::transform {
namespace {

using base::Id;
using event::Batch;
using event::Event;
using event::Kind;
using event::Tag;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The class in "(wrapper x) Ns.Class:Method (int)"; empty when there is none.
std::string_view class_part(std::string_view method) {
  const std::size_t mark = method.starts_with('(') ? method.find(") ") : method.npos;
  if (mark != method.npos) method.remove_prefix(mark + 2);
  method = method.substr(0, method.find(" ("));
  const std::size_t colon = method.find(':');
  return method.substr(0, colon == method.npos ? 0 : colon);
}

// Looks at the fields that name a method or a class.
template <class Ids>
struct Search {
  const Batch& batch;
  const Ids& methods;
  const Ids& classes;
  bool found = false;

  template <Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if constexpr (tag == Tag::kId) {
      if (name == "class_id") found = found || classes.contains(value);
      if (name == "method") found = found || methods.contains(value);
    } else if constexpr (tag == Tag::kStack) {
      found = found || std::ranges::any_of(batch.list(value),
                                           [&](Id method) { return methods.contains(method); });
    }
  }
};

}  // namespace

void Subjects::learn(const Batch& batch, const Event& event) {
  if (event.detail == event::kAbsent) return;
  if (event.kind == Kind::Method) {
    const auto& method = batch.details<event::Method>(event);
    defined_.push_back({event.id, method.class_id, std::string(method.name)});
  } else if (event.kind == Kind::Class) {
    const auto& name = batch.details<event::Class>(event).name;
    if (!name.empty()) class_names_[event.id] = name;
    if (!class_text_.empty() && contains(name, class_text_)) classes_.insert(event.id);
  } else if (event.kind == Kind::Vtable) {
    vtables_[event.id] = batch.details<event::Vtable>(event).class_id;
  }
}

bool Subjects::consume(const Batch& batch) {
  if (batch.column<event::Method>().empty() && batch.column<event::Class>().empty() &&
      batch.column<event::Vtable>().empty())
    return true;
  for (const Event& event : batch.events) learn(batch, event);
  return true;
}

bool Subjects::fits(const Method& method) const {
  const auto owner = class_names_.find(method.class_id);
  const std::string name =
      owner == class_names_.end() ? method.name : owner->second + "." + method.name;
  if (!contains(name, method_text_)) return false;
  return class_text_.empty() || classes_.contains(method.class_id) ||
         contains(class_part(method.name), class_text_);
}

void Subjects::finish() {
  for (const auto& [vtable, class_id] : vtables_) {
    if (classes_.contains(class_id)) classes_.insert(vtable);
  }
  for (const Method& method : defined_) {
    if (fits(method)) methods_.insert(method.id);
  }
}

bool Subjects::fit(const Batch& batch, const Event& event) const {
  const auto subject = event::describe(event.kind).subject;
  if (subject == "method" && methods_.contains(event.id)) return true;
  if (event::is_call(event.kind)) return false;
  if (subject == "class" && classes_.contains(event.id)) return true;
  if (event.detail == event::kAbsent) return false;
  Search<base::IdSet> search{batch, methods_, classes_};
  event::with_details(batch, event,
                      [&](const auto& details) { event::visit_fields(search, details); });
  return search.found;
}

}  // namespace polytrace::transform
