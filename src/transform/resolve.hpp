// SPDX-License-Identifier: Apache-2.0
// Between a reader and a writer that cannot take definitions as they come: both of one trace, of
// which all definitions are known, by a pass of its own before the one that writes. One thread at a
// time.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "base/seeded_hash.hpp"
#include "event/pump.hpp"
#include "event/writer.hpp"

namespace polytrace::transform {

// An id means one thing after the other: which one a definition is about. Ask for each, in stream
// order.
class Lives {
 public:
  // Kinds of things: threads, classes, methods.
  static constexpr std::size_t kTables = 3;
  static std::size_t table_of(event::Kind kind) {
    return kind == event::Kind::Thread ? 0 : kind == event::Kind::Class ? 1 : 2;
  }
  static bool is_definition(const event::Batch& batch, const event::Event& event);
  // From 0 on. REQUIRES: is_definition().
  std::uint32_t number(const event::Batch& batch, const event::Event& event);
  // The end of one, as far as the event tells it.
  void note_end(const event::Batch& batch, const event::Event& event);

 private:
  struct Thing {
    std::uint32_t number = 0;
    bool begun = false;  // of a thread
    bool ended = false;
    base::Time end = 0;
    std::uint64_t name = 0;  // its hash, 0 = none yet
  };
  bool is_next(const Thing& thing, const event::Event& event, bool begins,
               std::uint64_t name) const;

  std::array<base::IdMap<Thing>, kTables> lives_;
};

// What a whole trace tells of its threads, classes and methods, wherever it does, for targets that
// want it before the first use. Memory grows with definitions.
class Definitions final : public event::Consumer {
 public:
  bool consume(const event::Batch& batch) override;

  // Of a vtable its class, else the id itself.
  base::Id class_of(base::Id id) const {
    const auto found = vtables_.find(id);
    return found == vtables_.end() ? id : found->second;
  }
  bool has_vtables() const { return !vtables_.empty(); }
  // Empty where it has none; that of the first thing with the id.
  std::string_view class_name(base::Id id) const;
  // Whole, a thread with its name; null where there is none. In batch().
  const event::Event* find(event::Kind kind, base::Id id, std::uint32_t number) const;
  const event::Batch& batch() const { return batch_; }

 private:
  void take(const event::Batch& batch, const event::Event& event);
  void keep(const event::Batch& batch, const event::Event& event, std::uint32_t number);

  Lives lives_;
  base::IdMap<base::Id> vtables_;
  event::Batch batch_;
  std::array<base::IdMap<std::vector<std::uint32_t>>, Lives::kTables> places_;  // events of batch_
};

// Hands events on, methods with whole names (event/choice/method_names.hpp), the names of threads
// behind their begins.
std::unique_ptr<event::Writer> name_apart(std::unique_ptr<event::Writer> to,
                                          std::shared_ptr<const Definitions> definitions);

// Hands events on with every definition before its first use and whole, vtables' classes in their
// place. Else nothing is different, nothing is lost.
std::unique_ptr<event::Writer> resolve(std::unique_ptr<event::Writer> to,
                                       std::shared_ptr<const Definitions> definitions);

}  // namespace polytrace::transform
