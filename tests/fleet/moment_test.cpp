// SPDX-License-Identifier: Apache-2.0
#include "fleet/moments/moment.hpp"

#include <gtest/gtest.h>

namespace polytrace::fleet {
namespace {

TEST(moment_name, is_read_as_it_is_written) {
  for (const MomentName& name :
       {MomentName{}, MomentName{0x5f2ac01e9d3b4c77, 12, 1'790'000'400'123'456'789},
        MomentName{~std::uint64_t{0}, ~std::uint64_t{0}, INT64_MAX}})
    EXPECT_EQ(parse_moment(to_text(name)), name) << to_text(name);
}

TEST(moment_name, nothing_else_is_one) {
  for (const char* text :
       {"", "-", "--", "5f2ac01e9d3b4c77", "5f2ac01e9d3b4c77-12", "5f2ac01e9d3b4c77-12-",
        "5f2ac01e9d3b4c7-12-3", "5f2ac01e9d3b4c77-x-3", "5f2ac01e9d3b4c77-1-3x",
        "5f2ac01e9d3b4c77-18446744073709551616-3", "../../../../../../-1-1"})
    EXPECT_FALSE(parse_moment(text)) << text;
}

}  // namespace
}  // namespace polytrace::fleet
