// SPDX-License-Identifier: Apache-2.0
// Heap dumps that are too long for case files.
#include <gtest/gtest.h>

#include "base/codes.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void put(Bytes& bytes, T value) {
  for (std::size_t i = sizeof value; i-- != 0;)
    bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

void put_head(Bytes& bytes) {
  for (const char letter : std::string_view("JAVA PROFILE 1.0.2\0", 19))
    bytes.push_back(static_cast<std::byte>(letter));
  put<std::uint32_t>(bytes, 8);
  put<std::uint64_t>(bytes, 0);
}

void put_record(Bytes& bytes, std::uint8_t tag, const Bytes& body) {
  put(bytes, tag);
  put<std::uint32_t>(bytes, 0);
  put(bytes, static_cast<std::uint32_t>(body.size()));
  bytes.insert(bytes.end(), body.begin(), body.end());
}

constexpr std::uint32_t kLength = 300'000;  // of arrays: 2.4 MB

// An array of references to 0x50, 0x51 ..., one of numbers, and a root behind them.
Bytes long_arrays() {
  Bytes parts;
  put<std::uint8_t>(parts, 0x22);
  put<std::uint64_t>(parts, 0x10);
  put<std::uint32_t>(parts, 0);
  put(parts, kLength);
  put<std::uint64_t>(parts, 0x300);
  for (std::uint64_t i = 0; i < kLength; ++i) put(parts, 0x50 + i);
  put<std::uint8_t>(parts, 0x23);
  put<std::uint64_t>(parts, 0x20);
  put<std::uint32_t>(parts, 0);
  put(parts, kLength);
  put<std::uint8_t>(parts, 11);
  parts.resize(parts.size() + kLength * std::size_t{8});
  put<std::uint8_t>(parts, 0x05);
  put<std::uint64_t>(parts, 0x30);
  Bytes bytes;
  put_head(bytes);
  put_record(bytes, 0x1c, parts);
  put_record(bytes, 0x2c, {});
  return bytes;
}

bool begins(const std::string& line, std::string_view text) { return line.starts_with(text); }

TEST(hprof, long_arrays_come_in_pieces) {
  const Bytes bytes = long_arrays();
  for (const std::size_t step : {0UL, 1000UL, 1UL << 20}) {
    const Whole whole = read_whole(bytes, {.step = step});
    EXPECT_EQ(whole.accounted(), bytes.size());
    EXPECT_TRUE(whole.notices.empty());
    ASSERT_EQ(whole.lines.size(), 10U);  // head, dump, three pieces, numbers, root, end
    EXPECT_TRUE(begins(whole.lines[3],
                       "0 - dump_object object=0x10 class_id=0x300 size=1200016 "
                       "refs=[0:0x50,8:0x51,"));
    EXPECT_TRUE(begins(whole.lines[4],
                       "0 - dump_object object=0x10 class_id=0x300 refs=["
                       "1048576:0x20050,"));
    EXPECT_TRUE(whole.lines[5].ends_with(",2399992:0x4942f]")) << whole.lines[5].substr(0, 80);
    EXPECT_EQ(whole.lines[6], "0 - class class=0xffffffffffffff0b life=name name=\"long[]\"");
    EXPECT_EQ(whole.lines[7],
              "0 - dump_object object=0x20 class_id=0xffffffffffffff0b size=2400016 refs=[]");
    EXPECT_EQ(whole.lines[8], "0 - root object=0x30 type=\"sticky class\"");
  }
}

TEST(hprof, long_arrays_that_are_cut_are_told) {
  const Bytes bytes = long_arrays();
  for (const std::size_t size : {100UL, 1'500'003UL, 2'400'100UL, 4'000'000UL}) {
    const Whole whole = read_whole(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(size)));
    EXPECT_EQ(whole.accounted(), size);
    EXPECT_NE(whole.notices.find(base::Code::frame_truncated), nullptr);
  }
}

TEST(hprof, a_record_beyond_the_limit_is_left_out) {
  Bytes bytes;
  put_head(bytes);
  put_record(bytes, 0x01, Bytes((std::size_t{16} << 20) + 1));
  put_record(bytes, 0x0b, Bytes(4));
  const Whole whole = read_whole(bytes);
  EXPECT_EQ(whole.accounted(), bytes.size());
  ASSERT_NE(whole.notices.find(base::Code::frame_length), nullptr);
  EXPECT_EQ(whole.lines.back(), "0 - thread thread=0x0 life=end");
}

// A few bytes can name a long stack often.
TEST(hprof, stacks_are_repeated_within_a_limit) {
  Bytes bytes, trace, samples;
  constexpr std::uint32_t kFrames = 60'000, kSamples = 1000;
  for (const std::uint32_t number : {1U, 0U, kFrames}) put(trace, number);
  for (std::uint64_t i = 0; i < kFrames; ++i) put(trace, i);
  put(samples, kSamples);
  put(samples, kSamples);
  for (std::uint32_t i = 0; i < kSamples; ++i) put<std::uint32_t>(samples, 1), put(samples, 1U);
  put_head(bytes);
  put_record(bytes, 0x05, trace);
  put_record(bytes, 0x0d, samples);
  const Whole whole = read_whole(bytes, {.text = false});
  EXPECT_EQ(whole.events, kSamples + 2);
  ASSERT_NE(whole.notices.find(base::Code::limit_exceeded), nullptr);
  EXPECT_GT(whole.notices.find(base::Code::limit_exceeded)->count, kSamples - 20);
}

}  // namespace
}  // namespace polytrace::format::test
