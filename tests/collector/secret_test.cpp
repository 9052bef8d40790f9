// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/secret.hpp"

#include <gtest/gtest.h>

#include <span>

#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

std::string sum_of(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : sha256(std::as_bytes(std::span(text)))) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

// As sha256sum(1) gives them; lengths around the end of a chunk.
TEST(secret, sums_are_those_of_sha256sum) {
  EXPECT_EQ(sum_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum_of(std::string(55, 'x')),
            "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(sum_of(std::string(56, 'x')),
            "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(sum_of(std::string(63, 'x')),
            "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(sum_of(std::string(64, 'x')),
            "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  EXPECT_EQ(sum_of(std::string(65, 'x')),
            "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
  EXPECT_EQ(sum_of(std::string(1000, 'x')),
            "44f8354494a5ba03ba1792a8d3e9c534c47a9181980fde7a3f44b06ef2ae7c7f");
}

TEST(secret, is_told_by_its_whole_token_alone) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("token", "0123456789abcdef0123456789abcdef\n");
  namespace fs = std::filesystem;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const auto secret = Secret::read(file);
  ASSERT_TRUE(secret);
  EXPECT_TRUE(secret->is("0123456789abcdef0123456789abcdef"));
  for (const char* wrong :
       {"", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeF",
        "0123456789abcdef0123456789abcdef\n"})
    EXPECT_FALSE(secret->is(wrong)) << wrong;
}

TEST(secret, of_a_file_that_others_may_read_or_that_is_short_is_refused) {
  const test::TemporaryFolder folder;
  namespace fs = std::filesystem;
  const std::string open = folder.write("open", "0123456789abcdef0123456789abcdef");
  fs::permissions(open, fs::perms::owner_read | fs::perms::group_read);
  EXPECT_FALSE(Secret::read(open));
  const std::string brief = folder.write("brief", "0123456789");
  fs::permissions(brief, fs::perms::owner_read);
  EXPECT_FALSE(Secret::read(brief));
  EXPECT_FALSE(Secret::read(folder.file("none")));
}

}  // namespace
}  // namespace polytrace::collector
