// SPDX-License-Identifier: Apache-2.0
// Makes a trace log of a sampled program as CoreProfiler would write it: 3,000 functions, five
// threads that move through stacks of about twenty frames, a tick every 10 ms. How often frames go
// and come is as in tests/data/tracelog/app64.trace.log. usage: tracelog_generate MEGABYTES OUTPUT
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

#include "base/io/sink.hpp"

namespace {

namespace base = polytrace::base;

constexpr unsigned kThreads = 5;
constexpr unsigned kClasses = 400;
constexpr unsigned kFunctions = 3000;
constexpr std::size_t kUsualDepth = 20;
constexpr std::size_t kDeepest = 32;
constexpr std::uint64_t kFirstAddress = 0x00007f2a17000000;

class Generator {
 public:
  explicit Generator(base::Sink& sink) : sink_(sink) {}

  bool define() {
    put("prf stm 2018-04-10 21:25:53.417\nprf cfg CollectionMethod Sampling\n");
    put("prf cfg SamplingTimeoutMs 10\nprf cfg HighGranularityEnabled T\n");
    put("fun nam 0x00000000 \"<UNMANAGED>\" \"\" \"\"\nfun nam 0x00000001 \"<JIT>\" \"\" \"\"\n");
    for (unsigned i = 0; i < kThreads; ++i)
      put("thr crt 0x{:016X} 0x{:08X}\nthr aos 0x{:08X} {}\n", address(i), i, i, 4200 + i);
    for (unsigned i = 0; i < kClasses; ++i)
      put("cls ldf 0x{:016X} 0x{:08X} 0x{:016X} 0x{:08X} 0x00000000\ncls nam 0x{:08X} "
          "\"Shop.Orders.Class{}\"\n",
          address(0x1000 + i), i, address(0x100), 0x02000001 + i, i, i);
    for (unsigned i = 2; i < kFunctions; ++i) define_function(i);
    return flush();
  }

  // One tick: a sample of every thread, here and there with its allocations.
  bool tick() {
    now_ += 10;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      sample(thread);
      if (random_() % 20 == 0) allocate(thread);
    }
    if (now_ % 100 == 0) put("prc cpu {} {}\n", now_, random_() % 200'000);
    return text_.size() < kPiece || flush();
  }
  std::uint64_t written() const { return written_ + text_.size(); }
  bool flush() {
    written_ += text_.size();
    const auto done = sink_.write(std::as_bytes(std::span(text_.data(), text_.size())));
    text_.clear();
    return done.has_value();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 20;

  static std::uint64_t address(std::uint64_t number) { return kFirstAddress + number * 0x140; }
  template <class... T>
  void put(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }
  void define_function(unsigned i) {
    put("fun inf 0x{0:08X} 0x{1:016X} 0x{2:016X} 0x{3:016X} 0x{4:08X} 0x{5:016X}:0x{6:x} "
        "0xfffffffe:0x0:0xc 0x0:0xc:0x{6:x}\n",
        i, address(0x4000 + i), address(0x1000 + i % kClasses), address(0x100), 0x06000001 + i,
        address(0x8000 + i), 0x40 + i % 0xff);
    put("fun nam 0x{:08X} \"Shop.Orders.Class{}::operation{}\" \"System.Int32\" "
        "\"(System.Int32)\"\n",
        i, i % kClasses, i);
  }
  // Of 0 to 3, as often as the numbers say, in hundredths.
  unsigned draw(const std::array<unsigned, 3>& upto) {
    const auto drawn = static_cast<unsigned>(random_() % 100);
    unsigned value = 0;
    while (value < upto.size() && drawn >= upto[value]) ++value;
    return value;
  }
  void sample(unsigned thread) {
    auto& depth = depths_[thread];
    const std::size_t before = depth;
    depth -= std::min<std::size_t>(depth, draw({64, 93, 98}));
    const std::size_t kept = depth;
    std::size_t more = draw({62, 92, 98});
    if (before == 0) more = kUsualDepth;
    else if (kept < kUsualDepth / 2) more += 1;
    else if (kept + more > kDeepest) more = 0;
    depth += more;
    const unsigned ticks = random_() % 16 == 0 ? 2 : 1;
    put("sam str 0x{:08X} {} {} {}:{}", thread, now_, ticks, kept, before);
    for (std::size_t i = 0; i < more; ++i) put(" 0x{:x}", 2 + random_() % (kFunctions - 2));
    put("\n");
  }
  void allocate(unsigned thread) {
    put("sam mem 0x{:08X} {}", thread, now_);
    for (std::uint64_t i = random_() % 3; i <= 2; ++i)
      put(" 0x{:x}:{}:{}", random_() % kClasses, 1 + random_() % 40, 24 * (1 + random_() % 90));
    put("\n");
  }

  base::Sink& sink_;
  fmt::memory_buffer text_;
  std::uint64_t written_ = 0;
  std::uint64_t now_ = 0;
  std::mt19937_64 random_{1};  // NOLINT: the same log every time
  std::array<std::size_t, kThreads> depths_{};
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) return fmt::print(stderr, "usage: tracelog_generate MEGABYTES OUTPUT\n"), 2;
  auto sink = base::create_sink(words[2], true);
  if (!sink) return fmt::print(stderr, "{}\n", base::to_text(sink.error())), 1;
  const auto wanted = static_cast<std::uint64_t>(1e6 * std::strtod(words[1], nullptr));
  Generator generator(**sink);
  bool good = generator.define();
  while (good && generator.written() < wanted) good = generator.tick();
  return good && generator.flush() && (*sink)->commit() ? 0 : 1;
}
