// SPDX-License-Identifier: Apache-2.0
// Fewer page faults for large memory that is about to be filled once: each costs as much as writing
// several KiB. Where the system gives no large pages, nothing changes.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace polytrace::base {

// `size` bytes from `at` on, allocated and not yet touched.
inline void want_large_pages(void* at, std::uint64_t size) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  const std::uint64_t before = (kPage - reinterpret_cast<std::uintptr_t>(at) % kPage) % kPage;
  if (size < before + kPage) return;
  madvise(static_cast<std::byte*>(at) + before, (size - before) / kPage * kPage, MADV_HUGEPAGE);
}

}  // namespace polytrace::base
