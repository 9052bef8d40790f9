// SPDX-License-Identifier: Apache-2.0
// Who is who: dense indexes and names for methods, classes and threads, from the definitions of a
// trace. Definitions may come later than uses (names are asked for at the end), and an id may be
// defined again: from then on it is another thing with another index.
// Only the slicer changes Names; analyses look things up. One thread at a time.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_table.hpp"
#include "base/types.hpp"
#include "event/batch.hpp"

namespace polytrace::slice {

using base::Id;

// A kind of thing that has an id and a name.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = base::IdTable::kNone;

  // The index that `id` means now; made on first sight. Fast for ids seen often.
  std::uint32_t index(Id id) const { return ids_.index(id); }
  // A definition; the index it is about. A second one with another name makes `id` a new thing.
  std::uint32_t define(Id id, std::string_view name);
  // Whether define() would make a new thing of a known one.
  bool renames(Id id, std::string_view name) const;
  // From now on `id` is a new thing without a name.
  std::uint32_t renew(Id id) { return ids_.renew(id); }
  std::uint32_t size() const { return ids_.size(); }
  Id id(std::uint32_t index) const { return ids_.id(index); }
  bool named(std::uint32_t index) const { return index < named_.size() && named_[index]; }
  // Empty when never named. The view lives until the next definition.
  std::string_view name(std::uint32_t index) const;

 private:
  // Looking an id up gives it an index, which is not a change anyone can see.
  mutable base::IdTable ids_;
  std::vector<std::string> names_;
  std::vector<bool> named_;
};

struct ThreadInfo {
  Id id = base::kNoId;
  std::string name;
  // Of the events in its stream.
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;
  std::uint64_t events = 0;
  bool begun = false;                          // its begin was recorded
  bool ended = false;                          // its end was recorded
  base::Time end_time = base::kNoTime;         // then
  std::uint32_t previous = ~std::uint32_t{0};  // index of the one that had the id before
};

// What is known of a thread's name.
struct ThreadNaming {
  Id id = base::kNoId;
  std::string_view name{};      // its own, as far as told
  bool begun = false;           // its begin was recorded
  std::string_view previous{};  // name of the one that had the id before
};
// Its name, or the id in hexadecimal. Recorders' own threads go on after their recorded end: what
// neither begins nor has a name is named after the thread before it. kNoId is no thread.
std::string thread_text(const ThreadNaming& thread);

class Names {
 public:
  static constexpr std::uint32_t kNone = NameTable::kNone;
  // Stands in trees where a method would: for the paths there that had no room.
  static constexpr std::uint32_t kOtherPaths = kNone - 2;

  const NameTable& methods() const { return methods_; }
  // Whether a frame of a stack is one of a method: 0 is none, where the trace defines no method 0.
  bool is_method(Id frame) const { return frame != 0 || has_method_0_; }
  // A vtable id means its class: class_index() follows the alias.
  const NameTable& classes() const { return classes_; }
  std::uint32_t class_index(Id class_or_vtable) const {
    const std::uint32_t index = classes_.index(class_or_vtable);
    return resolve_class(index);
  }
  // Final: resolves a class index that was handed out before its vtable was known.
  std::uint32_t resolve_class(std::uint32_t index) const {
    return index < aliases_.size() && aliases_[index] != kNone ? aliases_[index] : index;
  }

  // "Ns.Class:Method (int)", or "unknown method 0x..." when never defined: whole
  // (event/choice/method_names.hpp), and as in the source (compiled_names.hpp).
  std::string method_name(std::uint32_t index) const;
  // As defined, or "unknown class 0x..."; of kNone, and of what recorders tell where they know
  // none,
  // "(class not recorded)".
  std::string class_name(std::uint32_t index) const;
  // Runtime helpers: "(wrapper ...)" names.
  bool is_helper(std::uint32_t method) const {
    return method < helpers_.size() && helpers_[method];
  }
  // Changes whenever a known method id gets a new meaning: what was cached by id is then stale.
  std::uint32_t method_epoch() const { return method_epoch_; }

