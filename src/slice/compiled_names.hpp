// SPDX-License-Identifier: Apache-2.0
// Methods that a compiler of C# made, named by the source they come from. A rule of spelling
// (docs/analyses.md) for the names that Roslyn and Mono's mcs give; it never fails. Pure;
// thread-safe.
#pragma once

#include <string>

namespace polytrace::slice {

//   Shop.<>c::<Main>b__5_0 (int)             Shop::Main.lambda 5_0 (int)
//   Shop.<>c__DisplayClass5_1::<Main>b__6    Shop::Main.lambda 5_6
//   Shop/<Main>c__AnonStorey2:<>m__1 (int)   Shop:Main.lambda 2_1 (int)
//   Shop::<Main>g__Run|5_3                   Shop::Main.Run
//   Shop.<RunAsync>d__3::MoveNext            Shop::RunAsync.body
//   Program::<Main>$                         Program::Main
// Others are as they were.
std::string as_in_source(std::string name);

}  // namespace polytrace::slice
