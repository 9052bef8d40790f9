// SPDX-License-Identifier: Apache-2.0
#include "base/io/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace polytrace::base {
namespace {

std::uint32_t crc_of(std::string_view text, std::uint32_t before = 0) {
  return crc32c(std::as_bytes(std::span(text)), before);
}

// The check value of the catalogue of CRC algorithms, and the iSCSI standard's 32 zero bytes.
TEST(crc32c, gives_the_published_check_values) {
  EXPECT_EQ(crc_of("123456789"), 0xe3069283U);
  EXPECT_EQ(crc_of(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc_of({}), 0U);
}

TEST(crc32c, goes_on_where_it_stopped) {
  const std::string_view text = "123456789";
  for (std::size_t i = 0; i <= text.size(); ++i)
    EXPECT_EQ(crc_of(text.substr(i), crc_of(text.substr(0, i))), 0xe3069283U);
}

}  // namespace
}  // namespace polytrace::base
