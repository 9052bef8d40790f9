// SPDX-License-Identifier: Apache-2.0
#include "warehouse/objects/objects.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/codes.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::warehouse {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(objects, names_never_leave_their_tenant) {
  for (const auto* const good : {"a", "shop/2026-11-27/cart/5f2a/1-2.ptrace.zst", "A_-.9/b"})
    EXPECT_TRUE(is_object_name(good)) << good;
  for (const auto* const bad : {"", "/", "/a", "a/", "a//b", "..", "a/../b", "a/.b", ".", "a b",
                                "a\\b", "a%2fb", "edge:x", "a\n", "a/\xc3\xa4"})
    EXPECT_FALSE(is_object_name(bad)) << bad;
  EXPECT_FALSE(is_object_name(std::string(600, 'a')));
  for (const auto* const text :
       {"", ".", "..", "../../etc", "a/b", "\n", "caf\xc3\xa9", ".hidden"}) {
    const std::string word = object_word(text);
    EXPECT_TRUE(is_object_name(word) && word.find('/') == word.npos) << text << ": " << word;
  }
  EXPECT_EQ(object_word("cart-2.1_x"), "cart-2.1_x");
  EXPECT_EQ(object_name({"../x", 1'795'651'200, "a/b", 0x1f, 3, 40}),
            "_._x/2026-11-26/a_b/000000000000001f/3-40.ptrace.zst");
}

TEST(objects, of_a_folder_are_whole_private_and_removed) {
  const test::TemporaryFolder folder;
  const auto objects = Objects::open({.to = "folder:" + folder.file("")}).value();
  const std::string name = "shop/2026-11-27/cart/1-2.ptrace.zst";
  EXPECT_EQ(objects->head(name).value(), std::nullopt);
  EXPECT_FALSE(objects->get(name));
  ASSERT_TRUE(objects->put(name, bytes_of("0123456789")));
  ASSERT_TRUE(objects->put(name, bytes_of("0123456789")));  // again
  EXPECT_EQ(objects->head(name).value(), 10U);
  EXPECT_EQ(objects->get(name).value(), bytes_of("0123456789"));
  EXPECT_EQ(objects->get(name, {3, 4}).value(), bytes_of("3456"));
  EXPECT_EQ(objects->get(name, {8, 100}).value(), bytes_of("89"));
  EXPECT_TRUE(objects->get(name, {100, 1}).value().empty());
  struct stat found{};
  ASSERT_EQ(stat(folder.file(name).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  ASSERT_EQ(stat(folder.file("shop/2026-11-27").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0700U);
  ASSERT_TRUE(objects->remove(name));
  ASSERT_TRUE(objects->remove(name));
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(objects, of_a_folder_that_is_missing_or_full_leave_nothing) {
  const auto nowhere = Objects::open({.to = "folder:/nowhere/at/all"}).value();
  EXPECT_EQ(nowhere->put("a/b", bytes_of("x")).error().code, base::Code::write_failed);
  const auto full = Objects::open({.to = "folder:/dev"}).value();
  EXPECT_FALSE(full->put("null/b", bytes_of("x")));  // no folder
}

TEST(objects, places_that_are_none_are_refused) {
  for (const auto* const to : {"", "folder:", "folder:a", "s3:", "s3:https://h", "s3:https://h/",
                               "s3:http://h/b", "s3:https://h/b/../c", "https://h/b"})
    EXPECT_EQ(Objects::open({.to = to}).error().code, base::Code::usage) << to;
  EXPECT_TRUE(check_objects("s3:http://127.0.0.1:9000/b"));
  EXPECT_TRUE(check_objects("s3:https://h:9000/bucket/of/us"));
}

TEST(objects, keys_of_s3_are_private_and_of_two_lines) {
  const test::TemporaryFolder folder;
  const auto open = [&](std::string_view text, mode_t mode) {
    const std::string file = folder.write("key", text);
    chmod(file.c_str(), mode);
    return Objects::open({.to = "s3:https://h/b", .key_file = file});
  };
  EXPECT_TRUE(open("name\nsecret\n", 0600));
  EXPECT_TRUE(open("name\r\nsecret", 0400));
  const auto readable = open("name\nsecret\n", 0640);
  EXPECT_NE(readable.error().detail.find("0600"), std::string::npos);
  for (const auto* const text : {"", "name", "name\n", "\nsecret\n", "name\n\n"})
    EXPECT_FALSE(open(text, 0600)) << text;
  EXPECT_FALSE(Objects::open({.to = "s3:https://h/b"}));
  EXPECT_FALSE(Objects::open({.to = "s3:https://h/b", .key_file = folder.file("none")}));
}

}  // namespace
}  // namespace polytrace::warehouse
