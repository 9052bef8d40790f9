// SPDX-License-Identifier: Apache-2.0
// States of the recordings under tests/data. What is expected was worked out from the events that
// `polytrace cat` prints of them; the comments quote those.
#include <filesystem>

#include "analysis/derived.hpp"
#include "format/format.hpp"

namespace polytrace::test {
namespace {

Derived derive_file(const std::string& path) {
  return Derived([&](analysis::States& states) {
    auto source = base::open_source(path);
    ASSERT_TRUE(source);
    auto opened = format::open(std::move(*source));
    ASSERT_TRUE(opened) << path;
    event::pump(*opened->reader, states);
  });
}
Derived derive_sample(const std::string& name) {
  return derive_file(std::string(POLYTRACE_TEST_DATA) + "/" + name);
}

TEST(states_of_samples, are_taken_by_the_builder_without_exception) {
  int count = 0;
  for (const char* folder : {"mlpd", "tbf", "trcxml", "tracelog", "monoblock"}) {
    const std::filesystem::path all = std::filesystem::path(POLYTRACE_TEST_DATA) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(all)) {
      const std::string path = entry.path().string();
      const bool is_text =
          path.ends_with(".json") || path.ends_with(".txt") || path.ends_with(".py");
      if (!entry.is_regular_file() || is_text) continue;
      SCOPED_TRACE(path);
      const Derived derived = derive_file(path);  // verifies the history
      EXPECT_TRUE(derived.notices().empty());
      EXPECT_EQ(derived.history().facts().start, derived.extent().first);
      EXPECT_EQ(derived.history().facts().end, derived.extent().last);
      ++count;
    }
  }
  EXPECT_GE(count, 30);
}

//   1000030 0x3e9 domain                         the first event of a thread
//   1005490 0x3e9 enter method=0x1               "Main (string[])"
//   1005497 0x3e9 enter method=0x2               "Fib (int)"
//   1005500 0x3e9 enter method=0x2
//   1005630 0x3e9 leave method=0x2
//   1005639 0x3e9 leave method=0x2
//   1005643 0x3e9 enter method=0x40              "Größe ()"
//   1005648 0x3e9 enter method=0x1fff            "Concat (string,string)"
//   1025648 leaves it, 1025649 .. 1025651 "Substring (int,int)", 1025657 leaves 0x40,
//   1026836 leaves 0x1, 1026841 the thread ends.
TEST(states_of_samples, calls_of_monoblock) {
  const Derived derived = derive_sample("monoblock/review.mprof");
  EXPECT_EQ(derived.over_time("Threads/0x3e9/Stack/1"),
            "1000030 null; 1005490 Main (string[]); 1026836 null");
  EXPECT_EQ(derived.over_time("Threads/0x3e9/Stack/2"),
            "1000030 null; 1005497 Fib (int); 1005639 null; 1005643 Größe (); 1025657 null");
  EXPECT_EQ(derived.over_time("Threads/0x3e9/Stack/3"),
            "1000030 null; 1005500 Fib (int); 1005630 null; 1005648 Concat (string,string); "
            "1025648 null; 1025649 Substring (int,int); 1025651 null");
  // world_stopped 1025682 to world_started 1026294, also for the other thread were it not at its
  // end.
  EXPECT_EQ(derived.over_time("Threads/0x3e9/Status"),
            "1000030 unknown; 1025682 paused; 1026294 unknown; 1026841 ended");
  EXPECT_EQ(derived.over_time("Threads/0x7d2/Status"),
            "1000030 null; 1009001 unknown; 1009033 blocked; 1009933 unknown; 1010015 ended");
}

//   1025667 stop_world, 1025682 world_stopped, 1025683 start, 1025685 .. 1026085 mark,
//   1026086 .. 1026286 sweep, 1026286 heap_size total=1048576, 1026289 end, 1026290 start_world,
//   1026294 world_started
//   1042000 census class=0x3 objects=1 bytes=32, class=0x2 objects=1 bytes=48 (2 unreachable)
TEST(states_of_samples, memory_of_monoblock) {
  const Derived derived = derive_sample("monoblock/review.mprof");
  EXPECT_EQ(derived.over_time("Collector/Phase"),
            "1000030 null; 1025667 stopping; 1025682 stopped; 1025683 collecting; 1025685 marking; "
            "1026085 collecting; 1026086 sweeping; 1026286 collecting; 1026289 stopped; "
            "1026290 restarting; 1026294 idle");
  EXPECT_EQ(derived.over_time("Heap/Total"), "1000030 null; 1026286 1048576");
  EXPECT_EQ(derived.over_time("Objects/Demo.Node/Bytes"), "1000030 null; 1042000 32");
  EXPECT_EQ(derived.over_time("Objects/System.String/Live"), "1000030 null; 1042000 1");
  // 1005490 32 and 46, 1005643 24 and 4112, 1005648 80, 1026294 136, 1026334 30.
  EXPECT_EQ(derived.at(1060000, "Threads/0x3e9/Allocated"), "4460");
  EXPECT_EQ(derived.over_time("Monitors/0x7f0000001000/Waiting"),
            "1000030 null; 1009033 0x7d2; 1009933 null");
  EXPECT_EQ(derived.at(1009033, "Monitors/0x7f0000001000/Class"), "System.Object");
  EXPECT_EQ(derived.over_time("Recording"), "1000030 running; 1060000 ended");
}

// Of .cat lines with " monitor ":
//   3852532639675 0x7fdca03fb6c0 contended     3852534756758 acquired
//   3852532674812 0x7fdc937fe6c0 contended     3852533643853 acquired
//   3852533714348 0x7fdca05fc6c0 contended     3852536994094 acquired
// all of object 0x7fdca4000498; no other thread has one between 3852533714348 and 3852534756758.
TEST(states_of_samples, contention_in_mlpd) {
  const Derived derived = derive_sample("mlpd/locks.mlpd");
  const history::Tick then = 3852534000000;
  EXPECT_EQ(derived.at(then, "Threads/0x7fdca03fb6c0/Status"), "blocked");
  EXPECT_EQ(derived.at(then, "Threads/0x7fdc937fe6c0/Status"), "unknown");
  EXPECT_EQ(derived.at(then, "Threads/0x7fdca05fc6c0/Status"), "blocked");
  EXPECT_EQ(derived.at(then, "Threads/0x7fdca05fc6c0/Waits for"), "0x7fdca4000498");
  EXPECT_EQ(derived.at(then, "Threads/0x7fdca05fc6c0/Name"), "worker-0");
  EXPECT_EQ(derived.at(then, "Monitors/0x7fdca4000498/Owner"), "0x7fdc937fe6c0");
  EXPECT_EQ(derived.at(3852534756758, "Monitors/0x7fdca4000498/Owner"), "0x7fdca03fb6c0");
  EXPECT_EQ(derived.at(3852534756758, "Threads/0x7fdca03fb6c0/Status"), "unknown");
  // clock wall=1795249938000000000 at 3852520398109
  EXPECT_EQ(derived.extent().clock_offset, 1795249938000000000 - 3852520398109);
}

//   ...0590825 0x2 enter method=0xc9, "sell" of org.example.Shop    ...0662296 0x2 leave
//   ...0808906 0x3 wait object=0x3e9 stage=start   ...0847025 stage=end
//   0x3 is then in 0xca 0xc9 0xd2 0xdd 0xc8
//   ...11081767 gc start                           ...11248952 gc end, heap_size used=1048576
TEST(states_of_samples, of_tbf) {
  for (const char* name : {"tbf/shop_little.trcbin", "tbf/shop_big.trcbin"}) {
    const Derived derived = derive_sample(name);
    const history::Tick base = 1185890426000000000;
    EXPECT_EQ(derived.at(base + 600000, "Threads/0x2/Method"), "org.example.Shop.sell ()");
    EXPECT_EQ(derived.at(base + 662296, "Threads/0x2/Method"), "null");
    EXPECT_EQ(derived.at(base + 820000, "Threads/0x3/Status"), "waiting");
    EXPECT_EQ(derived.at(base + 820000, "Threads/0x3/Waits for"), "0x3e9");
    EXPECT_EQ(derived.at(base + 820000, "Threads/0x3/Stack"), "5");
    EXPECT_EQ(derived.at(base + 820000, "Threads/0x3/Stack/5"), "org.example.Shop.-init- ()");
    EXPECT_EQ(derived.at(base + 847025, "Threads/0x3/Status"), "unknown");
    EXPECT_EQ(derived.at(base + 1000000, "Threads/0x3/Name"), "Kasse-Ä");
    // contended owner=0x1 at 2054205, acquired at 2090538
    EXPECT_EQ(derived.at(base + 2060000, "Monitors/0x3e9/Owner"), "0x1");
    EXPECT_EQ(derived.at(base + 2090538, "Monitors/0x3e9/Owner"), "null");
    EXPECT_EQ(derived.at(base + 11100000, "Threads/0x2/Status"), "paused");
    EXPECT_EQ(derived.at(base + 11248952, "Threads/0x2/Status"), "unknown");
    EXPECT_EQ(derived.at(base + 11248952, "Heap/Used"), "1048576");
  }
}

//   100000000 0x0 cpu scope=thread used=33609000, 200000000 .. used=82513000
//   60000000 jit stage=start, 69000000 jit stage=end
//   78000000 0x0 sample stack=[0x2,0xa,0x57], then stack=[0x2,0xa]
//   350000000 gc start generation=0, 351000000 gc end; census class=0x17 objects=217 bytes=5208
TEST(states_of_samples, of_tracelog) {
  const Derived derived = derive_sample("tracelog/app64.trace.log");
  EXPECT_EQ(derived.at(150000000, "Threads/0x0/CPU"), "33609000");
  EXPECT_EQ(derived.at(200000000, "Threads/0x0/CPU"), "116122000");
  EXPECT_EQ(derived.at(65000000, "JIT/Compiling"), "1");
  EXPECT_EQ(derived.at(69000000, "JIT/Compiling"), "0");
  EXPECT_EQ(derived.at(69000000, "JIT/Compiled"), "2");
  EXPECT_EQ(derived.at(78000000, "Threads/0x0/Sampled"), "2");
  EXPECT_EQ(derived.at(20000000, "Threads/0x0/Sampled/1"), "System.Renderer::set_Item ()");
  EXPECT_EQ(derived.at(350000000, "Collector/Reason"), "induced");
  EXPECT_EQ(derived.at(350000000, "Threads/0x0/Status"), "paused");
  EXPECT_EQ(derived.at(351000000, "Threads/0x0/Status"), "unknown");
}

}  // namespace
}  // namespace polytrace::test
