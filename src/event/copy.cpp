// SPDX-License-Identifier: Apache-2.0
#include "event/copy.hpp"

#include "event/visit.hpp"

namespace polytrace::event {
namespace {

// Moves the views and ranges of copied details over to the new batch.
class Mover {
 public:
  Mover(const Batch& from, Batch& into) : from_(from), into_(into) {}
  std::size_t bytes() const { return bytes_; }

  template <Tag tag, class T>
  void field(std::string_view, T& value) {
    if constexpr (is_text(tag)) move_text(value);
    else if constexpr (tag == Tag::kStack) move_stack(value);
    else if constexpr (tag == Tag::kNatives) move_list(value, into_.frames);
    else if constexpr (tag == Tag::kRefs) move_list(value, into_.column<Ref>());
    else if constexpr (tag == Tag::kIlMap) move_list(value, into_.column<IlRange>());
  }

 private:
  void move_text(Text& text) {
    bytes_ += text.size();
    text = into_.keep(text);
  }
  template <class T, class Item>
  void move_list(T& range, std::vector<Item>& to) {
    if (!range.present()) return;
    const auto items = from_.list(range);
    range.first = append(items, to);
  }
  void move_stack(Stack& stack) {
    const auto places = from_.places(stack);
    move_list(stack, into_.frames);
    if (stack.places != kAbsent) stack.places = append(places, into_.column<FramePlace>());
  }
  template <class Item>
  u32 append(std::span<const Item> items, std::vector<Item>& to) {
    const auto first = static_cast<u32>(to.size());
    to.insert(to.end(), items.begin(), items.end());
    bytes_ += items.size_bytes();
    return first;
  }

  const Batch& from_;
  Batch& into_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::size_t copy_event(const Batch& from, const Event& event, Batch& into) {
  const auto thread = into.thread_slot(from.thread(event));
  if (event.detail == kAbsent) {
    into.add_plain(event.time, thread, event.id, event.kind);
    return sizeof(Event);
  }
  std::size_t bytes = sizeof(Event);
  with_details(from, event, [&](auto details) {
    Mover mover(from, into);
    visit_fields(mover, details);
    into.add(event.time, thread, event.id, details);
    bytes += sizeof details + mover.bytes();
  });
  return bytes;
}

}  // namespace polytrace::event
