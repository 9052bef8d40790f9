// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "base/codes.hpp"
#include "event/text/quoted.hpp"
#include "event/text/text.hpp"
#include "event/visit.hpp"

namespace polytrace::event {
namespace {

// Walks over one line; the first fault is kept and ends the walk.
class Line {
 public:
  explicit Line(std::string_view line) : whole_(line), rest_(line) {}

  bool ok() const { return !fault_; }
  bool done() const { return rest_.empty(); }
  bool at(std::string_view text) const { return rest_.starts_with(text); }
  bool take(std::string_view text) {
    if (!at(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) fault("expected \"" + std::string(text) + "\"");
  }
  // Up to a character that no word has.
  std::string_view word() {
    const std::string_view text = rest_.substr(0, rest_.find_first_of(" =,]:+@"));
    rest_.remove_prefix(text.size());
    return text;
  }
  template <class Number, class... Base>
  Number number(Base... base) {
    Number value{};
    const auto [stop, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base...);
    if (error == std::errc::invalid_argument) return fault("expected a number"), Number{};
    if (error != std::errc{}) return fault("number out of range"), Number{};
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return value;
  }
  Id id() {
    expect("0x");
    return ok() ? number<u64>(16) : 0;
  }
  std::string quoted() {
    auto text = take_quoted(rest_);
    if (!text) fault("expected a quoted text");
    return text ? std::move(*text) : std::string();
  }
  void fault(std::string why) {
    if (fault_) return;
    const auto column = static_cast<std::uint32_t>(whole_.size() - rest_.size() + 1);
    fault_ = base::Error{base::Code::text_syntax, {.line = 1, .column = column}, std::move(why)};
    rest_ = {};
  }
  base::Unexpected error() const { return base::Unexpected(*fault_); }

 private:
  std::string_view whole_;
  std::string_view rest_;
  std::optional<base::Error> fault_;
};

// Fields come in catalogue order, those not told are left out: one walk over the kind's fields.
class Parser {
 public:
  Parser(Line& line, Batch& batch) : line_(line), batch_(batch) {}
  bool told() const { return told_; }

  template <Tag tag, class T>
  void field(std::string_view name, T& value) {
    if (!line_.ok() || !line_.take(" " + std::string(name) + "=")) return;
    told_ = true;
    get<tag>(value);
  }

 private:
  template <Tag tag, class T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T>) get_enum(value);
    else if constexpr (is_text(tag)) value = batch_.keep(line_.quoted());
    else if constexpr (tag == Tag::kId) value = line_.id();
    else if constexpr (tag == Tag::kf64) value = real();
    else if constexpr (tag == Tag::kStack) get_stack(value);
    else if constexpr (tag == Tag::kNatives) get_list(value, batch_.frames);
    else if constexpr (tag == Tag::kRefs) get_list(value, batch_.column<Ref>());
    else if constexpr (tag == Tag::kIlMap) get_list(value, batch_.column<IlRange>());
    else value = line_.number<T>();
  }

  template <class E>
  void get_enum(E& value) {
    const auto all = names(E{});
    const auto before = line_;
    const auto found = std::find(all.begin(), all.end(), line_.word());
    if (found == all.end()) {
      line_ = before;
      return line_.fault("no such value of this field");
    }
    value = static_cast<E>(found - all.begin());
  }
  f64 real() {
    if (line_.take("nan:")) return std::bit_cast<f64>(line_.id());
    return line_.number<f64>();
  }

  template <class Item, class Get>
  void items(Range& range, std::vector<Item>& into, Get get_item) {
    range = {static_cast<u32>(into.size()), 0};
    line_.expect("[");
    while (line_.ok() && !line_.take("]")) {
      if (range.count > 0) line_.expect(",");
      into.push_back(get_item());
      ++range.count;
    }
  }
  template <class Item>
  void get_list(Range& range, std::vector<Item>& into) {
    items(range, into, [this] { return item(Item{}); });
  }
  void get_stack(Stack& stack) {
    std::vector<FramePlace> places;
    bool any = false;
    items(stack, batch_.frames, [&] {
      const Id method = line_.id();
      any = any || line_.at("@");
      places.push_back(place());
      return method;
    });
    if (!any) return;
    auto& all = batch_.column<FramePlace>();
    stack.places = static_cast<u32>(all.size());
    all.insert(all.end(), places.begin(), places.end());
  }
  FramePlace place() {
    FramePlace place;
    if (!line_.take("@")) return place;
    do {
      if (line_.take("il:")) place.il = line_.number<i64>();
      else if (line_.take("native:")) place.native = line_.number<i64>();
      else if (line_.take("ip:")) place.ip = line_.id();
      else line_.fault("expected il:, native: or ip:");
    } while (line_.take("+"));
    return place;
  }

  Id item(Id) { return line_.id(); }
  Ref item(Ref ref) {
    ref.offset = line_.number<u64>();
    line_.expect(":");
    ref.target = line_.id();
    return ref;
  }
  IlRange item(IlRange range) {
    range.il = line_.number<u32>();
    line_.expect(":");
    range.begin = line_.number<u32>();
    line_.expect("-");
    range.end = line_.number<u32>();
    return range;
  }

  Line& line_;
  Batch& batch_;
  bool told_ = false;
};

const KindInfo* take_kind(Line& line) {
  const Line before = line;
  const KindInfo* kind = find_kind(line.word());
  if (kind == nullptr) {
    line = before;
    line.fault("no such kind of event");
  }
  return kind;
}

Id take_subject(Line& line, const KindInfo& kind) {
  if (kind.subject == "none" || !line.take(" " + std::string(kind.subject) + "=")) return kNoId;
  return line.id();
}

// The rest of the line, which told the time and thread.
base::result<void> parse_event(Line& line, Batch& batch, Time time, Id thread) {
  const KindInfo* kind = take_kind(line);
  if (kind == nullptr) return line.error();
  const Id id = take_subject(line, *kind);
  return with_kind(kind->kind, [&](auto details) -> base::result<void> {
    Parser parser(line, batch);
    visit_fields(parser, details);
    if (!line.done()) line.fault("expected a field of " + std::string(kind->name) + " in order");
    if (!line.ok()) return line.error();
    const auto slot = batch.thread_slot(thread);
    parser.told() ? batch.add(time, slot, id, details)
                  : batch.add_plain(time, slot, id, kind->kind);
    return {};
  });
}

}  // namespace

base::result<void> parse_text(std::string_view text, Batch& batch) {
  Line line(text);
  const auto time = line.number<Time>();
  line.expect(" ");
  const Id thread = line.take("-") ? kNoId : line.id();
  line.expect(" ");
  if (!line.ok()) return line.error();
  if (batch.threads.size() >= Batch::kMaxThreads - 1)
    return base::fail(base::Code::limit_exceeded, "too many threads in one batch");
  return parse_event(line, batch, time, thread);
}

}  // namespace polytrace::event
