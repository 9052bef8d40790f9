// SPDX-License-Identifier: Apache-2.0
// States that are sums and figures: of threads, objects, the heap, the compiler, counters.
#include "analysis/derived.hpp"
#include "base/codes.hpp"

namespace polytrace::test {
namespace {

TEST(states_figures, sums_of_threads) {
  const Derived derived = derive(R"(1 0x1 alloc class=0xc size=8
2 0x1 alloc class=0xc size=16
3 0x1 alloc_summary class=0xc count=10 bytes=100
4 0x1 throw object=0x9
5 0x1 cpu scope=thread used=7
6 0x1 cpu scope=thread used=5
6 0x1 cpu scope=process used=20
7 0x1 cpu scope=thread used=-1 bogus=1
8 0x2 enter method=0x1 cpu=30
9 0x2 leave method=0x1 cpu=50
10 0x2 lost records=3
11 0x2 lost records=4 bytes=9
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Allocations"), "1 1; 2 2; 3 12");
  EXPECT_EQ(derived.over_time("Threads/0x1/Allocated"), "1 8; 2 24; 3 124");
  EXPECT_EQ(derived.over_time("Threads/0x1/Exceptions"), "1 null; 4 1");
  EXPECT_EQ(derived.over_time("Threads/0x1/CPU"), "1 null; 5 7; 6 12");
  EXPECT_EQ(derived.over_time("Threads/0x2/CPU"), "1 null; 8 30; 9 50");
  EXPECT_EQ(derived.over_time("Process/CPU"), "1 null; 6 20");
  EXPECT_EQ(derived.over_time("Lost"), "1 null; 10 3; 11 7");
  EXPECT_EQ(derived.over_time("Lost/Bytes"), "1 null; 11 9");
}

TEST(states_figures, of_counters) {
  const Derived derived = derive(
      R"(1 0x1 counter_def counter=0x1 section=256 name="methods" type=int32 unit=raw
1 0x1 counter_def counter=0x2 section_name="App" name="load" type=real unit=raw
1 0x1 counter_def counter=0x3 section_name="App" name="mixed" type=string unit=raw
1 0x1 counter_def counter=0x4 section_name="App" name="never" type=string unit=raw
10 0x1 counter counter=0x1 type=int32 number=5
10 0x1 counter counter=0x2 type=real real=0.5
10 0x1 counter counter=0x3 type=string text="a"
20 0x1 counter counter=0x1 type=int32 number=-6
20 0x1 counter counter=0x3 type=int64 number=7
30 0x1 counter counter=0x5 type=uint64 number=-1
)");
  EXPECT_EQ(derived.over_time("Counters/Mono JIT/methods"), "1 null; 10 5; 20 -6");
  EXPECT_EQ(derived.over_time("Counters/App/load"), "1 null; 10 0.5");
  EXPECT_EQ(derived.over_time("Counters/App/mixed"), "1 null; 10 a; 20 7");
  EXPECT_EQ(derived.children("Counters/App"), "load mixed");
  // The largest number that a state can be, which is told.
  EXPECT_EQ(derived.over_time("Counters/undefined/0x5"), "1 null; 30 9223372036854775807");
  ASSERT_NE(derived.notices().find(base::Code::number_clamped), nullptr);
  EXPECT_EQ(derived.notices().find(base::Code::number_clamped)->count, 1U);
}

TEST(states_figures, of_the_compiler) {
  const Derived derived = derive(R"(1 0x1 jit method=0xa stage=start
2 0x2 jit method=0xb stage=start
3 0x1 jit method=0xa stage=end
4 0x2 jit method=0xb stage=failed
5 0x1 jit method=0xc stage=end
6 0x1 jit method=0xc stage=cached_start
7 0x1 method method=0xc name="C" code=0x1000
)");
  EXPECT_EQ(derived.over_time("JIT/Compiling"), "1 1; 2 2; 3 1; 4 0");
  EXPECT_EQ(derived.over_time("JIT/Compiled"), "1 0; 3 1; 5 2");
}

TEST(states_figures, methods_with_code_count_as_compiled_where_nothing_else_does) {
  const Derived derived = derive(R"(1 0x1 method method=0xa name="A" code=0x1000
2 0x1 method method=0xb name="B"
3 0x1 method method=0xc name="C" code=0x2000
)");
  EXPECT_EQ(derived.over_time("JIT/Compiled"), "1 1; 3 2");
  EXPECT_EQ(derived.at(3, "JIT/Compiling"), "none");
}

TEST(states_figures, of_classes) {
  const Derived derived = derive(R"(1 0x1 class class=0xa life=begin name="A"
2 0x1 class class=0xa life=begin name="A"
3 0x1 class class=0xb life=begin name="B"
4 0x1 class class=0xa life=end
)");
  EXPECT_EQ(derived.over_time("Classes/Loaded"), "1 1; 3 2; 4 1");
  const Derived by_loads = derive(R"(1 0x1 class class=0xa life=begin name="A"
2 0x1 class_load class=0xa stage=start
3 0x1 class_load class=0xa stage=end
4 0x1 class_load class=0xb stage=failed
5 0x1 class_load class=0xa stage=unload_end
)");
  EXPECT_EQ(by_loads.over_time("Classes/Loaded"), "1 null; 3 1; 5 0");
  const Derived defined = derive(R"(1 - class class=0xa life=begin name="A"
2 0x1 enter method=0xa
)");
  EXPECT_EQ(defined.at(2, "Classes/Loaded"), "none");
}

// The numbers of what was freed are given again: to a class that of a vtable, and the other way.
TEST(states_figures, of_classes_that_have_a_vtables_number) {
  const Derived derived = derive(R"(1 0x1 class class=0xa life=begin name="A"
2 0x1 vtable vtable=0xb class_id=0xa
3 0x1 class class=0xb life=begin name="B"
4 0x1 class class=0xc life=begin name="C"
5 0x1 class class=0xc life=end
6 0x1 vtable vtable=0xc class_id=0xa
7 0x1 class class=0xa life=end
)");
  EXPECT_EQ(derived.over_time("Classes/Loaded"), "1 1; 3 2; 4 3; 5 2; 7 1");
}

TEST(states_figures, of_the_heap) {
  const Derived derived = derive(R"(1 0x1 heap_size total=1000 used=400
2 0x1 heap_size used=300 objects=9
3 0x1 heap_size total=50 used=20 generation="gen0"
)");
  EXPECT_EQ(derived.over_time("Heap/Total"), "1 1000");
  EXPECT_EQ(derived.over_time("Heap/Used"), "1 400; 2 300");
  EXPECT_EQ(derived.over_time("Heap/Objects"), "1 null; 2 9");
  EXPECT_EQ(derived.over_time("Heap/Generations/gen0/Total"), "1 null; 3 50");
}

TEST(states_figures, objects_live_until_they_are_freed) {
  const Derived derived = derive(R"(1 0x1 class class=0xa life=name name="A"
1 0x1 class class=0xb life=name name="B"
10 0x1 alloc class=0xa object=0x10 size=8
20 0x1 alloc class=0xa object=0x20 size=16
30 0x1 alloc class=0xb object=0x30 size=4
40 0x1 move object=0x10 to=0x40
50 0x1 free object=0x40
60 0x1 free object=0x999
70 0x1 alloc class=0xb object=0x20 size=1
)");
  // 70: the address is used again, so the object there has gone.
  EXPECT_EQ(derived.over_time("Objects/A/Live"), "1 null; 10 1; 20 2; 50 1; 70 0");
  EXPECT_EQ(derived.over_time("Objects/A/Bytes"), "1 null; 10 8; 20 24; 50 16; 70 0");
  EXPECT_EQ(derived.over_time("Objects/B/Live"), "1 null; 30 1; 70 2");
  EXPECT_EQ(derived.over_time("Objects/B/Bytes"), "1 null; 30 4; 70 5");
}

TEST(states_figures, a_census_counts_all_classes) {
  const Derived derived = derive(R"(1 0x1 class class=0xa life=name name="A"
1 0x1 class class=0xb life=name name="B"
5 0x1 alloc class=0xa object=0x10 size=8
10 0x1 census class=0xa objects=3 bytes=30 reach=reachable collection=0x1
10 0x1 census class=0xa objects=5 bytes=50 reach=unreachable collection=0x1
11 0x1 census class=0xb objects=4 bytes=40 reach=reachable collection=0x1
20 0x1 census class=0xa objects=2 bytes=20 collection=0x2
30 0x1 census collection=0x3
)");
  EXPECT_EQ(derived.over_time("Objects/A/Live"), "1 null; 10 3; 20 2; 30 0");
  EXPECT_EQ(derived.over_time("Objects/A/Bytes"), "1 null; 10 30; 20 20; 30 0");
  EXPECT_EQ(derived.over_time("Objects/B/Live"), "1 null; 11 4; 20 0");
}

TEST(states_figures, a_heap_dump_counts_when_it_ends) {
  const Derived derived = derive(R"(1 0x1 class class=0xa life=name name="A"
5 0x1 dump dump=0x1 stage=start
6 0x1 dump_object object=0x10 class_id=0xa size=8
7 0x1 dump_object object=0x20 class_id=0xa size=8
8 0x1 dump dump=0x1 stage=end
9 0x1 dump dump=0x2 stage=start
10 0x1 dump_object object=0x20 class_id=0xa size=8
)");
  EXPECT_EQ(derived.over_time("Objects/A/Live"), "1 null; 8 2");
  EXPECT_EQ(derived.over_time("Objects/A/Bytes"), "1 null; 8 16");
}

}  // namespace
}  // namespace polytrace::test
