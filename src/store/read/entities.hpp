// SPDX-License-Identifier: Apache-2.0
// What an index knows of methods, classes, threads and counters, and the texts that rows and names
// are of. Filled by one thread; then any number may read. Views live as long as the index.
#pragma once

#include <array>
#include <deque>
#include <string_view>
#include <vector>

#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "store/file/entity_layout.hpp"

namespace polytrace::store {

class Texts {
 public:
  // The content of a TEXT frame: ids follow those so far. `keeps`: the bytes live as long as this
  // does; else they are copied. Errors: value_unexpected, field_past_end, count_too_large.
  enum class Owner : std::uint8_t { index, nobody };
  base::result<void> add(base::Bytes content, Owner owner);
  std::uint64_t size() const { return texts_.size(); }
  // Empty for an id that there is not.
  std::string_view text(std::uint64_t id) const {
    return id < texts_.size() ? texts_[id] : std::string_view();
  }

 private:
  std::vector<std::string_view> texts_;
  std::deque<base::RawArray<std::byte>> copies_;
};

class Entities {
 public:
  // The content of an ENTY frame. Errors: value_unexpected, field_past_end, count_too_large.
  base::result<void> add(base::Bytes content);

  // With kNoId for an index that there is not.
  const Entity& of(EntitySort sort, std::uint64_t index) const;
  std::size_t count(EntitySort sort) const { return known_[static_cast<std::size_t>(sort)].size(); }

 private:
  // By sort and index. Threads without events: in the last one.
  std::array<std::vector<Entity>, kEntitySorts + 1> known_;
};

}  // namespace polytrace::store
