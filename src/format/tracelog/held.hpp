// SPDX-License-Identifier: Apache-2.0
// Which kinds of events, and which of their fields, a log can hold (held.def). Thread-safe.
#pragma once

#include "event/visit.hpp"
#include "event/writer.hpp"
#include "format/tracelog/lines/records.hpp"

namespace polytrace::format::tracelog {

bool is_held(event::Kind kind, Dialect dialect);
// The names of the fields, with blanks between and around them.
std::string_view held_fields(event::Kind kind);

// A visitor (visit.hpp) that counts the fields which are told and not held.
class LostFields {
 public:
  LostFields(event::Loss& loss, event::Kind kind)
      : loss_(loss), kind_(kind), held_(held_fields(kind)) {}

  template <event::Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if (event::is_told<tag>(value) && !held(name)) loss_.field(kind_, name);
  }

 private:
  // The name may also be a part of another one.
  bool held(std::string_view name) const {
    for (std::size_t at = held_.find(name); at != std::string_view::npos;
         at = held_.find(name, at + 1)) {
      if (held_[at - 1] == ' ' && held_[at + name.size()] == ' ') return true;
    }
    return false;
  }

  event::Loss& loss_;
  event::Kind kind_;
  std::string_view held_;
};

template <class T>
void count_lost_fields(event::Loss& loss, event::Kind kind, const T& details) {
  LostFields lost(loss, kind);
  visit_fields(lost, details);
}

}  // namespace polytrace::format::tracelog
