// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/labels.hpp"

#include <gtest/gtest.h>

#include "analysis/asked.hpp"
#include "collector/aggregate/stable_names.hpp"

namespace polytrace::collector {
namespace {

TEST(labels, given_ones_win_over_what_the_trace_tells) {
  event::Batch batch;
  event::Process process;
  process.name = batch.keep("shop.jar");
  process.host = batch.keep("web-1");
  process.runtime = "OpenJDK";
  process.runtime_version = "17.0.9";
  event::Setting setting;
  setting.key = "label.region";
  setting.value = batch.keep("north");
  event::Setting host;  // a program does not say where it is
  host.key = "label.host";
  host.value = "db-1";
  test::Stream(batch, 1)
      .add(0, 4711, process)
      .add(0, base::kNoId, setting)
      .add(0, base::kNoId, host);
  LabelFinder finder({{"service", "shop"}, {"version", "2.1"}});
  slice::Slicer slicer;
  slicer.slice(batch, [&](const slice::Slice& slice) { finder.learn(slice); });
  const warehouse::Labels labels = finder.labels();
  EXPECT_EQ(labels.service, "shop");
  EXPECT_EQ(labels.version, "2.1");
  EXPECT_EQ(labels.host, "web-1");
  EXPECT_EQ(labels.instance, "4711");
  EXPECT_EQ(labels.runtime, "OpenJDK 17.0.9");
  ASSERT_EQ(labels.free.size(), 1U);
  EXPECT_EQ(labels.free[0], std::pair(std::string("region"), std::string("north")));
}

TEST(labels, are_a_name_and_a_value) {
  EXPECT_EQ(parse_label("a.b=c=d")->second, "c=d");
  EXPECT_EQ(parse_label("version:2:1")->second, "2:1");
  for (const char* wrong : {"", "a", "=b", "1a=b", "a b=c", "ä=c"})
    EXPECT_FALSE(parse_label(wrong)) << wrong;
}

TEST(stable_names, leave_out_what_differs_from_run_to_run) {
  for (const auto& [told, stable] : std::vector<std::pair<std::string, std::string>>{
           {"Shop$$Lambda$14/0x0000000800c0a400.apply", "Shop$$Lambda.apply"},
           {"Shop$$Lambda/0x00007f12ac0.run(int)", "Shop$$Lambda.run(int)"},
           {"Shop$$Lambda$14.0x00000008000c0a00", "Shop$$Lambda"},
           {"com.sun.proxy.$Proxy12.add(int)", "com.sun.proxy.$Proxy.add(int)"},
           {"jdk.GeneratedMethodAccessor7:invoke", "jdk.GeneratedMethodAccessor:invoke"},
           {"Cart$$EnhancerBySpringCGLIB$$1a2b3c4d.total", "Cart$$EnhancerBySpringCGLIB$$.total"},
           {"Cart$$EnhancerBySpringCGLIB$$.add(int)", "Cart$$EnhancerBySpringCGLIB$$.add(int)"},
           {"$ProxyFactory.make", "$ProxyFactory.make"},
           {"Main.run", "Main.run"}})
    EXPECT_EQ(stable_name(told), stable);
}

}  // namespace
}  // namespace polytrace::collector
