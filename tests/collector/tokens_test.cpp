// SPDX-License-Identifier: Apache-2.0
#include "collector/door/tokens.hpp"

#include <gtest/gtest.h>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

// printf %s first | sha256sum, and of "second".
constexpr std::string_view kFile = R"(
[[token]]
name = "shop-edge"
sha256 = "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e"
tenant = "shop"
roles = ["push"]
expires = 2030-01-01T00:00:00Z
[[token]]
name = "people"
sha256 = "16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4"
roles = ["read", "control"]
)";
constexpr std::int64_t kExpiry = 1'893'456'000;  // date -u -d 2030-01-01 +%s

TokenBook book_of(std::string_view text) {
  auto book = TokenBook::parse(text);
  EXPECT_TRUE(book) << (book ? "" : base::to_text(book.error()));
  return book.value_or(TokenBook());
}

TEST(collect_tokens, whoever_has_one_may_what_it_says_and_nothing_else) {
  const TokenBook book = book_of(kFile);
  ASSERT_EQ(book.size(), 2U);
  const auto first = book.find("first", 0), second = book.find("second", kExpiry * 2);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->name, "shop-edge");
  EXPECT_EQ(first->tenant, "shop");
  EXPECT_EQ(second->tenant, "");
  for (const Role role : {Role::push, Role::read, Role::control, Role::dump, Role::admin}) {
    EXPECT_EQ(first->may(role), role == Role::push);
    EXPECT_EQ(second->may(role), role == Role::read || role == Role::control);
  }
  for (const std::string_view other : {"", "First", "firs", "first ", "a7937b64b8caa58f"})
    EXPECT_FALSE(book.find(other, 0)) << other;
  EXPECT_FALSE(book.find(std::string(100'000, 'x'), 0));
  EXPECT_FALSE(TokenBook().find("first", 0));
}

TEST(collect_tokens, one_ends_at_its_time) {
  const TokenBook book = book_of(kFile);
  EXPECT_TRUE(book.find("first", kExpiry - 1));
  EXPECT_FALSE(book.find("first", kExpiry));
  std::string east(kFile);
  east.replace(east.find("00:00:00Z"), 9, "02:00:00+02:00");
  EXPECT_TRUE(book_of(east).find("first", kExpiry - 1));
  EXPECT_FALSE(book_of(east).find("first", kExpiry));
  std::string day(kFile);
  day.replace(day.find("T00:00:00Z"), 10, "");
  EXPECT_FALSE(book_of(day).find("first", kExpiry));
}

TEST(collect_tokens, files_that_say_too_little_or_anything_else_are_refused) {
  constexpr std::string_view kSum =
      "sha256 = \"a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e\"\n";
  const std::string sum(kSum);
  for (const std::string& text :
       {std::string("[[token]]\nname = \"a\"\nroles = [\"push\"]\n"),
        "[[token]]\nname = \"a\"\n" + sum, "[[token]]\nroles = [\"push\"]\n" + sum,
        "[[token]]\nname = \"a b\"\nroles = [\"push\"]\n" + sum,
        "[[token]]\nname = \"../a\"\nroles = [\"push\"]\n" + sum,
        "[[token]]\nname = \"a\"\nroles = []\n" + sum,
        "[[token]]\nname = \"a\"\nroles = [\"all\"]\n" + sum,
        "[[token]]\nname = \"a\"\nroles = [\"push\"]\nexpires = \"2030-01-01\"\n" + sum,
        "[[token]]\nname = \"a\"\nroles = [\"push\"]\nexpires = 2030-01-01T00:00:00\n" + sum,
        "[[token]]\nname = \"a\"\nroles = [\"push\"]\nuntil = 2030-01-01\n" + sum,
        std::string("[[token]]\nname = \"a\"\nroles = [\"push\"]\nsha256 = \"00\"\n"),
        std::string("[token]\nname = \"a\"\n"), std::string("other = 1\n"),
        std::string("[[token]\n")}) {
    const auto book = TokenBook::parse(text);
    ASSERT_FALSE(book) << text;
    EXPECT_EQ(book.error().code, base::Code::usage) << text;
    EXPECT_GE(book.error().place.line, 1U) << text;
  }
  EXPECT_EQ(book_of("").size(), 0U);
}

TEST(collect_tokens, a_new_one_is_found_by_what_is_said_of_it) {
  const auto made = make_new_token("edge-7", "shop"), other = make_new_token("edge-7", "");
  ASSERT_TRUE(made && other);
  EXPECT_EQ(made->token.size(), 43U);  // 256 bits in base64url
  EXPECT_NE(made->token, other->token);
  EXPECT_EQ(made->lines.find(made->token), std::string::npos);
  const TokenBook book = book_of(made->lines + other->lines);
  const auto found = book.find(made->token, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tenant, "shop");
  EXPECT_EQ(book.find(other->token, 0)->tenant, "");
}

TEST(collect_tokens, certificates_name_a_tenant_and_an_edge) {
  const auto caller = caller_of_name("tenant/shop/edge/a-1.b");
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->tenant, "shop");
  EXPECT_EQ(caller->name, "a-1.b");
  EXPECT_TRUE(caller->may(Role::push));
  EXPECT_FALSE(caller->may(Role::read));
  for (const std::string_view name :
       {"", "tenant/shop", "tenant//edge/a", "tenant/shop/edge/", "tenant/a/b/edge/c",
        "tenant/shop/edge/a/edge/b", "Tenant/shop/edge/a", "https://tenant/shop/edge/a",
        "tenant/sh op/edge/a", "tenant/../edge/a"})
    EXPECT_FALSE(caller_of_name(name)) << name;
}

}  // namespace
}  // namespace polytrace::collector
