// SPDX-License-Identifier: Apache-2.0
#include "support/compare.hpp"

#include <algorithm>
#include <bit>

#include "event/visit.hpp"

namespace polytrace::test {

using event::Batch;
using event::Event;

namespace {

using event::f64;
using event::FramePlace;
using event::Id;
using event::IlRange;
using event::Range;
using event::Ref;
using event::Stack;
using event::Tag;
using event::u32;
using event::u64;

struct FieldAddresses {
  std::vector<const void*> all;
  template <Tag tag, class T>
  void field(std::string_view, const T& value) {
    all.push_back(&value);
  }
};

bool same(const FramePlace& a, const FramePlace& b) {
  return a.il == b.il && a.native == b.native && a.ip == b.ip;
}
bool same(Id a, Id b) { return a == b; }
bool same(const Ref& a, const Ref& b) { return a.target == b.target && a.offset == b.offset; }
bool same(const IlRange& a, const IlRange& b) {
  return a.il == b.il && a.begin == b.begin && a.end == b.end;
}

// Compares the fields of `b` against those collected from `a`, in the same order.
class Comparison {
 public:
  Comparison(const Batch& a, FieldAddresses fields, const Batch& b)
      : a_(a), b_(b), fields_(std::move(fields)) {}
  bool equal() const { return equal_; }

  template <Tag tag, class T>
  void field(std::string_view, const T& value) {
    const T& other = *static_cast<const T*>(fields_.all[next_++]);
    equal_ = equal_ && same_value(other, value);
  }

 private:
  template <class T>
  bool same_value(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, Stack>) return same_stack(a, b);
    else if constexpr (std::is_base_of_v<Range, T>) return same_list(a, b);
    else if constexpr (std::is_same_v<T, f64>)
      return std::bit_cast<u64>(a) == std::bit_cast<u64>(b);
    else return a == b;
  }
  template <class T>
  bool same_list(const T& a, const T& b) const {
    if (a.present() != b.present()) return false;
    return std::ranges::equal(a_.list(a), b_.list(b),
                              [](const auto& x, const auto& y) { return same(x, y); });
  }
  bool same_stack(const Stack& a, const Stack& b) const {
    if (!same_list(a, b)) return false;
    const auto place = [](const Batch& batch, const Stack& stack, u32 i) {
      const auto places = batch.places(stack);
      return places.empty() ? FramePlace{} : places[i];
    };
    for (u32 i = 0; i < a.count; ++i) {
      if (!same(place(a_, a, i), place(b_, b, i))) return false;
    }
    return true;
  }

  const Batch& a_;
  const Batch& b_;
  FieldAddresses fields_;
  std::size_t next_ = 0;
  bool equal_ = true;
};

bool same_details(const Batch& a, const Event& event_a, const Batch& b, const Event& event_b) {
  bool equal = false;
  event::with_details(a, event_a, [&](const auto& details_a) {
    using Details = std::decay_t<decltype(details_a)>;
    FieldAddresses fields;
    event::visit_fields(fields, details_a);
    Comparison comparison(a, std::move(fields), b);
    event::visit_fields(comparison, b.details_or<Details>(event_b, Details{}));
    equal = comparison.equal();
  });
  return equal;
}

}  // namespace

bool same_event(const Batch& a, const Event& event_a, const Batch& b, const Event& event_b) {
  if (event_a.kind != event_b.kind || event_a.time != event_b.time) return false;
  if (a.thread(event_a) != b.thread(event_b)) return false;
  const bool has_subject = event::describe(event_a.kind).subject != "none";
  if (has_subject && event_a.id != event_b.id) return false;
  return same_details(a, event_a, b, event_b);
}

}  // namespace polytrace::test
