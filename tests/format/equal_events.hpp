// SPDX-License-Identifier: Apache-2.0
// Events field by field, for tests of the loops that write them directly.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "event/spine.hpp"

namespace polytrace::format::test {

// Stops at the first difference: use with ASSERT_NO_FATAL_FAILURE.
inline void expect_equal_events(std::span<const event::Event> a, std::span<const event::Event> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(a[i].time, b[i].time);
    ASSERT_EQ(a[i].id, b[i].id);
    ASSERT_EQ(a[i].kind, b[i].kind);
    ASSERT_EQ(a[i].thread, b[i].thread);
    ASSERT_EQ(a[i].detail, b[i].detail);
  }
}

}  // namespace polytrace::format::test
