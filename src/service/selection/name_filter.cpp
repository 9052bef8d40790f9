// SPDX-License-Identifier: Apache-2.0
#include "service/selection/name_filter.hpp"

#include <algorithm>
#include <type_traits>

#include "event/visit.hpp"

namespace polytrace::service {
namespace {

using event::Batch;
using event::Event;
using event::Kind;
using event::Tag;

// Looks for a text, or for an id in the fields that name a method or class.
template <class HasText, class Ids>
struct Search {
  const Batch& batch;
  const HasText& has_text;
  const Ids& methods;
  const Ids& classes;
  bool found = false;

  template <Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if constexpr (event::is_text(tag)) {
      found = found || has_text(value);
    } else if constexpr (tag == Tag::kId) {
      if (name == "class_id") found = found || classes.contains(value);
      if (name == "method") found = found || methods.contains(value);
    } else if constexpr (tag == Tag::kStack) {
      found = found || std::ranges::any_of(batch.list(value), [&](event::Id method) {
                return methods.contains(method);
              });
    }
  }
};

}  // namespace

void NameFilter::learn(const Batch& batch, const Event& event) {
  if (event.detail == event::kAbsent) return;
  if (event.kind == Kind::Method && has_text(batch.details<event::Method>(event).name))
    methods_.insert(event.id);
  if (event.kind == Kind::Class && has_text(batch.details<event::Class>(event).name))
    classes_.insert(event.id);
  if (event.kind == Kind::Vtable && classes_.contains(batch.details<event::Vtable>(event).class_id))
    classes_.insert(event.id);
  if (event.kind == Kind::Thread && has_text(batch.details<event::Thread>(event).name))
    threads_.insert(event.id);
}

bool NameFilter::consume(const Batch& batch) {
  if (batch.column<event::Method>().empty() && batch.column<event::Class>().empty() &&
      batch.column<event::Vtable>().empty() && batch.column<event::Thread>().empty())
    return true;
  for (const Event& event : batch.events) learn(batch, event);
  return true;
}

bool NameFilter::subject_fits(const Event& event) const {
  const auto subject = event::describe(event.kind).subject;
  if (subject == "method") return methods_.contains(event.id);
  if (subject == "class" || subject == "vtable") return classes_.contains(event.id);
  return subject == "thread" && threads_.contains(event.id);
}

bool NameFilter::fits(const Batch& batch, const Event& event) const {
  if (subject_fits(event)) return true;
  if (event.detail == event::kAbsent) return false;
  const auto has_text = [this](std::string_view name) { return this->has_text(name); };
  Search<decltype(has_text), Ids> search{batch, has_text, methods_, classes_};
  event::with_details(batch, event,
                      [&](const auto& details) { event::visit_fields(search, details); });
  return search.found;
}

}  // namespace polytrace::service
