// SPDX-License-Identifier: Apache-2.0
// One message of any kind in memory: what the binary codec and the XML codec both read and write.
// Values stand in the order of the catalogue. Times and durations are nanoseconds, texts are
// well-formed UTF-8 without zeros. Reuse one object: its memory is recycled. One thread at a time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event/arena.hpp"
#include "format/tptp/messages/catalogue.hpp"

namespace polytrace::format::tptp {

class Message {
 public:
  // Becomes a message of this kind in which every attribute has its default: 0, empty.
  void reset(const MessageInfo& info) {
    info_ = &info;
    slots_.assign(info.attributes.size(), Slot{});
    texts_.clear();
    numbers_.clear();
    arena_.clear();
  }
  // REQUIRES for all below: reset() was called, `attribute` is an index of the kind's attributes.
  const MessageInfo& info() const { return *info_; }
  std::uint16_t id() const { return info_->id; }

  // i8, i32, i64 as they are, f64 by its bits; a depth reads as the length of the lists behind it.
  std::int64_t number(unsigned attribute) const { return slots_[attribute].number; }
  void set_number(unsigned attribute, std::int64_t value) { slots_[attribute].number = value; }

  std::string_view text(unsigned attribute) const { return slots_[attribute].text; }
  // Views `text`, which has to live as long as the value; keep() makes what does.
  void set_text(unsigned attribute, std::string_view text) { slots_[attribute].text = text; }
  // A copy that lives until the next reset().
  std::string_view keep(std::string_view text) { return arena_.keep(text); }

  // Lists. Items of one list are added one after the other; lists of one message that differ in
  // type may take turns.
  std::span<const std::string_view> texts(unsigned attribute) const {
    const Slot& slot = slots_[attribute];
    return std::span(texts_).subspan(slot.first(), slot.count());
  }
  std::span<const std::int64_t> numbers(unsigned attribute) const {
    const Slot& slot = slots_[attribute];
    return std::span(numbers_).subspan(slot.first(), slot.count());
  }
  void add_text(unsigned attribute, std::string_view text) {
    slots_[attribute].add_at(texts_.size());
    texts_.push_back(text);
  }
  void add_number(unsigned attribute, std::int64_t number) {
    slots_[attribute].add_at(numbers_.size());
    numbers_.push_back(number);
  }

  // Whether the attribute has its default.
  bool is_default(unsigned attribute) const {
    const Slot& slot = slots_[attribute];
    return slot.number == 0 && slot.text.empty();
  }

 private:
  struct Slot {
    std::int64_t number = 0;  // of a list: count << 32 | first
    std::string_view text{};

    std::size_t first() const { return static_cast<std::uint32_t>(number); }
    std::size_t count() const { return static_cast<std::size_t>(number >> 32); }
    void add_at(std::size_t index) {
      if (count() == 0) number = static_cast<std::int64_t>(index);
      number += std::int64_t{1} << 32;
    }
  };

  const MessageInfo* info_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<std::string_view> texts_;
  std::vector<std::int64_t> numbers_;
  event::Arena arena_;
};

// Whether two messages say the same. Reals compare by their bits.
bool same_message(const Message& a, const Message& b);

// threadStart time=1185890426304424453 thread_id=1 thread_name="Reference Handler": the attributes
// that are not default, in wire order; lists as [a, b]. For notes, tests and people.
std::string to_text(const Message& message);

}  // namespace polytrace::format::tptp
