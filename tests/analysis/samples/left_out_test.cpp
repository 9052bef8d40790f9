// SPDX-License-Identifier: Apache-2.0
// What a recording leaves out by choice, from its settings and filters.
#include "analysis/sections.hpp"

#include "analysis/asked.hpp"

namespace polytrace::test {
namespace {

using event::FilterRule;
using event::Setting;

constexpr std::string_view kEveryKind = "calls+threads+gc+monitors+exceptions+alloc=sites";

FilterRule rule(std::string_view pattern, std::string_view mode, std::string_view method = "*") {
  FilterRule out;
  out.pattern = pattern;
  out.mode = mode;
  out.method = method;
  return out;
}
Setting setting(std::string_view key, std::string_view value) { return {key, value}; }

// The first column.
std::vector<std::string> whats(const event::Batch& batch) {
  Asked asked(analysis::make_left_out({}));
  const Table table = asked.feed(batch).finish().table("left_out");
  std::vector<std::string> out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) out.push_back(text(table, i, "what"));
  return out;
}

using Texts = std::vector<std::string>;

TEST(left_out, nothing_is_told_where_nothing_is_known) {
  event::Batch batch;
  Stream(batch, kMain).add(1, base::kNoId, setting("limit", "4g"));
  EXPECT_EQ(whats(batch), Texts{});
}

TEST(left_out, patterns_of_excluded_classes) {
  event::Batch batch;
  Stream stream(batch, kMain);
  for (const std::string_view pattern : {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"})
    stream.add(1, base::kNoId, rule(pattern, "EXCLUDE"));
  EXPECT_EQ(whats(batch), Texts{"methods of java.*, javax.*, jdk.* and 2 more"});
}

TEST(left_out, a_rule_that_takes_all_in_ends_the_list) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, base::kNoId, rule("com.acme.gen.*", "EXCLUDE"))
      .add(1, base::kNoId, rule("com.acme.Main", "EXCLUDE", "run*"))
      .add(1, base::kNoId, rule("*", "INCLUDE"))
      .add(1, base::kNoId, rule("java.*", "EXCLUDE"))
      .add(1, base::kNoId, setting("coreclr.framework", "/dotnet/shared/"));
  EXPECT_EQ(whats(batch), Texts{"methods of com.acme.gen.*, com.acme.Main:run*"});
}

TEST(left_out, a_rule_that_takes_all_out_leaves_what_stands_before) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, base::kNoId, rule("com.acme.*", "INCLUDE"))
      .add(1, base::kNoId, rule("java.*", "EXCLUDE"))
      .add(1, base::kNoId, rule("*", "EXCLUDE"));
  EXPECT_EQ(whats(batch), Texts{"methods but those of com.acme.*"});
}

TEST(left_out, modules_of_a_framework_are_counted_once) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, base::kNoId, setting("coreclr.framework", "/dotnet/shared/"))
      .add(2, 7, event::Module{.name = "/dotnet/shared/Core/10.0/System.Linq.dll"})
      .add(3, 7, event::Module{.name = "/dotnet/shared/Core/10.0/System.Linq.dll"})
      .add(4, 8, event::Module{.name = "/dotnet/shared/Core/10.0/System.Text.Json.dll"})
      .add(5, 9, event::Module{.name = "/home/System.Mine.dll"});
  EXPECT_EQ(whats(batch), Texts{"methods of 2 modules of .NET (/dotnet/shared/)"});
}

TEST(left_out, kinds_of_events_that_were_not_asked_for) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, base::kNoId, setting("events", "calls+gc+alloc=sampled:1m"))
      .add(1, base::kNoId, setting("jvm.accessors", "no"));
  EXPECT_EQ(whats(batch), (Texts{"short methods without calls and loops", "waits for locks",
                                 "exceptions", "allocations but for samples"}));
}

TEST(left_out, the_last_word_about_allocations_counts) {
  const auto whats_of = [](std::string_view events) {
    event::Batch batch;
    Stream(batch, kMain).add(1, base::kNoId, setting("events", events));
    return whats(batch);
  };
  const std::string others = "calls+gc+monitors+exceptions+";
  EXPECT_EQ(whats_of(others + "alloc"), Texts{"allocations but for samples"});
  EXPECT_EQ(whats_of(others + "alloc=sampled+alloc=sites"), Texts{});
  EXPECT_EQ(whats_of(others + "alloc=sites+alloc=none"), Texts{"allocations"});
}

TEST(left_out, methods_that_could_not_be_instrumented) {
  event::Batch batch;
  Stream stream(batch, kMain);
  stream.add(1, base::kNoId, setting("events", kEveryKind));
  for (const std::string_view method : {"demo.A.a", "demo.A.b", "demo.B.*", "demo.C.c"})
    stream.add(1, base::kNoId, setting("left-out.calls: too large", method));
  stream.add(1, base::kNoId, setting("left-out.allocations: too large", "demo.A.a"));
  EXPECT_EQ(whats(batch), (Texts{"calls of demo.A.a, demo.A.b, demo.B.* and 1 more: too large",
                                 "allocations of demo.A.a: too large"}));
}

TEST(left_out, methods_are_no_matter_where_no_calls_are_recorded) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, base::kNoId, setting("events", "gc+monitors+exceptions+alloc=sites"))
      .add(1, base::kNoId, setting("jvm.accessors", "no"))
      .add(1, base::kNoId, rule("java.*", "EXCLUDE"));
  EXPECT_EQ(whats(batch), Texts{"calls"});
}

TEST(left_out, the_summary_says_where_the_time_is) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, base::kNoId, setting("events", kEveryKind))
      .add(1, base::kNoId, setting("mono.aot", "/lib/mscorlib.dll.so"));
  Asked asked(analysis::make_left_out({}));
  EXPECT_EQ(asked.feed(batch).finish().headlines(),
            Texts{"methods compiled ahead: /lib/mscorlib.dll.so (mono -O=-aot); their time is self "
                  "time of their callers"});
}

}  // namespace
}  // namespace polytrace::test
