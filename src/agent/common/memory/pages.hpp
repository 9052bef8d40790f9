// SPDX-License-Identifier: Apache-2.0
// Zeroed memory straight from the system: no heap, no exception.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace polytrace::agent {

// Null when there is none.
template <class T>
T* zeroed_pages(std::size_t count) {
  void* const memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

// Memory of zeroed_pages() goes; null is none.
template <class T>
void free_pages(T*& memory, std::size_t count) {
  if (memory != nullptr) munmap(memory, count * sizeof(T));
  memory = nullptr;
}

}  // namespace polytrace::agent
