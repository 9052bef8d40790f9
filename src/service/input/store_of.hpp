// SPDX-License-Identifier: Apache-2.0
// The index behind what was opened. Any thread.
#pragma once

#include <memory>

#include "format/format.hpp"
#include "store/read/events/store_reader.hpp"
#include "store/store.hpp"

namespace polytrace::service {

// Null where the trace itself is read.
inline std::shared_ptr<const store::Store> store_of(const format::Opened& opened) {
  const auto* const reader = dynamic_cast<const store::StoreReader*>(opened.reader.get());
  return reader != nullptr ? store::Store::of(reader->frames()) : nullptr;
}

}  // namespace polytrace::service
