// SPDX-License-Identifier: Apache-2.0
// Thousands of damaged copies of the real recordings: none crashes the reader, none loses a byte in
// silence, none makes more events than it has bytes.
#include <gtest/gtest.h>

#include <random>

#include "format/samples.hpp"
#include "format/whole.hpp"
#include "support/long.hpp"
#include "support/mutate.hpp"

namespace polytrace::format::test {
namespace {

const std::size_t kMutants = polytrace::test::is_long() ? 10'000 : 1'000;
constexpr std::size_t kGroups = 20;  // so that shards share the work

void check(std::vector<std::byte> bytes, bool resync) {
  const std::size_t size = bytes.size();
  const Whole whole = read_whole(std::move(bytes), {.resync = resync, .text = false});
  if (whole.open_error) return;  // nothing of it was taken for a trace
  EXPECT_EQ(whole.accounted(), size);
  EXPECT_LE(whole.events, size + 2);  // and two that tell the header
}

class mutants : public testing::TestWithParam<std::size_t> {};

TEST_P(mutants, lose_nothing_in_silence) {
  std::size_t count = 0;
  for (const Format* format : formats()) {
    const auto files = samples(format->name, format->suffix);
    for (std::size_t i = GetParam(); i < files.size(); i += kGroups) {
      const auto clean = content(files[i]);
      std::mt19937_64 engine(i);
      for (std::size_t left = kMutants / files.size() + 1; left > 0; --left) {
        const auto number = ++count;
        SCOPED_TRACE(files[i].name + " mutant " + std::to_string(number));
        check(polytrace::test::mutate(clean, engine), number % 2 == 0);
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(group, mutants, testing::Range(std::size_t{0}, kGroups));

}  // namespace
}  // namespace polytrace::format::test
