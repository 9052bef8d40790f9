// SPDX-License-Identifier: Apache-2.0
// Any bytes as history.bin: it opens or says why not, and every query ends. Half of the inputs are
// believed without their checksums, so that the fuzzer gets past these.
#include "history/history.hpp"

#include "support/require.hpp"

namespace {

using namespace polytrace;
using history::Interval;
using history::Tick;

// More intervals than bytes and keys can make would be a walk in circles.
class Bounded {
 public:
  explicit Bounded(std::size_t most) : most_(most) {}
  bool operator()(const Interval& interval) {
    fuzz::require(interval.start <= interval.end);
    fuzz::require(++count_ <= most_);
    return true;
  }

 private:
  std::size_t most_;
  std::size_t count_ = 0;
};

void ask(const history::History& history, std::size_t size) {
  const history::Facts& facts = history.facts();
  constexpr std::size_t kMostKeys = 64;
  const std::size_t bits = size * 8 + 1024;
  (void)history.tree();
  (void)history.full(facts.start, Bounded(bits));
  (void)history.full(facts.end, Bounded(bits));
  std::size_t asked = 0;
  for (const history::Key key : history.keys()) {
    if (++asked > kMostKeys) break;
    Bounded forward(bits);
    Bounded backward(bits);
    (void)history.range(key, facts.start, facts.end, forward);
    (void)history.range(key, facts.end, facts.start, backward);
    const Tick middle = facts.start / 2 + facts.end / 2;
    (void)history.next_change(key, middle);
    (void)history.previous_change(key, middle);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMostInflated = std::uint64_t{16} << 20;
  const history::OpenOptions options{.trust_content = size % 2 == 0,
                                     .most_inflated = kMostInflated};
  const auto opened = history::History::open_bytes(fuzz::bytes_of(data, size), options);
  if (opened) ask(*opened, size);
  return 0;
}
