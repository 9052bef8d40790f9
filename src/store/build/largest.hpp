// SPDX-License-Identifier: Apache-2.0
// Bounded memory of many that hold some: those that hold most give it back.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace polytrace::store {

// `bytes`: what all hold, each as its bytes() says. Calls shrink(item) for the largest first, until
// those that are left hold at most `most`. What they hold then, if a shrunk one holds nothing.
template <class Item, class Shrink>
std::size_t shrink_largest(std::vector<Item*> items, std::size_t bytes, std::size_t most,
                           Shrink shrink) {
  std::ranges::sort(items, std::greater(), [](const Item* item) { return item->bytes(); });
  for (Item* const item : items) {
    if (bytes <= most) break;
    bytes -= item->bytes();
    shrink(*item);
  }
  return bytes;
}

}  // namespace polytrace::store
