// SPDX-License-Identifier: Apache-2.0
// Against XXH3-128 of what the header says, put together here.
#include "base/frames/fingerprint.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include "support/temporary_folder.hpp"

namespace polytrace::base {
namespace {

std::string noise(std::size_t size) {
  std::string text(size, '\0');
  std::uint64_t state = 1;
  for (char& one : text) one = static_cast<char>((state = state * 6364136223846793005U + 1) >> 56);
  return text;
}

std::string hash_of(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::string hex;
  for (const unsigned char one : canonical.digest) {
    char text[3];
    snprintf(text, sizeof text, "%02x", one);
    hex += text;
  }
  return hex;
}

std::string told(const std::string& content, std::uint64_t size) {
  const polytrace::test::TemporaryFolder folder;
  const int fd = open(folder.write("file", content).c_str(), O_RDONLY | O_CLOEXEC);
  const auto made = fingerprint(fd, size);
  close(fd);
  return made ? to_hex(*made) : "error";
}

std::string with_size(std::uint64_t size, const std::string& bytes) {
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + bytes;
}

TEST(fingerprint, is_of_all_of_a_small_file) {
  for (const std::size_t size : {0U, 1U, 5000U, 384'000U}) {
    const std::string content = noise(size);
    EXPECT_EQ(told(content, size), hash_of(with_size(size, content))) << size;
  }
}

TEST(fingerprint, is_of_the_ends_and_62_pieces_of_a_large_one) {
  const std::string content = noise(3'000'000);
  std::string pieces = content.substr(0, 65536);
  const std::size_t step = (3'000'000 - 2 * 65536 - 4096) / 61;
  for (std::size_t i = 0; i < 62; ++i) pieces += content.substr(65536 + i * step, 4096);
  pieces += content.substr(3'000'000 - 65536);
  EXPECT_EQ(told(content, 3'000'000), hash_of(with_size(3'000'000, pieces)));
}

TEST(fingerprint, of_a_part_is_that_of_a_file_that_ends_there) {
  const std::string content = noise(1'000'000);
  EXPECT_EQ(told(content, 600'000), told(content.substr(0, 600'000), 600'000));
  EXPECT_NE(told(content, 600'000), told(content, 600'001));
  EXPECT_EQ(told(content, 1'000'001), "error");
}

}  // namespace
}  // namespace polytrace::base
