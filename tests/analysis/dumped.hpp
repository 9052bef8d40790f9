// SPDX-License-Identifier: Apache-2.0
// Objects of hand-made heap snapshots.
#pragma once

#include "event/details.hpp"

namespace polytrace::test {

inline event::DumpObject object(base::Id type, std::uint64_t size, event::Refs refs = {}) {
  event::DumpObject out;
  out.class_id = type;
  out.size = size;
  out.refs = refs;
  return out;
}

}  // namespace polytrace::test
