// SPDX-License-Identifier: Apache-2.0
// CPU time of moving words of a segment into blocks, as an agent's writer thread does, with
// checksums.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "format/native/wire/sealing.hpp"
#include "format/native/wire/words.hpp"

namespace {

using namespace polytrace::format::native;

// Calls among 5000 methods, 20 to 275 ticks apart, up to 200 deep.
std::vector<std::uint64_t> some_calls(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> words(count);
  std::vector<std::uint64_t> open;
  std::uint64_t ticks = 0;
  for (std::uint64_t& word : words) {
    ticks += 20 + random() % 256;
    const bool enter = open.empty() || (open.size() < 200 && random() % 2 == 0);
    if (enter) open.push_back(random() % 5000);
    word = call_word(enter ? Word::enter : Word::leave, open.back(), ticks);
    if (!enter) open.pop_back();
  }
  return words;
}

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main() {
  constexpr std::size_t kWords = 1 << 22;
  constexpr int kRounds = 7;
  const auto words = some_calls(kWords);
  std::vector<std::byte> memory(64 * 1024);
  const auto encoder = std::make_unique<RecordEncoder>();
  double best = 1e9;
  std::size_t bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = seconds();
    SegmentWords segment(words.data(), static_cast<std::uint32_t>(words.size()), 0, 1);
    bytes = 0;
    while (segment.ready()) {
      encoder->begin(memory.data(), memory.size(), segment.next_tick(), segment.owner());
      if (!segment.move_to(*encoder)) return 1;
      BlockHeader header;
      encoder->describe(header);
      seal(header, encoder->payload());
      bytes += sizeof header + header.length;
    }
    best = std::min(best, seconds() - start);
  }
  const auto events = static_cast<double>(kWords);
  fmt::print("words to blocks: {:.2f} ns an event, {:.2f} bytes an event\n", best * 1e9 / events,
             static_cast<double>(bytes) / events);
}
