// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace polytrace::base {
namespace {

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// The check value of the catalogue of CRC algorithms, and the iSCSI standard's 32 zero bytes.
TEST(crc32c, gives_the_published_check_values) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283U);
  EXPECT_EQ(
      crc32c(bytes_of(std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                       "\0\0\0\0",
                                       32))),
      0x8a9136aaU);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(crc32c, goes_on_where_it_stopped) {
  const std::string_view text = "123456789";
  for (std::size_t i = 0; i <= text.size(); ++i)
    EXPECT_EQ(crc32c(bytes_of(text.substr(i)), crc32c(bytes_of(text.substr(0, i)))), 0xe3069283U);
}

}  // namespace
}  // namespace polytrace::base
