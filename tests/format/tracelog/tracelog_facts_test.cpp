// SPDX-License-Identifier: Apache-2.0
// Every sample gives the facts that an independent reader counted. Not compared: "file" (a name),
// "start_time" (text that only the line has; the cases compare the time), and of the lists of line
// numbers all but the first, because a notice keeps one place. A collection's thread is compared
// where the log names it by its own number.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "format/samples.hpp"
#include "format/tracelog_facts.hpp"

namespace polytrace::format::test {
namespace {

using nlohmann::json;

class tracelog_facts : public testing::TestWithParam<Sample> {};

// Tables by what they are about, so that their order does not matter.
json by_iid(const json& rows) {
  json all = json::object();
  for (json row : rows) {
    const std::string key = row["iid"];
    row.erase("iid");
    all[key] = row;
  }
  return all;
}

json expected_log_facts(const std::string& name) {
  std::ifstream file(std::string(POLYTRACE_TEST_DATA) + "/tracelog/" + name + ".facts.json");
  json facts = json::parse(file);
  for (const char* const key : {"threads", "functions", "classes"}) facts[key] = by_iid(facts[key]);
  for (const char* const key : {"malformed_lines", "unknown_lines", "desync_lines"}) {
    if (facts[key].size() > 1) facts[key] = json::array({facts[key][0]});
  }
  facts.erase("file");
  facts.erase("start_time");
  return facts;
}

TEST_P(tracelog_facts, are_those_of_the_independent_reader) {
  const json expected = expected_log_facts(GetParam().name);
  json got = count_tracelog_facts(GetParam().path);
  for (std::size_t i = 0; i < got["gc"].size() && i < expected["gc"].size(); ++i) {
    const std::string thread = expected["gc"][i]["thread"];
    if (!thread.starts_with("0x")) got["gc"][i]["thread"] = thread;
  }
  for (const auto& [key, value] : expected.items()) {
    ASSERT_TRUE(got.contains(key)) << key;
    EXPECT_EQ(got[key], value) << key << "\n" << json::diff(value, got[key]).dump(1);
  }
  EXPECT_EQ(got.size(), expected.size());
}

INSTANTIATE_TEST_SUITE_P(samples, tracelog_facts,
                         testing::ValuesIn(samples("tracelog", ".trace.log")),
                         [](const auto& parameter) { return test_name(parameter.param.name); });

TEST(tracelog_samples, are_all_there) { EXPECT_EQ(samples("tracelog", ".trace.log").size(), 6U); }

}  // namespace
}  // namespace polytrace::format::test
