// SPDX-License-Identifier: Apache-2.0
// What makers of time lines ask of names, which may come after their first use, of units and of
// what is only text.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "exports/job/account.hpp"
#include "slice/lives.hpp"

namespace polytrace::exports {

// Kinds that makers take names and units from: these are in no file as events and not left out.
inline bool is_taken_as_name(event::Kind kind) {
  using event::Kind;
  return slice::Names::is_definition(kind) || kind == Kind::Process || kind == Kind::Clock ||
         kind == Kind::CounterDef;
}

// Which methods are shown, and what had to be written before its name came. One thread at a time.
class MethodTexts {
 public:
  explicit MethodTexts(const slice::Selection& selection) : selection_(selection) {}

  bool shows(std::uint32_t method, const slice::Names& names) const {
    if (method == slice::Names::kOtherPaths) return false;
    return selection_.show_helpers || !names.is_helper(method);
  }
  // A use without a name.
  void count_nameless(std::uint32_t method) { ++base::slot(nameless_, method); }
  void count_nameless_class(std::uint32_t index) { ++base::slot(nameless_classes_, index); }
  // What there is to say of both; `hidden` calls were not shown.
  void tell(const slice::Names& names, std::uint64_t hidden, Account& account) const;

 private:
  slice::Selection selection_;
  std::vector<std::uint64_t> nameless_;          // by method: uses
  std::vector<std::uint64_t> nameless_classes_;  // by class
};

// The same for every call: asked once per method, then known.
class ShownMethods {
 public:
  // Outlives this.
  explicit ShownMethods(const MethodTexts& methods) : methods_(methods) {}

  bool has(std::uint32_t method, const slice::Names& names) {
    if (method < known_.size() && known_[method] != kUnknown) [[likely]]
      return known_[method] == kShown;
    return (base::slot(known_, method) = methods_.shows(method, names) ? kShown : kHidden) ==
           kShown;
  }

 private:
  enum Known : std::uint8_t { kUnknown, kShown, kHidden };

  const MethodTexts& methods_;
  std::vector<std::uint8_t> known_;  // by method
};

// What there is to say of an event that is only text, empty of all other kinds.
std::string remark_of(const event::Batch& batch, const event::Event& event);

// A counter's values, which are recorded in units of their own: see analysis/runtime/counters.cpp.
class CounterScale {
 public:
  CounterScale() = default;
  explicit CounterScale(const event::CounterDef& counter);
  // As a float, in milliseconds where it is time. REQUIRES: it is a number.
  double value(const event::CounterValue& told) const;
  bool is_exact(const event::CounterValue& told) const {  // as the integer that it is
    return told.type != event::CounterType::real && scale_ == 1 &&
           !(is_unsigned_ && told.number < 0);
  }
  bool is_time() const { return scale_ != 1; }

 private:
  double scale_ = 1;
  bool is_unsigned_ = false;
};
// With the section that it belongs to.
std::string counter_name(const event::CounterDef& counter);

// One allocation or several that were summed up, with what they stand for.
struct Allocation {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  base::Id object = base::kNoId;
  event::Stack stack{};
};
Allocation allocation_of(const event::Batch& batch, const event::Event& event);

// The classes of objects, as far as their allocation was recorded shortly before.
class ObjectClasses {
 public:
  void learn(const slice::Slice& slice, const event::Event& event) {
    if (event.kind == event::Kind::Alloc) {
      if (const Allocation allocation = allocation_of(slice.batch, event);
          allocation.object != base::kNoId)
        recent_.add(allocation.object, slice.names.class_index(event.id));
    } else if (event.kind == event::Kind::Move) {
      recent_.move(event.id, slice.batch.details_or<event::Move>(event, {}).to);
    }
  }
  // The index; kNone when not known. `class_id` is what the event tells.
  std::uint32_t find(base::Id object, base::Id class_id, const slice::Names& names) const {
    return class_id != base::kNoId ? names.class_index(class_id) : recent_.find(object);
  }

 private:
  slice::RecentClasses recent_;
};

}  // namespace polytrace::exports
