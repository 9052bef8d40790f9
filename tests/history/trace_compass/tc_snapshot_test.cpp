// SPDX-License-Identifier: Apache-2.0
#include "history/trace_compass/tc_snapshot.hpp"

#include "base/codes.hpp"
#include "history/exchange.hpp"

namespace polytrace::history {
namespace {

using base::Code;

TEST(tc_snapshot, reads_a_kernel_snapshot) {
  base::Notices notices;
  const auto snapshot = parse_tc_snapshot(test::data("kernel.snapshot.json"), notices);
  ASSERT_TRUE(snapshot) << base::to_text(snapshot.error());
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(snapshot->name, "org.eclipse.tracecompass.analysis.os.linux.kernel");
  EXPECT_EQ(snapshot->first, 1450192743562703624);
  EXPECT_EQ(snapshot->last, 1450192743963701262);
  EXPECT_EQ(snapshot->states.timestamp, snapshot->first);
  const Tree& tree = snapshot->tree;
  EXPECT_EQ(tree.path(tree.node(3)), "CPUs/0/Current_thread");
  EXPECT_EQ(tree.path(tree.node(8)), "Threads/390/Mark");
  const auto& states = snapshot->states.states;
  ASSERT_EQ(states.size(), 8U);
  EXPECT_EQ(states[0].value, Value::null());
  EXPECT_FALSE(states[0].end.has_value());
  EXPECT_EQ(states[1].value, Value::of(std::int64_t{2}));
  EXPECT_EQ(states[1].end, 1450192743562709999);
  EXPECT_EQ(states[2].value, Value::of(std::int64_t{9007199254740993}));
  EXPECT_EQ(states[5].value, Value::text("lttng-sessiond"));
  EXPECT_EQ(states[6].value, Value::of(17.5));
  EXPECT_EQ(states[7].value, Value::bytes(std::string_view("\0\1\2\3", 4)));
  EXPECT_EQ(snapshot->types.type(1), Type::open);
  EXPECT_EQ(snapshot->types.type(3), Type::integer);
  EXPECT_EQ(snapshot->types.type(8), Type::bytes);
}

Code fault(const std::string& attributes, const std::string& version = "1") {
  base::Notices notices;
  const auto snapshot = parse_tc_snapshot(
      "{\"snapshot_format_version\": " + version + ", \"attributes\": [" + attributes + "]}",
      notices);
  if (snapshot) return notices.empty() ? Code::usage : notices.sorted().at(0).code;
  return snapshot.error().code;
}

TEST(tc_snapshot, refuses_what_is_no_snapshot) {
  EXPECT_EQ(fault("", "2"), Code::version_unsupported);
  EXPECT_EQ(fault("", "\"1\""), Code::json_malformed);
  EXPECT_EQ(fault("1"), Code::json_malformed);
  EXPECT_EQ(fault(R"({"Path": ["a"]})"), Code::json_malformed);
  EXPECT_EQ(fault(R"({"Path": ["a"], "Value": {"quark": -1, "type": "null"}})"),
            Code::json_malformed);
  EXPECT_EQ(fault(R"({"Path": [], "Value": {"quark": 1, "type": "null"}})"), Code::json_malformed);
  EXPECT_EQ(fault(R"({"Path": [""], "Value": {"quark": 1, "type": "null"}})"),
            Code::json_malformed);
  const std::string one = R"({"Path": ["a"], "Value": {"quark": 1, "type": "null"}})";
  EXPECT_EQ(fault(one), Code::usage);
  EXPECT_EQ(fault(one + "," + one), Code::json_malformed);
}

TEST(tc_snapshot, value_that_cannot_be_costs_its_state) {
  const std::string head = R"({"Path": ["a"], "Value": {"quark": 1, "type": ")";
  EXPECT_EQ(fault(head + R"(java.lang.Integer", "value": "x"}})"), Code::type_conflict);
  EXPECT_EQ(fault(head + R"(org.example.Mark", "value": "x"}})"), Code::value_unexpected);
  EXPECT_EQ(fault(head + R"(java.lang.Long", "value": 9223372036854775808}})"),
            Code::number_too_long);
}

}  // namespace
}  // namespace polytrace::history
