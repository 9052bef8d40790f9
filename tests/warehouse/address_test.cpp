// SPDX-License-Identifier: Apache-2.0
#include "warehouse/link.hpp"

#include <gtest/gtest.h>

#include "base/codes.hpp"

namespace polytrace::warehouse {
namespace {

TEST(address, server_host_and_database) {
  const auto address = parse_address("http://[::1]:8123/pt_shop");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->server, "http://[::1]:8123");
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->database, "pt_shop");
  EXPECT_EQ(parse_address("https://store.example/")->database, "");
  EXPECT_EQ(parse_address("http://store")->host, "store");
}

TEST(address, this_machine_is_no_name_that_begins_like_it) {
  for (const char* host : {"localhost", "127.0.0.1", "127.9.8.7", "::1"})
    EXPECT_TRUE(is_this_machine(host)) << host;
  for (const char* host : {"127.example.com", "127.0.0.1.example.com", "128.0.0.1", "0.0.0.0", ""})
    EXPECT_FALSE(is_this_machine(host)) << host;
}

TEST(address, what_is_none_is_refused) {
  for (const char* text :
       {"", "store:8123", "ftp://store", "http://", "http:///db", "http://a b",
        "http://store/db/more", "http://store/1db", "http://store/?user=x",
        "http://me:secret@store", "http://:8123", "http://store/db;DROP", "http://sto're/"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, base::Code::address_wrong);
    EXPECT_EQ(base::to_text(address.error()).find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace polytrace::warehouse
