// SPDX-License-Identifier: Apache-2.0
// Places of a vector by dense numbers that are not known before.
#pragma once

#include <cstddef>
#include <vector>

namespace polytrace::base {

// items[index], the vector made long enough first.
template <class T>
T& slot(std::vector<T>& items, std::size_t index) {
  if (index >= items.size()) items.resize(index + 1);
  return items[index];
}
template <class T>
T& slot(std::vector<T>& items, std::size_t index, const T& fresh) {
  if (index >= items.size()) items.resize(index + 1, fresh);
  return items[index];
}

}  // namespace polytrace::base
