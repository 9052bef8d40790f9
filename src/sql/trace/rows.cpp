// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/rows.hpp"

#include "event/fields.hpp"

namespace polytrace::sql {

std::uint64_t KindRows::rows() const {
  const auto all = store_.frames().segments(kind_);
  return all.empty() ? 0 : all.back().first_row + all.back().rows;
}

bool KindRows::may_meet(std::size_t segment, base::Time from, base::Time to) const {
  const store::IndexFrames& frames = store_.frames();
  const store::Entry& entry = frames.view().entries()[frames.segments(kind_)[segment].entry];
  return entry.least <= to && entry.greatest >= from;
}

base::result<void> KindRows::open(std::size_t segment) {
  view_.reset();
  const auto payload = store_.frames().segment(kind_, first_row(segment));
  if (!payload) return tl::unexpected(payload.error());
  auto view = store::RowView::open(*payload);
  if (!view) return tl::unexpected(view.error());
  view_.emplace(std::move(*view));
  return {};
}

namespace {

// Finds the words of a field while it goes over the fields of its kind.
struct WordFinder {
  std::string_view wanted;
  std::uint64_t value;
  std::string_view word{};

  template <event::Tag tag, class T>
  void field(std::string_view name, const T&) {
    if constexpr (std::is_enum_v<T>) {
      const auto words = event::names(T{});
      if (name == wanted && value < words.size()) word = words[value];
    }
  }
};

}  // namespace

std::string_view word_of(event::Kind kind, std::string_view field, std::uint64_t value) {
  WordFinder finder{field, value};
  event::with_kind(kind, [&](auto details) { event::visit_fields(finder, details); });
  return finder.word;
}

std::vector<std::uint64_t> told_by_index(const store::Store& store, event::Kind kind,
                                         std::string_view field, std::size_t count) {
  std::vector<std::uint64_t> all(count, ~std::uint64_t{0});
  static_cast<void>(
      each_told(store, kind, field, [&](std::uint64_t index, std::uint64_t number, base::Time) {
        if (index < all.size()) all[index] = number;
      }));
  return all;
}

std::unordered_map<base::Id, std::string_view> module_names(const store::Store& store) {
  std::unordered_map<base::Id, std::string_view> all;
  static_cast<void>(
      each_told(store, event::Kind::Module, "name",
                [&](base::Id id, auto text, base::Time) { all[id] = store.texts().text(text); }));
  return all;
}

std::uint64_t last_number(const store::Store& store, event::Kind kind, std::string_view field) {
  std::uint64_t last = ~std::uint64_t{0};
  static_cast<void>(each_told(store, kind, field,
                              [&](auto, std::uint64_t number, base::Time) { last = number; }));
  return last;
}

std::uint64_t process_number(const store::Store& store) {
  std::uint64_t last = ~std::uint64_t{0};
  static_cast<void>(each_told(store, event::Kind::Process, store::kSubjectField,
                              [&](auto, std::uint64_t number, base::Time) { last = number; }));
  return last;
}

std::optional<base::Time> wall_at_zero(const store::Store& store) {
  std::optional<base::Time> zero;
  static_cast<void>(
      each_told(store, event::Kind::Clock, "wall", [&](auto, std::uint64_t wall, base::Time at) {
        if (!zero) zero = static_cast<base::Time>(wall - static_cast<std::uint64_t>(at));
      }));
  return zero;
}

std::string_view last_text(const store::Store& store, event::Kind kind, std::string_view field) {
  const std::uint64_t number = last_number(store, kind, field);
  return number == ~std::uint64_t{0} ? std::string_view() : store.texts().text(number);
}

}  // namespace polytrace::sql
