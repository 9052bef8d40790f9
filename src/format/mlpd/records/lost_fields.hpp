// SPDX-License-Identifier: Apache-2.0
// Which told fields of an event its record does not carry. layout.hpp is the table: FieldProbe is a
// codec that only notes which fields it is asked for.
#pragma once

#include <algorithm>
#include <array>

#include "event/visit.hpp"
#include "event/writer.hpp"

namespace polytrace::format::mlpd {

class FieldProbe {
 public:
  explicit FieldProbe(unsigned version) : version_(version) {}

  bool noted(const void* field) const {
    return std::find(fields_.begin(), fields_.begin() + count_, field) != fields_.begin() + count_;
  }

  // --- the field types of layout.hpp ---
  unsigned version() const { return version_; }
  void uleb(const auto& field) { note(&field); }
  void byte(const auto& field) { note(&field); }
  void code(const auto& field) { note(&field); }
  void size(const auto& field) { note(&field); }
  void text(const auto& field) { note(&field); }
  void object(const auto& field) { note(&field); }
  void method(const auto& field) { note(&field); }
  void pointer(const auto& field) { note(&field); }
  void plain_pointer(const auto& field) { note(&field); }
  void clause_kind(const auto& field) { note(&field); }
  void helper_kind(const auto& field) { note(&field); }
  void monitor_stage(const auto& field) { note(&field); }
  void backtrace(const auto& field) { note(&field); }
  void references(const auto& field) { note(&field); }
  void flags() {}

 private:
  void note(const void* field) { fields_[static_cast<std::size_t>(count_++)] = field; }

  unsigned version_;
  int count_ = 0;
  std::array<const void*, 16> fields_{};  // no layout has more
};

// A visitor (visit.hpp) that counts the fields which are told but were not noted.
class LostFields {
 public:
  LostFields(event::Loss& loss, event::Kind kind, const FieldProbe& probe)
      : loss_(loss), kind_(kind), probe_(probe) {}

  template <event::Tag tag, class T>
  void field(std::string_view name, const T& value) {
    // These choose the record: its first byte carries them.
    if (name == "stage" || name == "life") return;
    if (kind_ == event::Kind::Setting && name == "key") return;
    if (event::is_told<tag>(value) && !probe_.noted(&value)) loss_.field(kind_, name);
  }

 private:
  event::Loss& loss_;
  event::Kind kind_;
  const FieldProbe& probe_;
};

}  // namespace polytrace::format::mlpd
