// SPDX-License-Identifier: Apache-2.0
// Goes over the rows of one kind by column, a segment at a time, and tells what definitions say of
// methods, classes, counters and the process beyond their names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/store.hpp"

namespace polytrace::sql {

// A segment, decoded as far as it is asked for. One thread at a time.
class KindRows {
 public:
  KindRows(const store::Store& store, event::Kind kind) : store_(store), kind_(kind) {}

  std::size_t segments() const { return store_.frames().segments(kind_).size(); }
  std::uint64_t rows() const;
  // Whether one of the segment's rows may lie in [from, to].
  bool may_meet(std::size_t segment, base::Time from, base::Time to) const;
  std::uint64_t first_row(std::size_t segment) const {
    return store_.frames().segments(kind_)[segment].first_row;
  }
  base::result<void> open(std::size_t segment);
  std::uint32_t count() const { return view_->rows(); }
  // By row; empty where no row tells it; none_of() where one does not.
  base::result<std::span<const std::uint64_t>> numbers(std::uint16_t field) {
    return view_->numbers(field);
  }
  // Null where no row tells one.
  base::result<const store::ListColumn*> lists(std::uint16_t field) { return view_->lists(field); }
  std::uint64_t none_of(std::uint16_t field) const { return view_->none_of(field); }
  std::uint16_t field(std::string_view name) const { return store::field_number(kind_, name); }

 private:
  const store::Store& store_;
  event::Kind kind_;
  std::optional<store::RowView> view_;
};

// Calls take(subject, number, time) for each row that tells the field, in order.
template <class Take>
base::result<void> each_told(const store::Store& store, event::Kind kind, std::uint16_t field,
                             Take take) {
  KindRows rows(store, kind);
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (auto opened = rows.open(segment); !opened) return opened;
    const auto subjects = rows.numbers(store::kSubjectField);
    const auto times = rows.numbers(store::kTimeField);
    const auto numbers = rows.numbers(field);
    for (const auto* const read : {&subjects, &times, &numbers})
      if (!*read) return tl::unexpected(read->error());
    for (std::size_t i = 0; i < numbers->size(); ++i)
      if ((*numbers)[i] != rows.none_of(field))
        take(subjects->empty() ? ~std::uint64_t{0} : (*subjects)[i], (*numbers)[i],
             static_cast<base::Time>((*times)[i]));
  }
  return {};
}

// The same of a field by its name in kinds.def.
template <class Take>
base::result<void> each_told(const store::Store& store, event::Kind kind, std::string_view name,
                             Take take) {
  return each_told(store, kind, store::field_number(kind, name), std::move(take));
}

// A value of a field that is an enumeration; empty of one that it does not have.
std::string_view word_of(event::Kind kind, std::string_view field, std::uint64_t value);

// --- what definitions say beyond names, as far as it can be read ---

// A field of a kind, by the index that its rows are about; ~0: not told. What was told last counts.
std::vector<std::uint64_t> told_by_index(const store::Store& store, event::Kind kind,
                                         std::string_view field, std::size_t count);
// Names of modules by their ids.
std::unordered_map<base::Id, std::string_view> module_names(const store::Store& store);
// The last text, or the last number, that a kind without an index tells; empty, ~0: none does.
std::string_view last_text(const store::Store& store, event::Kind kind, std::string_view field);
std::uint64_t last_number(const store::Store& store, event::Kind kind, std::string_view field);
// The number of the process; ~0: not told.
std::uint64_t process_number(const store::Store& store);
// The wall clock at time 0 of the trace's own, nanoseconds since 1970; nothing: not told.
std::optional<base::Time> wall_at_zero(const store::Store& store);

}  // namespace polytrace::sql
