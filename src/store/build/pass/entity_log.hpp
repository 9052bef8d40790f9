// SPDX-License-Identifier: Apache-2.0
// Gives texts numbers and what events are about an index, and tells what is known of each. One
// thread at a time.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/frames/dictionary.hpp"
#include "base/id_table.hpp"
#include "slice/names.hpp"
#include "store/build/rows/row_encoder.hpp"
#include "store/file/entity_layout.hpp"

namespace polytrace::store {

class TextLog final : public TextIds {
 public:
  // Payloads of frames of texts, each with the number of its first one.
  using Take = std::function<void(std::uint64_t first, std::uint32_t count, std::string payload)>;

  explicit TextLog(Take take) : take_(std::move(take)) {}

  std::uint32_t id(std::string_view text) override {
    if (texts_.full()) {
      put();
      texts_.start_epoch();
    }
    return static_cast<std::uint32_t>(texts_.id(text));
  }
  // All that was not put yet.
  void put();
  std::uint64_t count() const { return texts_.count(); }

 private:
  static constexpr std::size_t kMostText = std::size_t{32} << 20;  // bytes of memory

  Take take_;
  base::Dictionary texts_{kMostText};
};

class EntityLog {
 public:
  // `names` must outlive it.
  explicit EntityLog(const slice::Names& names) : names_(names) {}

  // What a row's subject is stored as.
  std::uint64_t subject(event::Kind kind, base::Id id);
  // What a definition says beyond names, which Names has. REQUIRES: names of its slice are learned.
  void note(const event::Batch& batch, const event::Event& event, TextIds& texts);
  std::uint32_t count(EntitySort sort) const;

  // Makes payloads of all that is new or known better since the last time, and gives each to
  // `take` with the number of things in it.
  using Take = std::function<void(std::string payload, std::uint32_t count)>;
  void tell(TextIds& texts, const Take& take);

 private:
  std::uint32_t index_of(EntitySort sort, base::Id id);
  Entity known(EntitySort sort, std::uint32_t index, TextIds& texts);
  void tell_one(std::uint32_t index, const Entity& entity);
  void tell_sort(EntitySort sort, TextIds& texts, const Take& take);
  void flush(EntitySort sort, const Take& take);

  struct MethodTold {
    std::uint64_t class_index = Entity::kNone;
    std::uint64_t signature = Entity::kNone;
  };

  const slice::Names& names_;
  base::IdTable counters_;
  base::IdTable other_threads_;               // without events of their own
  std::vector<MethodTold> methods_;           // by index; may be shorter
  std::vector<std::uint64_t> counter_names_;  // text + 1, by index; may be shorter
  std::array<std::vector<Entity>, kEntitySorts + 1>
      told_;             // by sort and index; last: other threads
  std::string payload_;  // without its head
  std::uint32_t in_payload_ = 0;
};

}  // namespace polytrace::store
