// SPDX-License-Identifier: Apache-2.0
// A growing array that never initialises what it adds, so that a decoder or a read can write
// straight into it. For types that need neither constructor nor destructor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/large_pages.hpp"

namespace polytrace::base {

template <class T>
class RawArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Room for `more` items behind the end; write them, then say so with grew_to().
  T* room(std::size_t more) {
    if (capacity_ - size_ < more) grow(size_ + more);
    return items_.get() + size_;
  }
  // Sets the end; what lies before it stays.
  void grew_to(const T* end) { size_ = static_cast<std::size_t>(end - items_.get()); }
  void push(const T& item) {
    *room(1) = item;
    ++size_;
  }
  // REQUIRES: `items` are not this array's own.
  void append(std::span<const T> items) {
    grew_to(std::copy(items.begin(), items.end(), room(items.size())));
  }
  // Drops what lies behind the first `size` items, or the first `count`. REQUIRES: that many.
  void cut(std::size_t size) { size_ = size; }
  void drop_front(std::size_t count) {
    grew_to(std::copy(items_.get() + count, items_.get() + size_, items_.get()));
  }
  // Keeps its memory.
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return items_.get(); }
  const T* data() const { return items_.get(); }
  const T* begin() const { return items_.get(); }
  const T* end() const { return items_.get() + size_; }
  T* begin() { return items_.get(); }
  T* end() { return items_.get() + size_; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T& operator[](std::size_t i) { return items_[i]; }

 private:
  void grow(std::size_t needed) {
    const std::size_t capacity = std::max(needed, capacity_ * 2);
    auto larger = std::make_unique_for_overwrite<T[]>(capacity);
    want_large_pages(larger.get(), capacity * sizeof(T));
    std::copy_n(items_.get(), size_, larger.get());
    items_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<T[]> items_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace polytrace::base
