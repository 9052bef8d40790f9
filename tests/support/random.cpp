// SPDX-License-Identifier: Apache-2.0
#include "support/random.hpp"

#include <bit>
#include <limits>
#include <string>

#include "event/visit.hpp"

namespace polytrace::test {

using event::Batch;
using event::f64;
using event::FramePlace;
using event::i64;
using event::Id;
using event::IlRange;
using event::Kind;
using event::Range;
using event::Ref;
using event::Stack;
using event::Tag;
using event::Time;
using event::u32;
using event::u64;

// Gives each field a random value, or leaves it not told.
class RandomEvents::Filler {
 public:
  Filler(RandomEvents& random, Batch& batch) : random_(random), batch_(batch) {}

  template <Tag tag, class T>
  void field(std::string_view, T& value) {
    if (random_.below(3) == 0) return;
    if constexpr (std::is_enum_v<T>) value = static_cast<T>(random_.below(names(T{}).size()));
    else if constexpr (event::is_text(tag)) value = batch_.keep(random_.text());
    else if constexpr (tag == Tag::kf64) value = std::bit_cast<f64>(random_.number());
    else if constexpr (tag == Tag::kStack) fill_stack(value);
    else if constexpr (tag == Tag::kNatives) fill(value, batch_.frames);
    else if constexpr (tag == Tag::kRefs) fill(value, batch_.column<Ref>());
    else if constexpr (tag == Tag::kIlMap) fill(value, batch_.column<IlRange>());
    else value = static_cast<T>(random_.number());
  }

 private:
  template <class Item>
  void fill(Range& range, std::vector<Item>& into) {
    range = {static_cast<u32>(into.size()), static_cast<u32>(random_.below(6))};
    for (u32 i = 0; i < range.count; ++i) into.push_back(item(Item{}));
  }
  void fill_stack(Stack& stack) {
    fill(stack, batch_.frames);
    if (random_.below(2) == 0) return;
    auto& places = batch_.column<FramePlace>();
    stack.places = static_cast<u32>(places.size());
    for (u32 i = 0; i < stack.count; ++i) places.push_back(item(FramePlace{}));
  }

  Id item(Id) { return random_.number(); }
  Ref item(Ref) { return {random_.number(), random_.number()}; }
  IlRange item(IlRange) {
    const auto part = [this] { return static_cast<u32>(random_.number()); };
    return {part(), part(), part()};
  }
  FramePlace item(FramePlace) {
    const auto signed_number = [this] { return static_cast<i64>(random_.number()); };
    return {signed_number(), signed_number(), random_.number()};
  }

  RandomEvents& random_;
  Batch& batch_;
};

void RandomEvents::add(Batch& batch, Kind kind) {
  time_ += static_cast<Time>(below(1000));
  const u64 which = below(options_.threads);
  const auto thread = batch.thread_slot(0x7f0000001000 + which * 0x1000);
  const bool has_subject = event::describe(kind).subject != "none";
  const Id id = has_subject ? number() : event::kNoId;
  event::with_kind(kind, [&](auto details) {
    Filler filler(*this, batch);
    event::visit_fields(filler, details);
    batch.add(time_, thread, id, details);
  });
}

void RandomEvents::add_any(Batch& batch) {
  add(batch, static_cast<Kind>(below(event::kKindCount)));
}

u64 RandomEvents::number() {
  switch (below(5)) {
    case 0: return below(200);
    case 1: return ~u64{0} - below(2);
    case 2: return u64{1} << below(64);
    case 3: return (u64{1} << below(64)) - 1;
    default: return engine_() >> below(64);
  }
}

std::string RandomEvents::text() {
  static constexpr std::string_view kPieces[] = {"Program:Main (string[])",
                                                 " ",
                                                 "é",
                                                 "名前",
                                                 "\xf0\x9f\x90\x92",
                                                 "\"",
                                                 "\\",
                                                 "\n",
                                                 "\t",
                                                 "\x7f"};
  std::string text;
  for (u64 left = below(8); left > 0; --left) {
    if (options_.any_bytes && below(3) == 0) text += static_cast<char>(below(256));
    else text += kPieces[below(std::size(kPieces))];
  }
  return text;
}

}  // namespace polytrace::test
