// SPDX-License-Identifier: Apache-2.0
// Quick lines are read in a quick way, all others in a thorough one. A limit on the length of lines
// below what a quick one may have switches the quick way off: both have to say the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

constexpr std::size_t kNoQuickLines = 4095;

// Logs of samples and allocations: mostly sound, with whatever a line may have here and there, and
// now and then a byte that does not belong there.
class RandomLog {
 public:
  explicit RandomLog(std::uint64_t seed) : random_(seed) {}

  std::string make(std::size_t lines) {
    std::string log;
    for (std::size_t i = 0; i < lines; ++i) {
      std::string line = make_line();
      if (one_in(60)) line[random_() % line.size()] = " \t:x0f?\r\n\0"[random_() % 11];
      log += line;
    }
    return log + "prc cpu 1 1\n";
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }
  // Of any number of bits up to 64, few mostly.
  std::uint64_t number() {
    return random_() >> (one_in(30) ? random_() % 64 : 52 + random_() % 12);
  }
  std::string id() { return one_in(50) ? "?" : fmt::format("0x{:x}", number()); }
  std::string ip() { return one_in(300) ? fmt::format(":0x{:08X}", number()) : ""; }
  std::string time() { return fmt::format("{}", one_in(50) ? number() : now_ += random_() % 30); }

  std::string make_line() {
    const auto thread = static_cast<unsigned>(random_() % depths_.size());
    const auto name = one_in(40) ? fmt::format("0x{:x}", thread) : fmt::format("0x{:08X}", thread);
    if (one_in(100)) return depths_[thread] = 0, fmt::format("thr dst {}\n", name);
    if (one_in(5)) {
      std::string line = fmt::format("sam mem {} {}", name, time());
      for (auto i = random_() % 4; i > 0; --i)
        line += fmt::format(" {}:{}:{}{}", id(), number(), number(), ip());
      return line + '\n';
    }
    std::size_t& depth = depths_[thread];
    const std::size_t size = one_in(80) ? number() : depth;
    const std::size_t prefix = one_in(10) ? 0 : depth - std::min<std::size_t>(depth, random_() % 3);
    std::string line = fmt::format("sam str {} {} {} {}:{}{}", name, time(),
                                   one_in(20) ? number() : random_() % 3, prefix, size, ip());
    const std::size_t more = one_in(60) ? random_() % 130 : random_() % 4;
    for (std::size_t i = 0; i < more; ++i) line += fmt::format(" {}{}", id(), ip());
    depth = prefix + more;
    return line + (one_in(30) ? " \n" : "\n");
  }

  std::mt19937_64 random_;
  std::uint64_t now_ = 0;
  std::array<std::size_t, 9> depths_{};
};

Whole read(const std::string& log, std::size_t step, std::size_t longest) {
  const auto bytes = std::as_bytes(std::span(log));
  ReadHow how;
  how.step = step;
  how.longest_frame = longest;
  return read_whole({bytes.begin(), bytes.end()}, how);
}

void expect_same(const Whole& quick, const Whole& thorough) {
  ASSERT_EQ(quick.lines, thorough.lines);
  EXPECT_EQ(quick.tally.frames, thorough.tally.frames);
  EXPECT_EQ(quick.tally.frame_bytes, thorough.tally.frame_bytes);
  for (std::size_t i = 0; i < quick.tally.records.size(); ++i) {
    EXPECT_EQ(quick.tally.records[i].count, thorough.tally.records[i].count) << i;
    EXPECT_EQ(quick.tally.records[i].bytes, thorough.tally.records[i].bytes) << i;
  }
  EXPECT_EQ(quick.notices.bytes_lost(), thorough.notices.bytes_lost());
  const auto told = quick.notices.sorted();
  const auto wanted = thorough.notices.sorted();
  ASSERT_EQ(told.size(), wanted.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].code, wanted[i].code);
    EXPECT_EQ(told[i].count, wanted[i].count);
    EXPECT_EQ(told[i].first.line, wanted[i].first.line);
    EXPECT_EQ(told[i].first.offset, wanted[i].first.offset);
  }
}

TEST(tracelog_quick_lines, the_quick_way_says_what_the_thorough_one_says) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::string log = RandomLog(seed).make(seed % 6 == 0 ? 8000 : 300);
    const Whole thorough = read(log, 0, kNoQuickLines);
    EXPECT_GT(thorough.events, 100U);
    for (const std::size_t step : {0U, 97U, 5000U})
      expect_same(read(log, step, kNoQuickLines + 1), thorough);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace polytrace::format::test