  // Threads in order of first sight. A thread id that ended and appears again is a new thread.
  const std::vector<ThreadInfo>& threads() const { return threads_; }
  std::uint32_t thread_index(Id thread) const;  // the current one of that id; kNone if never seen
  // As thread_text() has it.
  std::string thread_name(std::uint32_t index) const;
  // Of all threads' events; kNoTime without any.
  base::Time first_time() const;
  // From now on the three texts above are base::short_name() of this many bytes.
  void shorten(std::size_t longest) { longest_ = longest; }
  // How many methods, classes and threads have a longer one.
  std::uint64_t shortened() const;

  // --- for the slicer ------------------------------------------------------------------------
  static bool is_definition(event::Kind kind) {
    return kind == event::Kind::Thread || kind == event::Kind::Class ||
           kind == event::Kind::Vtable || kind == event::Kind::Method;
  }
  struct Learned {
    std::size_t taken;  // how many of the definitions
    bool thread_ended;  // the last one taken is a thread's end: a slice ends behind it
  };
  // Takes definitions (indexes into batch.events) in order, up to the first that gives a known id a
  // new meaning: there a new slice begins. One that stands at `begin`, the slice's first event, is
  // always taken.
  Learned learn(const event::Batch& batch, std::span<const std::uint32_t> definitions,
                std::uint32_t begin);
  // When the thread that has the id now ended; no time of an event is as late as kNever.
  static constexpr base::Time kNever = std::numeric_limits<base::Time>::max();
  base::Time end_of(Id thread) const;
  // Events of a thread's stream: times do not decrease between calls, other events may be older.
  struct Stretch {
    base::Time first;
    base::Time last;
    std::uint64_t events;
    void extend(base::Time time) { first = std::min(first, time), last = std::max(last, time); }
  };
  // `begin`: of the first of them. The thread's index: one that ended before that is another
  // thread.
  std::uint32_t see(Id thread, base::Time begin, const Stretch& stretch);
  // The thread end that learn() met takes effect: all events up to it have been seen.
  void end_slice();

 private:
  std::string whole_method_name(std::uint32_t index) const;
  std::string whole_class_name(std::uint32_t index) const;
  std::string whole_thread_name(std::uint32_t index) const;
  bool changes_meaning(const event::Batch& batch, const event::Event& event) const;
  void define(const event::Batch& batch, const event::Event& event);
  void define_method(Id id, const event::Method& method);
  void define_vtable(Id vtable, Id class_id);
  void define_thread(const event::Event& event, const event::Thread& details);
  bool is_after_end(const event::Event& event) const;
  bool is_next_thread(const event::Event& event, const event::Thread& details) const;
  std::uint32_t new_thread(Id id);

  std::size_t longest_ = std::numeric_limits<std::size_t>::max();
  NameTable methods_;
  std::vector<bool> helpers_;  // by method index; may be shorter
  bool has_method_0_ = false;
  struct MethodTold {
    std::uint32_t class_index = kNone;
    std::string signature;
  };
  std::vector<MethodTold> methods_told_;  // by method index; may be shorter
  NameTable classes_;
  std::vector<std::uint32_t> aliases_;  // by class index: the class of a vtable, or kNone
  std::uint32_t method_epoch_ = 0;
  base::IdTable thread_ids_;
  std::vector<ThreadInfo> threads_;  // by index in thread_ids_
  std::uint32_t ending_ = kNone;     // thread whose end waits for end_slice()
  base::Time ending_time_ = base::kNoTime;
};

// From when to when a trace has events: of all threads, and of no thread. What `polytrace info`
// counts.
struct Extent {
  base::Time first = base::kNoTime;  // kNoTime: no event has a time
  base::Time last = base::kNoTime;
  std::uint64_t events = 0;

  std::uint64_t span() const { return base::elapsed(first, last); }  // nanoseconds
};
Extent extent_of(const Names& names);

}  // namespace polytrace::slice
