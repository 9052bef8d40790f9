// SPDX-License-Identifier: Apache-2.0
// Every recording gives exactly the facts that an independent program counted.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "format/mlpd_facts.hpp"
#include "format/samples.hpp"

namespace polytrace::format::test {
namespace {

class mlpd_facts : public testing::TestWithParam<Sample> {};

nlohmann::json expected_facts(const std::string& name) {
  std::ifstream file(std::string(POLYTRACE_TEST_DATA) + "/mlpd/" + name + ".facts.json");
  return nlohmann::json::parse(file);
}

TEST_P(mlpd_facts, are_those_of_the_independent_program) {
  const auto expected = expected_facts(GetParam().name);
  const auto got = count_facts(GetParam().path);
  for (const auto& [key, value] : expected.items()) {
    ASSERT_TRUE(got.contains(key)) << key;
    EXPECT_EQ(got[key].dump(), value.dump()) << key;
  }
  EXPECT_EQ(got.size(), expected.size());
}

INSTANTIATE_TEST_SUITE_P(samples, mlpd_facts, testing::ValuesIn(samples("mlpd", ".mlpd")),
                         [](const auto& parameter) { return test_name(parameter.param.name); });

TEST(mlpd_samples, are_all_there) { EXPECT_EQ(samples("mlpd", ".mlpd").size(), 42U); }

}  // namespace
}  // namespace polytrace::format::test
