// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/uploads.hpp"

#include <gtest/gtest.h>

#include "collector/foreign/profile_request.hpp"
#include "collector/hub/piece_head.hpp"
#include "collector/push/upload.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

const std::string kId = "00112233445566778899aabbccddeeff";

base::Bytes as_piece(std::string_view text) { return std::as_bytes(std::span(text)); }

UploadLimits small_limits(const test::TemporaryFolder& folder) {
  return {.folder = folder.file("uploads"),
          .bytes = 100,
          .bytes_of_owner = 60,
          .age = std::chrono::hours(1),
          .most = 4,
          .most_of_owner = 3};
}

UploadFault piece_fault(Uploads& uploads, const UploadName& name, std::uint64_t first) {
  const auto kept = uploads.append(name, first, as_piece("x"));
  EXPECT_FALSE(kept);
  return kept ? UploadFault::disk : kept.error().fault;
}

TEST(collect_uploads, pieces_follow_each_other_and_are_found_again) {
  const test::TemporaryFolder folder;
  const UploadName name{"shop", kId, 10};
  {
    auto uploads = Uploads::open(small_limits(folder));
    ASSERT_TRUE(uploads);
    EXPECT_EQ(uploads->append(name, 0, as_piece("abcd")), 4U);
    EXPECT_EQ(piece_fault(*uploads, name, 3), UploadFault::order);
    EXPECT_EQ(piece_fault(*uploads, name, 5), UploadFault::order);
  }
  auto uploads = Uploads::open(small_limits(folder));
  ASSERT_TRUE(uploads);
  EXPECT_EQ(uploads->size_of(name), 4U);
  EXPECT_EQ(uploads->size_of({"other", kId, 10}), 0U);
  EXPECT_EQ(uploads->size_of({"shop", kId, 11}), 0U);
  EXPECT_EQ(uploads->append(name, 4, as_piece("efghij")), 10U);
  EXPECT_EQ(test::content_of(uploads->path_of(name).string()), "abcdefghij");
  uploads->remove(name);
  EXPECT_EQ(uploads->count(), 0U);
  EXPECT_EQ(Uploads::open(small_limits(folder))->count(), 0U);
}

// Room is that of whole files: what has begun can end.
TEST(collect_uploads, are_bounded_by_number_and_by_size) {
  const test::TemporaryFolder folder;
  auto uploads = Uploads::open(small_limits(folder));
  ASSERT_TRUE(uploads);
  EXPECT_EQ(piece_fault(*uploads, {"a", kId, 61}, 0), UploadFault::too_large);
  EXPECT_TRUE(uploads->append({"a", kId, 58}, 0, as_piece("x")));
  EXPECT_EQ(piece_fault(*uploads, {"a", kId, 3}, 0), UploadFault::room);
  EXPECT_TRUE(uploads->append({"a", kId, 1}, 0, as_piece("x")));
  EXPECT_TRUE(uploads->append({"a", "f" + kId.substr(1), 1}, 0, as_piece("x")));
  EXPECT_EQ(piece_fault(*uploads, {"a", "e" + kId.substr(1), 1}, 0), UploadFault::room);
  EXPECT_EQ(piece_fault(*uploads, {"b", kId, 41}, 0), UploadFault::room);
  EXPECT_TRUE(uploads->append({"b", kId, 40}, 0, as_piece("x")));
  EXPECT_EQ(piece_fault(*uploads, {"c", kId, 1}, 0), UploadFault::room);
  EXPECT_EQ(uploads->bytes(), 4U);
}

TEST(collect_uploads, those_without_a_sender_go) {
  const test::TemporaryFolder folder;
  auto limits = small_limits(folder);
  limits.age = std::chrono::seconds(-1);
  auto uploads = Uploads::open(limits);
  ASSERT_TRUE(uploads);
  const UploadName held{"a", kId, 5}, other{"b", kId, 5};
  EXPECT_TRUE(uploads->append(held, 0, as_piece("x")));
  EXPECT_TRUE(uploads->append(other, 0, as_piece("x")));
  EXPECT_EQ(uploads->drop_old([&](const UploadName& name) { return name == held; }), 1U);
  EXPECT_EQ(uploads->size_of(held), 1U);
  EXPECT_FALSE(std::filesystem::exists(uploads->path_of(other)));
}

http::Request piece_request(const std::string& range, std::string body) {
  return {.method = "PUT",
          .target = "/v1/traces",
          .fields = {{std::string(kUploadField), kId}, {"Content-Range", range}},
          .body = std::move(body)};
}

TEST(collect_uploads, a_range_is_that_of_the_body) {
  const auto piece = parse_piece(piece_request("bytes 5-8/100", "abcd"));
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->id, kId);
  EXPECT_EQ(piece->first, 5U);
  EXPECT_EQ(piece->total, 100U);
  const auto question = parse_piece(piece_request("bytes */100", ""));
  ASSERT_TRUE(question);
  EXPECT_FALSE(question->first);
  for (const char* const range :
       {"", "bytes", "bytes 5-8", "bytes 5-8/", "bytes 5-8/x", "bytes 5-7/100", "bytes 5-9/100",
        "bytes 97-100/100", "bytes 8-5/100", "bytes -5-8/100", "bytes 5-8/0", "bytes */100",
        "bytes 18446744073709551615-2/100", "bytes 0-18446744073709551615/100", "items 5-8/100"})
    EXPECT_FALSE(parse_piece(piece_request(range, "abcd"))) << range;
  http::Request twice = piece_request("bytes 5-8/100", "abcd");
  twice.fields.push_back({"content-range", "bytes 5-8/100"});
  EXPECT_TRUE(is_piece(twice));
  EXPECT_FALSE(parse_piece(twice));
  EXPECT_FALSE(is_piece({.method = "PUT", .body = "abcd"}));
}

TEST(collect_uploads, a_query_is_read_as_it_was_written) {
  const PushQuery query{{{"service", "a b&c=d%/+\xc3\xa4"}, {"zone", ""}}, 12};
  const auto again = parse_push_query("/v1/traces?" + query_text(query));
  ASSERT_TRUE(again) << base::to_text(again.error());
  EXPECT_EQ(again->labels, query.labels);
  EXPECT_EQ(again->starts, query.starts);
  for (const char* const wrong : {"at=", "at=x", "at=-1", "at=0", "label=", "label=x", "lable=a:b"})
    EXPECT_FALSE(parse_push_query(std::string("/v1/traces?") + wrong)) << wrong;
}

// The names of the same file with other labels, and of other bytes, differ.
TEST(collect_uploads, a_name_is_that_of_bytes_and_labels) {
  const test::TemporaryFolder folder;
  const auto name = upload_id(folder.write("a", std::string(3'000'000, 'x')), "label=a:b");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->size(), 32U);
  EXPECT_EQ(*name,
            upload_id(folder.write("b", std::string(3'000'000, 'x')), "label=a:b").value_or(""));
  EXPECT_NE(*name, upload_id(folder.file("a"), "label=a:c").value_or(""));
  std::string other(3'000'000, 'x');
  other[1'500'000] = 'y';
  EXPECT_NE(*name, upload_id(folder.write("b", other), "label=a:b").value_or(""));
  EXPECT_FALSE(upload_id(folder.file("none"), ""));
}

}  // namespace
}  // namespace polytrace::collector
