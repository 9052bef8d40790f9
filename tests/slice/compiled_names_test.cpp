// SPDX-License-Identifier: Apache-2.0
// Names that Roslyn (.NET SDK 10) and mcs 6.8 gave to the methods of one program, as our agents,
// Mono's profiler and CoreProfiler tell them, and the source that each comes from.
#include "slice/compiled_names.hpp"

#include <gtest/gtest.h>

#include <array>

namespace polytrace::slice {
namespace {

struct Pair {
  const char* compiled;
  const char* source;
};

constexpr auto kPairs = std::to_array<Pair>({
    {"Program.<>c::<Main>b__5_0 (System.Int32)", "Program::Main.lambda 5_0 (System.Int32)"},
    {"Program.<>c__DisplayClass5_1::<Main>b__6", "Program::Main.lambda 5_6"},
    {"Program.<>c__DisplayClass5_0::<Main>g__Run|2", "Program::Main.Run"},
    {"Program::<Main>g__Local|5_3 (int)", "Program::Main.Local (int)"},
    {"Program.<RunAsync>d__3::MoveNext ()", "Program::RunAsync.body"},
    {"Program.<Items>d__2::MoveNext", "Program::Items.body"},
    {"Program.<>c.<<Main>b__0_0>d::MoveNext ()", "Program::Main.lambda 0_0.body"},
    {"Program.<<Main>g__Run|0_0>d::MoveNext ()", "Program::Main.Run.body"},
    {"Program::<Main>$ (System.String[])", "Program::Main (System.String[])"},
    {"Gen<T=System.__Canon>.<>c__DisplayClass0_0::<Value>b__0",
     "Gen<T=System.__Canon>::Value.lambda 0_0"},
    {"Program:<Main>m__0 (int)", "Program:Main.lambda 0 (int)"},
    {"Program/<Main>c__AnonStorey2:<>m__0 (int)", "Program:Main.lambda 2_0 (int)"},
    {"Program/<Main>c__AnonStorey2/<Main>c__AnonStorey3:<>m__0 ()", "Program:Main.lambda 3_0 ()"},
    {"Program/<RunAsync>c__async1:MoveNext ()", "Program:RunAsync.body"},
    {"Program/<Items>c__Iterator0:MoveNext ()", "Program:Items.body"},
    {"Gen`1/<Value>c__AnonStorey0<T_REF>:<>m__0 ()", "Gen`1:Value.lambda 0_0 ()"},
    {"<>c__DisplayClass0_0::<Main>b__1", "::Main.lambda 0_1"},
    {"<UNKNOWN>::<Main>b__0 ()", "<UNKNOWN>::Main.lambda 0 ()"},
    {"<UNKNOWN>.<>c::<Main>b__0_0 ()", "<UNKNOWN>::Main.lambda 0_0 ()"},
    {"<Module>/<Items>c__Iterator0:MoveNext ()", "<Module>:Items.body"},
    {"Program.<UNKNOWN>::<Main>g__Run|0", "Program.<UNKNOWN>::Main.Run"},
});

// What people wrote, what others made, and what is only like it.
constexpr auto kAsTheyAre = std::to_array({
    "Program::Main",
    "com.acme.Shop.main (java.lang.String[])",
    "Shop.<init> ()",
    "Program.<Items>d__2::.ctor",
    "System.Linq.Enumerable/WhereEnumerableIterator`1<int>:MoveNext ()",
    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:Start<Program/"
    "<RunAsync>c__async1> (Program/<RunAsync>c__async1&)",
    "<Module>:.cctor ()",
    "<PrivateImplementationDetails>:ComputeStringHash (string)",
    "(wrapper runtime-invoke) <Module>:runtime_invoke_void (object)",
    "Program::<Main>",
    "Program::<Main",
    "<:<",
    "<a>b__:",
    "::<>b__0",
    "",
});

TEST(compiled_names, read_as_the_source) {
  for (const Pair& pair : kPairs) EXPECT_EQ(as_in_source(pair.compiled), pair.source);
}

TEST(compiled_names, others_are_as_they_were) {
  for (const char* name : kAsTheyAre) EXPECT_EQ(as_in_source(name), name);
}

}  // namespace
}  // namespace polytrace::slice
