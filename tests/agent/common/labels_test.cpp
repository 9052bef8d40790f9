// SPDX-License-Identifier: Apache-2.0
#include "agent/common/options/labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/common/options/options.hpp"

namespace polytrace::test {
namespace {

using agent::Faults;
using agent::Labels;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// Variables of the environment that end with the test.
class agent_labels : public testing::Test {
 protected:
  void set(const char* name, const char* value) { setenv(name, value, 1); }
  Labels labels_of(std::string_view text) { return agent::parse_options(text, faults_).labels; }
  ~agent_labels() override {
    for (const char* name : {"POLYTRACE_LABELS", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SERVICE_NAME"})
      unsetenv(name);
  }
  Faults faults_;
};

TEST_F(agent_labels, are_options_of_either_sign) {
  EXPECT_THAT(labels_of("label=service:shop,label=version=1.2=b,paused,label=service=cart"),
              ElementsAre(Pair("service", "cart"), Pair("version", "1.2=b")));
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(agent_labels, come_from_the_environment_later_ones_winning) {
  set("POLYTRACE_LABELS", "version=2,region=north,,zone:a");
  set("OTEL_RESOURCE_ATTRIBUTES",
      "service.name=from-attributes,deployment.environment=a%2Cb%zz, k8s.pod.name = "
      "x,region=south");
  EXPECT_THAT(labels_of("label=service:option,label=version:1"),
              ElementsAre(Pair("service", "from-attributes"), Pair("version", "2"),
                          Pair("region", "south"), Pair("zone", "a"),
                          Pair("deployment.environment", "a,b%zz"), Pair("k8s.pod.name", " x")));
  set("OTEL_SERVICE_NAME", "from-name");
  EXPECT_THAT(labels_of("").front(), Pair("version", "2"));
  EXPECT_THAT(labels_of("label=service:option").front(), Pair("service", "from-name"));
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(agent_labels, that_are_none_are_told_where_they_are_ours) {
  const std::string longest(agent::kLongestLabel, 'x');
  for (const std::string wrong :
       {"a", "=b", "1a=b", "a b=c", "a=", "host=other", "instance:1", "tenant=t", "container=c"}) {
    faults_.clear();
    EXPECT_THAT(labels_of("label=" + wrong), IsEmpty()) << wrong;
    EXPECT_EQ(faults_.size(), 1U) << wrong;
    faults_.clear();
    set("POLYTRACE_LABELS", wrong.c_str());
    EXPECT_THAT(labels_of(""), IsEmpty()) << wrong;
    EXPECT_EQ(faults_.size(), 1U) << wrong;
    set("POLYTRACE_LABELS", "");
    set("OTEL_RESOURCE_ATTRIBUTES", wrong.c_str());
    faults_.clear();
    EXPECT_THAT(labels_of(""), IsEmpty()) << wrong;
    EXPECT_THAT(faults_, IsEmpty()) << wrong;
    unsetenv("OTEL_RESOURCE_ATTRIBUTES");
  }
  EXPECT_EQ(labels_of("label=a=" + longest).size(), 1U);
  EXPECT_THAT(labels_of("label=a=" + longest + 'x'), IsEmpty());
}

TEST_F(agent_labels, have_a_bound) {
  std::string text;
  for (int i = 0; i < 42; ++i) text += "label=n" + std::to_string(i) + "=v,";
  EXPECT_EQ(labels_of(text).size(), agent::kMostLabels);
  ASSERT_EQ(faults_.size(), 2U);
  EXPECT_THAT(faults_[1], HasSubstr("n41"));
}

}  // namespace
}  // namespace polytrace::test
