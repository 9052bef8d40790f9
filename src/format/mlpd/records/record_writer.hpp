// SPDX-License-Identifier: Apache-2.0
// Encodes records into one buffer: the writing side of layout.hpp. A base is the first value of its
// kind in the buffer (docs/formats/mlpd.md, section 11). Owns the buffer's bytes.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/io/appender.hpp"
#include "base/io/digit_groups.hpp"
#include "event/visit.hpp"
#include "event/writer.hpp"
#include "format/mlpd/records/header.hpp"

namespace polytrace::format::mlpd {

class RecordWriter {
 public:
  explicit RecordWriter(unsigned version) : version_(version) {}

  bool empty() const { return out_.size() == 0; }
  std::size_t size() const { return out_.size(); }
  base::Id thread() const { return thread_; }
  base::Time time() const { return static_cast<base::Time>(time_); }
  // Starts a buffer. REQUIRES: empty().
  void open(base::Id thread, base::Time time);
  // Appends header and data of the buffer to `to` and empties it.
  void close(base::Appender& to);

  // Starts a record; `batch` holds the lists of the event to come.
  void start_record(std::uint8_t first, base::Time time, bool timed, const event::Batch& batch);
  // Appends the records of the calls at the front of `events` while they are `thread`'s and tell
  // their method and the buffer has fewer than `full` bytes. Gives how many these are: none where a
  // buffer's first method is to come. The same bytes as record by record; both ways of spreading
  // digits give the same.
  std::size_t calls(std::span<const event::Event> events, std::uint16_t thread, std::size_t full,
                    base::DigitsBy by = base::fastest_digits());
  base::Appender& out() { return out_; }
  // What, since the last call, was put out so that it reads back as something else; or nothing.
  std::string_view take_inexact() { return std::exchange(inexact_, {}); }
  void list_item_pointer(base::Id id) {
    check_item(id);
    pointer(id);
  }
  void list_item_method(base::Id id) {
    check_item(id);
    method(id);
  }

  // --- the field types of layout.hpp, writing ---
  unsigned version() const { return version_; }
  void uleb(std::uint64_t value) { out_.uleb(value); }
  void uleb(event::HandleKind value) { out_.uleb(static_cast<std::uint64_t>(value)); }
  void size(std::uint64_t value) {
    if ((value >> 63) != 0) inexact_ = "size beyond 2^63";  // would read as a negative C int
    out_.uleb(value);
  }
  void byte(std::uint32_t value) { put_byte(value == event::kAbsent ? 0 : value); }
  template <class E>
    requires std::is_enum_v<E>
  void byte(E value) {
    out_.byte(static_cast<std::uint8_t>(value));
  }
  void code(std::uint32_t value) { code_value(value == event::kAbsent ? 0 : value); }
  template <class E>
    requires std::is_enum_v<E>
  void code(E value) {
    code_value(static_cast<std::uint32_t>(value));
  }
  void monitor_stage(event::MonitorStage stage) {
    out_.byte(static_cast<std::uint8_t>(static_cast<unsigned>(stage) + 1));
  }
  void helper_kind(event::CodeKind kind) {
    code_value(static_cast<std::uint32_t>(kind) + (version_ < 14 ? 1U : 0U));
  }
  void clause_kind(event::ClauseKind kind) {
    code_value(kind == event::ClauseKind::fault ? 4 : static_cast<std::uint32_t>(kind));
  }
  void pointer(base::Id id) { out_.sleb(difference(pointer_base_, told(id))); }
  void plain_pointer(base::Id id) { out_.sleb(static_cast<std::int64_t>(told(id))); }
  void object(base::Id id) {
    if ((told(id) & 7U) != 0) inexact_ = "address not a multiple of 8";
    out_.sleb(difference(object_base_, told(id) >> 3));
  }
  void method(base::Id id);
  void text(event::Text text) {
    if (text.find('\0') != event::Text::npos) inexact_ = "text behind a zero byte";
    out_.zero_terminated(text);
  }
  void flags() {
    if (version_ < 13) out_.uleb(0);
  }
  void backtrace(const event::Stack& stack);
  void references(const event::Refs& refs);

 private:
  template <class Way>
  std::size_t calls_by(std::span<const event::Event> events, std::uint16_t thread,
                       std::size_t full);
  // Absent ids are written as 0, the format's own null.
  static std::uint64_t told(base::Id id) { return id == base::kNoId ? 0 : id; }
  static std::int64_t difference(std::optional<std::uint64_t>& base, std::uint64_t value) {
    if (!base) base = value;
    return static_cast<std::int64_t>(value - *base);
  }
  void code_value(std::uint32_t value) {
    if (version_ < 13) out_.uleb(value);
    else put_byte(value);
  }
  void put_byte(std::uint32_t value) {
    if (value > 0xff) inexact_ = "number above 255";
    out_.byte(static_cast<std::uint8_t>(value));
  }
  // An item of a list: there is none that is not told.
  void check_item(base::Id id) {
    if (id == base::kNoId) inexact_ = "list item that is not told";
  }

  unsigned version_;
  base::Appender out_;
  const event::Batch* batch_ = nullptr;
  base::Id thread_ = base::kNoId;
  std::uint64_t time_base_ = 0;
  std::uint64_t time_ = 0;
  std::optional<std::uint64_t> pointer_base_;
  std::optional<std::uint64_t> object_base_;
  std::optional<std::uint64_t> method_base_;
  std::uint64_t method_ = 0;
  std::string_view inexact_;  // what was last cut or rounded; empty for nothing
};

// Which told fields of an event its record does not carry. layout.hpp is the table: FieldProbe is a
// codec that only notes which fields it is asked for.
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
