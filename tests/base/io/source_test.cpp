// SPDX-License-Identifier: Apache-2.0
#include "base/io/source.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <random>
#include <thread>

#include "base/codes.hpp"
#include "base/io/live_source.hpp"
#include "base/io/sink.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::base {
namespace {

using test::TemporaryFolder;

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Random words: compresses, but not to nothing.
std::string sample_text(std::size_t size) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < size) text += std::to_string(random() % 5000) + ' ';
  text.resize(size);
  return text;
}

std::vector<std::byte> gzip(std::string_view text) {
  std::vector<std::byte> packed;
  const auto sink = gzip_sink(memory_sink(packed));
  EXPECT_TRUE(sink->write(to_bytes(text)));
  EXPECT_TRUE(sink->commit());
  return packed;
}

std::vector<std::byte> zstd(std::string_view text) {
  std::vector<std::byte> packed(ZSTD_compressBound(text.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string read_all(Source& source, std::size_t piece = 4096) {
  std::string text;
  std::vector<std::byte> buffer(piece);
  for (;;) {
    const auto got = source.read(buffer);
    if (!got || *got == 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), *got);
  }
}

// What comes out of packed bytes, and why it ended.
struct Unpacked {
  std::string text;
  std::optional<Error> fault;
};
Unpacked unpack(std::vector<std::byte> packed, std::size_t step = 0, std::size_t piece = 4096) {
  const auto source = unwrap(memory_source(std::move(packed), step));
  Unpacked result{read_all(**source, piece), {}};
  result.fault = (*source)->end_fault();
  return result;
}

TEST(source, memory_comes_in_steps) {
  const auto source = memory_source(to_bytes("abcdefg"), 3);
  std::vector<std::byte> buffer(100);
  EXPECT_EQ(*source->read(buffer), 3U);
  EXPECT_EQ(source->stored_position(), 3U);
  EXPECT_EQ(*read_fully(*source, buffer), 4U);
  EXPECT_EQ(*source->read(buffer), 0U);
  EXPECT_EQ(source->stored_size(), 7U);
  EXPECT_FALSE(source->end_fault());
}

TEST(source, read_fully_stops_when_full) {
  const auto source = memory_source(to_bytes("abcdefg"), 2);
  std::vector<std::byte> buffer(3);
  EXPECT_EQ(*read_fully(*source, buffer), 3U);
  EXPECT_EQ(read_all(*source), "defg");
}

TEST(source, prepended_bytes_come_first) {
  const auto source = prepend(to_bytes("ab"), memory_source(to_bytes("cd")));
  EXPECT_EQ(read_all(*source, 1), "abcd");
}

TEST(source, plain_bytes_pass_through_unwrap) {
  for (const char* text : {"", "a", "abc", "\x1f", "(\xb5/", "plain text"}) {
    EXPECT_EQ(unpack(to_bytes(text)).text, text);
  }
}

TEST(source, compressed_streams_unpack_at_any_step) {
  const std::string text = sample_text(300'000);
  for (const auto& packed : {gzip(text), zstd(text)}) {
    for (const std::size_t step : {0U, 1U, 1000U}) {
      const Unpacked unpacked = unpack(packed, step);
      EXPECT_TRUE(unpacked.text == text) << step;
      EXPECT_FALSE(unpacked.fault);
    }
    EXPECT_TRUE(unpack(packed, 0, 1).text == text);
  }
}

TEST(source, members_in_a_row_are_one_stream) {
  const std::string text = sample_text(1000);
  for (const auto& packed : {gzip(text), zstd(text)}) {
    std::vector<std::byte> twice = packed;
    twice.insert(twice.end(), packed.begin(), packed.end());
    for (const std::size_t step : {0U, 1U}) {
      const Unpacked unpacked = unpack(twice, step);
      EXPECT_TRUE(unpacked.text == text + text);
      EXPECT_FALSE(unpacked.fault);
    }
  }
}

TEST(source, cut_compressed_stream_gives_what_inflates_and_says_so) {
  const std::string text = sample_text(3000);
  for (const auto& packed : {gzip(text), zstd(text)}) {
    for (std::size_t size = 4; size < packed.size(); ++size) {
      const std::vector<std::byte> cut(packed.begin(),
                                       packed.begin() + static_cast<std::ptrdiff_t>(size));
      const Unpacked unpacked = unpack(cut);
      EXPECT_TRUE(text.starts_with(unpacked.text));
      ASSERT_TRUE(unpacked.fault) << size;
      EXPECT_EQ(unpacked.fault->code, Code::compressed_truncated) << size;
      EXPECT_EQ(unpacked.fault->place.offset, size);
      EXPECT_EQ(unpack(cut, 1, 1).text.size(), unpacked.text.size()) << size;
    }
  }
}

TEST(source, damage_in_a_compressed_stream_gives_what_lies_before) {
  const std::string text = sample_text(200'000);
  for (auto packed : {gzip(text), zstd(text)}) {
    // The check sum at the end of a gzip member, the middle of a zstd frame.
    const bool is_gzip = packed[0] == std::byte{0x1f};
    const std::size_t at = is_gzip ? packed.size() - 6 : packed.size() / 2;
    for (std::size_t i = at; i < at + 4; ++i) packed[i] ^= std::byte{0xff};
    const Unpacked unpacked = unpack(packed);
    ASSERT_TRUE(unpacked.fault);
    EXPECT_EQ(unpacked.fault->code, Code::compressed_damaged);
    EXPECT_LE(unpacked.fault->place.offset, packed.size());
    EXPECT_TRUE(is_gzip ? unpacked.text == text : text.starts_with(unpacked.text));
  }
}

TEST(source, garbage_behind_a_gzip_member_is_told) {
  auto packed = gzip("abc");
  packed.insert(packed.end(), 20, std::byte{'x'});
  const Unpacked unpacked = unpack(packed);
  EXPECT_EQ(unpacked.text, "abc");
  ASSERT_TRUE(unpacked.fault);
  EXPECT_EQ(unpacked.fault->code, Code::compressed_damaged);
}

TEST(source, zstd_window_above_the_limit_is_refused) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 24);
  const std::string text = sample_text(10);
  std::vector<std::byte> packed(100);
  ZSTD_inBuffer from{text.data(), text.size(), 0};
  ZSTD_outBuffer to{packed.data(), packed.size(), 0};
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush);
  ZSTD_freeCCtx(context);
  packed.resize(to.pos);
  const auto source = unwrap(memory_source(packed), Limits{.zstd_window_log = 20});
  EXPECT_EQ(read_all(**source), "");
  ASSERT_TRUE((*source)->end_fault());
  EXPECT_EQ((*source)->end_fault()->code, Code::compressed_damaged);
}

TEST(source, file_is_read_to_its_end) {
  const TemporaryFolder folder;
  const std::string text = sample_text(100'000);
  const auto source = open_source(folder.write("file", text));
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->stored_size(), text.size());
  EXPECT_TRUE(read_all(**source) == text);
  EXPECT_EQ((*source)->stored_position(), text.size());
}

TEST(source, pipe_is_read_to_its_end) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text = sample_text(200'000);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << text; });
  const auto source = open_source(path);
  ASSERT_TRUE(source);
  EXPECT_FALSE((*source)->stored_size());
  EXPECT_TRUE(read_all(**source) == text);
  writer.join();
}

TEST(source, waiting_for_a_pipe_ends_when_it_is_told_to) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::atomic<bool> stop = true;
  const auto never = open_live_source(path, {}, &stop);
  ASSERT_TRUE(never);
  EXPECT_EQ(read_all(**never), "");
  stop = false;
  const std::string text = sample_text(200'000);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << text; });
  const auto source = open_live_source(path, {}, &stop);
  ASSERT_TRUE(source);
  EXPECT_TRUE(read_all(**source) == text);
  writer.join();
}

TEST(source, what_cannot_be_opened_is_open_failed) {
  const TemporaryFolder folder;
  const auto missing = open_source(folder.file("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::open_failed);
  EXPECT_FALSE(missing.error().detail.empty());
  const auto directory = open_source(folder.file(""));
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, Code::open_failed);
}

TEST(source, what_cannot_be_read_is_read_failed) {
  const auto source = open_source("/proc/self/mem");  // page 0 is never mapped
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, Code::read_failed);
}

TEST(source, growing_file_is_followed_until_stopped) {
  const TemporaryFolder folder;
  const std::string path = folder.write("growing", "first ");
  std::atomic<bool> stop = false;
  const auto source = open_source(path, {.stop_following = &stop});
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->stored_size(), std::nullopt) << "nobody knows";
  std::vector<std::byte> buffer(12);
  std::thread grower([&] { std::ofstream(path, std::ios::binary | std::ios::app) << "second"; });
  EXPECT_EQ(*read_fully(**source, buffer), 12U);
  grower.join();
  stop = true;
  EXPECT_EQ(*(*source)->read(buffer), 0U);
}

}  // namespace
}  // namespace polytrace::base
