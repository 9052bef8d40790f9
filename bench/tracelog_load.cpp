// SPDX-License-Identifier: Apache-2.0
// What loading a trace log costs on one core, everything in memory: from the source to event
// batches, beside what merely finds the lines and the fields of the same bytes with SIMD. Both in
// turn. Prints JSON: medians in bytes and events per second of CPU, median of the ratios.
// usage: tracelog_load FILE RUNS
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <functional>

#include "format/format.hpp"

namespace {

namespace base = polytrace::base;
using Bytes = std::vector<std::byte>;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Bytes content_of(const char* path) {
  Bytes bytes;
  auto source = base::open_source(path);
  if (!source) return bytes;
  Bytes piece(1 << 20);
  for (;;) {
    const auto got = (*source)->read(piece);
    if (!got || *got == 0) return bytes;
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*got));
  }
}

// --- the bound ---

constexpr std::size_t kBlock = 64;

struct Marks {
  std::uint64_t ends = 0;        // of lines
  std::uint64_t separators = 0;  // of fields: blanks, colons and line ends
};

Marks marks_of(const char* block) {
  Marks marks;
#ifdef __SSE2__
  for (unsigned i = 0; i < kBlock; i += sizeof(__m128i)) {
    const auto text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    const auto is = [text](char c) { return _mm_cmpeq_epi8(text, _mm_set1_epi8(c)); };
    const auto bits = [](__m128i bytes) {
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(bytes)));
    };
    const __m128i ends = is('\n');
    marks.ends |= bits(ends) << i;
    marks.separators |= bits(_mm_or_si128(ends, _mm_or_si128(is(' '), is(':')))) << i;
  }
#else
  for (unsigned i = 0; i < kBlock; ++i) {
    const bool ends = block[i] == '\n';
    marks.ends |= std::uint64_t{ends} << i;
    marks.separators |= std::uint64_t{ends || block[i] == ' ' || block[i] == ':'} << i;
  }
#endif
  return marks;
}

// std::popcount is a call where the processor may lack the instruction.
std::uint64_t ones(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + (bits >> 2 & 0x3333333333333333U);
  return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fU) * 0x0101010101010101U >> 56;
}

// Where every field ends, and how many lines there are; in pieces that stay in the cache.
std::uint64_t split(const Bytes& bytes, std::vector<std::uint32_t>& fields) {
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  constexpr std::size_t kPiece = 256 * 1024;
  fields.resize(kPiece + kBlock);
  std::uint64_t lines = 0;
  for (std::size_t piece = 0; piece < bytes.size(); piece += kPiece) {
    std::uint32_t* to = fields.data();
    const std::size_t end = std::min(bytes.size(), piece + kPiece) / kBlock * kBlock;
    for (std::size_t at = piece; at < end; at += kBlock) {
      const Marks marks = marks_of(text + at);
      lines += ones(marks.ends);
      for (std::uint64_t left = marks.separators; left != 0; left &= left - 1)
        *to++ = static_cast<std::uint32_t>(at - piece) +
                static_cast<std::uint32_t>(std::countr_zero(left));
    }
    asm volatile("" : : "r"(fields.data()) : "memory");
  }
  return lines;
}

double split_seconds(const Bytes& bytes, std::vector<std::uint32_t>& fields, std::uint64_t& lines) {
  const double begun = cpu_seconds();
  lines = split(bytes, fields);
  return cpu_seconds() - begun;
}

// --- loading ---

// Bytes that somebody else keeps.
class View final : public base::Source {
 public:
  explicit View(const Bytes& bytes) : bytes_(bytes) {}
  base::result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - at_);
    std::memcpy(into.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::optional<std::uint64_t> stored_size() const override { return bytes_.size(); }
  std::uint64_t stored_position() const override { return at_; }

 private:
  const Bytes& bytes_;
  std::size_t at_ = 0;
};

std::uint64_t load(std::unique_ptr<base::Source> source) {
  auto opened = polytrace::format::open(std::move(source));
  if (!opened) return 0;
  std::uint64_t events = 0;
  polytrace::event::Batch batch;
  for (;;) {
    const auto more = opened->reader->next(batch);
    if (!more || !*more) return events;
    events += batch.events.size();
  }
}

// CPU seconds.
double load_seconds(const Bytes& bytes, std::uint64_t& events) {
  const double begun = cpu_seconds();
  events = load(std::make_unique<View>(bytes));
  return cpu_seconds() - begun;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Run {
  double split, load;
};

double median_of(const std::vector<Run>& runs, const std::function<double(const Run&)>& figure) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(figure(run));
  return median(std::move(values));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return fmt::print(stderr, "usage: tracelog_load FILE RUNS\n"), 2;
  const Bytes log = content_of(words[1]);
  std::vector<std::uint32_t> fields;
  std::vector<Run> runs;
  std::uint64_t lines = 0;
  std::uint64_t events = 0;
  for (int i = 0; i < std::max(1, std::atoi(words[2])); ++i) {
    Run run{};
    run.split = split_seconds(log, fields, lines);
    run.load = load_seconds(log, events);
    runs.push_back(run);
  }
  if (events == 0) return fmt::print(stderr, "no events\n"), 1;
  const auto size = static_cast<double>(log.size());
  fmt::print(
      "{{\"bytes\": {}, \"lines\": {}, \"events\": {}, \"load\": {:.0f}, \"events_per_second\": "
      "{:.0f}, \"split\": {:.0f}, \"load_of_split\": {:.3f}}}\n",
      log.size(), lines, events, median_of(runs, [&](const Run& r) { return size / r.load; }),
      median_of(runs, [&](const Run& r) { return static_cast<double>(events) / r.load; }),
      median_of(runs, [&](const Run& r) { return size / r.split; }),
      median_of(runs, [](const Run& r) { return r.split / r.load; }));
  return 0;
}
