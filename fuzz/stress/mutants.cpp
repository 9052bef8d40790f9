// SPDX-License-Identifier: Apache-2.0
// mutants [COUNT]: reads COUNT (10,000) damaged copies of the real recordings. Fails when one is
// read for longer than twice the clean recording and 100 ms, or loses a byte in silence. A crash is
// the sanitizers' to tell: the copy is then the last one named on standard error.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "format/samples.hpp"
#include "format/whole.hpp"
#include "support/mutate.hpp"

namespace polytrace::format::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Count {
  std::size_t read = 0;
  std::size_t refused = 0;
  std::size_t slow = 0;
  std::size_t silent = 0;
};

Clock::duration time_of(const std::vector<std::byte>& bytes, Whole& whole, bool resync) {
  const auto start = Clock::now();
  whole = read_whole(bytes, {.resync = resync, .text = false});
  return Clock::now() - start;
}

void read_mutants(const Sample& sample, std::size_t copies, std::uint64_t seed, Count& count) {
  const auto clean = content(sample);
  Whole whole;
  const auto limit = 2 * time_of(clean, whole, false) + std::chrono::milliseconds(100);
  std::mt19937_64 engine(seed);
  for (std::size_t i = 0; i < copies; ++i) {
    const auto bytes = polytrace::test::mutate(clean, engine);
    const auto took = time_of(bytes, whole, i % 2 == 0);
    ++(whole.open_error ? count.refused : count.read);
    const bool slow = took > limit;
    const bool silent = !whole.open_error && whole.accounted() != bytes.size();
    count.slow += slow;
    count.silent += silent;
    if (slow || silent)
      fmt::print(stderr, "{} copy {}: {}\n", sample.name, i, slow ? "slow" : "bytes lost");
  }
}

int run(std::size_t total) {
  Count count;
  for (const Format* format : formats()) {
    const auto files = samples(format->name, format->suffix);
    for (std::size_t i = 0; i < files.size(); ++i)
      read_mutants(files[i], total / files.size() + 1, i, count);
  }
  fmt::print("{} damaged copies read, {} refused; {} too slow, {} lost bytes in silence\n",
             count.read, count.refused, count.slow, count.silent);
  return count.read == 0 || count.slow + count.silent > 0 ? 1 : 0;
}

}  // namespace
}  // namespace polytrace::format::test

int main(int count, char** arguments) {
  const unsigned long total = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 10'000;
  return polytrace::format::test::run(total);
}
