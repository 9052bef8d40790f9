// SPDX-License-Identifier: Apache-2.0
// What readers of one message share: the series that it tells, what they could not take, and a walk
// over a message of protobuf that passes over nothing in silence. protozero throws: read_foreign()
// catches that, and LayoutFault. One thread at a time.
#pragma once

#include <map>
#include <protozero/pbf_message.hpp>
#include <string>

#include "collector/foreign/foreign.hpp"
#include "collector/foreign/stack_sums.hpp"

namespace polytrace::collector {

// The message is not of the layout that is read here.
struct LayoutFault {
  std::string what;
};
// It tells more than there is room for.
struct RoomFault {
  std::string what;
};

class ForeignWork {
 public:
  static constexpr std::size_t kMostEntries = std::size_t{1} << 21;  // of a table

  ForeignWork(const ForeignOptions& options, Foreign& out) : options_(options), out_(out) {}

  // Of a process with such labels. Valid as long as this is.
  StackSums& series(const LabelList& told);
  const ForeignOptions& options() const { return options_; }
  Foreign& out() { return out_; }

  // What has no place in rows: "label \"thread\"".
  void leave_out(std::string what, std::uint64_t count = 1);
  // What contradicts itself, and costs something.
  void damage(std::string what);
  // What is there but was not known when this was written: "field 12 of Sample".
  void pass_over(std::string_view message, unsigned field);
  // Values that are none of our figures.
  void tell_unknown_type(std::string what);
  // Before one more entry of a table.
  static void need_room(std::size_t entries, std::string_view table);
  // Everything has been read: rows. See StackSums::make, SeriesIds.
  void finish(StackTexts& texts, std::uint8_t gen, std::uint64_t stream);

 private:
  struct Series {
    warehouse::Labels labels;
    StackSums sums;
  };
  void tell_left_out();

  const ForeignOptions& options_;
  Foreign& out_;
  std::map<std::uint64_t, Series> series_;  // by id
  std::map<std::string, std::uint64_t> left_out_;
};

// How the fields of a message stand on the wire, from number 1 on: v varint, 8 and 4 fixed bytes,
// l with a length, r and f many of v and 8, packed or not.
struct WireForm {
  std::string_view name;
  std::string_view fields;
};

inline std::string_view text_of(protozero::data_view view) { return {view.data(), view.size()}; }

// The known fields of a message, one by one.
template <class Field>
class Walk {
 public:
  using View = protozero::data_view;

  // `work` hears of fields that are not known; null: somebody has walked there before.
  Walk(ForeignWork* work, const WireForm& form, View bytes)
      : work_(work), form_(form), message_(bytes) {}

  bool next() {
    while (message_.next()) {
      field_ = message_.tag();
      const auto number = static_cast<unsigned>(field_);
      if (number <= form_.fields.size()) {
        if (!fits(form_.fields[number - 1])) throw LayoutFault{of(number)};
        return true;
      }
      if (work_ != nullptr) work_->pass_over(form_.name, number);
      message_.skip();
    }
    return false;
  }
  Field field() const { return field_; }  // also once its value was taken
  // One of them for each next().
  void skip() { message_.skip(); }
  std::int64_t number() { return message_.get_int64(); }
  std::uint64_t fixed() { return message_.get_fixed64(); }
  View view() { return message_.get_view(); }
  std::string_view text() { return text_of(view()); }
  template <class Function>
  void each(const Function& function) {
    if (message_.wire_type() != protozero::pbf_wire_type::length_delimited)
      return function(message_.get_int64());
    for (const std::int64_t one : message_.get_packed_int64()) function(one);
  }
  template <class Function>
  void each_fixed(const Function& function) {
    if (message_.wire_type() != protozero::pbf_wire_type::length_delimited)
      return function(message_.get_fixed64());
    for (const std::uint64_t one : message_.get_packed_fixed64()) function(one);
  }

 private:
  bool fits(char form) const {
    using protozero::pbf_wire_type;
    const pbf_wire_type type = message_.wire_type();
    switch (form) {
      case 'v': return type == pbf_wire_type::varint;
      case '8': return type == pbf_wire_type::fixed64;
      case '4': return type == pbf_wire_type::fixed32;
      case 'r': return type == pbf_wire_type::varint || type == pbf_wire_type::length_delimited;
      case 'f': return type == pbf_wire_type::fixed64 || type == pbf_wire_type::length_delimited;
      default: return type == pbf_wire_type::length_delimited;
    }
  }
  std::string of(unsigned number) const {
    return "field " + std::to_string(number) + " of " + std::string(form_.name);
  }

  ForeignWork* work_;
  const WireForm& form_;
  protozero::pbf_message<Field> message_;
  Field field_{};
};

}  // namespace polytrace::collector
