// SPDX-License-Identifier: Apache-2.0
// Fewer page faults for large memory that is about to be filled once: each costs as much as writing
// several KiB. Where the system gives no large pages, nothing changes.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace polytrace::base {

// `size` bytes from `at` on, allocated and not yet touched.
inline void want_large_pages(void* at, std::uint64_t size) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  const std::uint64_t before = (kPage - reinterpret_cast<std::uintptr_t>(at) % kPage) % kPage;
  if (size < before + kPage) return;
  madvise(static_cast<std::byte*>(at) + before, (size - before) / kPage * kPage, MADV_HUGEPAGE);
}

// For vectors that may become large.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  explicit(false) LargePages(const LargePages<Other>&) {}

  T* allocate(std::size_t count) {
    T* const at = std::allocator<T>().allocate(count);
    want_large_pages(at, std::uint64_t{count} * sizeof(T));
    return at;
  }
  void deallocate(T* at, std::size_t count) { std::allocator<T>().deallocate(at, count); }
  bool operator==(const LargePages&) const = default;
};

}  // namespace polytrace::base
