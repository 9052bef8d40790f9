// SPDX-License-Identifier: Apache-2.0
#include "event/text/text.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "event/text/quoted.hpp"
#include "event/visit.hpp"

namespace polytrace::event {
namespace {

template <class Number, class... Format>
void append_number(std::string& out, Number value, Format... format) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, format...).ptr;
  out.append(digits, end);
}

void append_id(std::string& out, Id id) {
  out += "0x";
  append_number(out, id, 16);
}

// The shortest digits that read back the same; a NaN by its bits, which a decimal form would lose.
void append_real(std::string& out, f64 value) {
  if (!std::isnan(value)) return append_number(out, value);
  out += "nan:";
  append_id(out, std::bit_cast<u64>(value));
}

class Printer {
 public:
  Printer(std::string& out, const Batch& batch) : out_(out), batch_(batch) {}

  template <Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      if (event::name(value) == "unknown") return;
    } else if constexpr (std::is_base_of_v<Range, T>) {
      if (!value.present()) return;
    } else if constexpr (tag == Tag::kf64) {
      if (std::bit_cast<u64>(value) == 0) return;
    } else {
      if (value == not_told<tag, T>()) return;
    }
    out_ += ' ';
    out_ += name;
    out_ += '=';
    put<tag>(value);
  }

 private:
  template <Tag tag, class T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T>) out_ += event::name(value);
    else if constexpr (is_text(tag)) append_quoted(out_, value);
    else if constexpr (tag == Tag::kId) append_id(out_, value);
    else if constexpr (tag == Tag::kf64) append_real(out_, value);
    else if constexpr (tag == Tag::kStack) put_stack(value);
    else if constexpr (std::is_base_of_v<Range, T>) put_list(batch_.list(value));
    else append_number(out_, value);
  }

  void put_stack(const Stack& stack) {
    const auto frames = batch_.list(stack);
    const auto places = batch_.places(stack);
    out_ += '[';
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (i > 0) out_ += ',';
      append_id(out_, frames[i]);
      if (!places.empty()) put_place(places[i]);
    }
    out_ += ']';
  }
  void put_place(const FramePlace& place) {
    char before = '@';
    const auto part = [&](std::string_view name) {
      out_ += std::exchange(before, '+');
      out_ += name;
    };
    if (place.il != -1) part("il:"), append_number(out_, place.il);
    if (place.native != -1) part("native:"), append_number(out_, place.native);
    if (place.ip != 0) part("ip:"), append_id(out_, place.ip);
  }

  template <class T>
  void put_list(std::span<const T> items) {
    out_ += '[';
    for (const T& item : items) {
      if (&item != items.data()) out_ += ',';
      put_item(item);
    }
    out_ += ']';
  }
  void put_item(Id id) { append_id(out_, id); }
  void put_item(const Ref& ref) {
    append_number(out_, ref.offset);
    out_ += ':';
    append_id(out_, ref.target);
  }
  void put_item(const IlRange& range) {
    append_number(out_, range.il);
    out_ += ':';
    append_number(out_, range.begin);
    out_ += '-';
    append_number(out_, range.end);
  }

  std::string& out_;
  const Batch& batch_;
};

}  // namespace

void append_text(std::string& out, const Batch& batch, const Event& event) {
  const KindInfo& kind = describe(event.kind);
  append_number(out, event.time);
  out += ' ';
  const Id thread = batch.thread(event);
  thread == kNoId ? out.push_back('-') : append_id(out, thread);
  out += ' ';
  out += kind.name;
  Printer printer(out, batch);
  if (kind.subject != "none") printer.field<Tag::kId>(kind.subject, event.id);
  with_details(batch, event, [&](const auto& details) { visit_fields(printer, details); });
}

std::string to_text(const Batch& batch, const Event& event) {
  std::string text;
  append_text(text, batch, event);
  return text;
}

}  // namespace polytrace::event
