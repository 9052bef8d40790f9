// SPDX-License-Identifier: Apache-2.0
// Real recordings written again: read -> write -> read is identity where the version is one that is
// written, and for other versions what comes back is again identical.
#include <gtest/gtest.h>

#include "format/samples.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

struct Rewrite {
  const Format* format;
  Sample sample;
  std::string version;
  friend std::ostream& operator<<(std::ostream& out, const Rewrite& rewrite) {
    return out << rewrite.sample.name << " as " << rewrite.version;
  }
};

std::vector<Rewrite> rewrites() {
  std::vector<Rewrite> all;
  for (const Format* format : formats()) {
    for (const Sample& sample : samples(format->name, format->suffix)) {
      for (const std::string_view version : format->write_versions)
        all.push_back({format, sample, std::string(version)});
    }
  }
  return all;
}

// A reader may tell more than the version: "1.0 little-endian".
bool is_version(const std::string& told, const std::string& version) {
  return told == version || told.starts_with(version + " ");
}

void expect_same_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    ASSERT_EQ(a[i], b[i]) << "event " << i;
  EXPECT_EQ(a.size(), b.size());
}

class rewrite : public testing::TestWithParam<Rewrite> {};

TEST_P(rewrite, gives_the_same_events) {
  const auto& [format, sample, version] = GetParam();
  const Whole original = read_whole(*base::open_source(sample.path));
  const auto once = write_lines(*format, version, original.lines);
  ASSERT_TRUE(once) << base::to_text(once.error());
  const Whole again = read_whole(once->bytes);
  EXPECT_TRUE(again.notices.empty());
  EXPECT_TRUE(is_version(again.version, version)) << again.version;
  if (is_version(original.version, version)) {
    EXPECT_EQ(once->loss.total(), 0U);
    return expect_same_lines(again.lines, original.lines);
  }
  const auto twice = write_lines(*format, version, again.lines);
  ASSERT_TRUE(twice) << base::to_text(twice.error());
  EXPECT_EQ(twice->loss.total(), 0U);
  expect_same_lines(read_whole(twice->bytes).lines, again.lines);
}

// 65,536 bytes are read, of which the last is the zero byte.
TEST(mlpd_rewrite, header_texts_are_cut_to_what_is_read) {
  for (const auto& [kept, cut] : {std::pair<std::size_t, std::string>{65'534, "\xc3\xa4y"},
                                  {65'535, "y"},
                                  {65'535, "yy"},
                                  {65'535, ""}}) {
    const std::string options(kept, 'x');
    const std::string line = "0 - process pid=0x1 architecture=\"a\" options=\"" + options;
    const auto written = write_lines(*find_format("mlpd"), "17", {line + cut + "\""});
    ASSERT_TRUE(written) << base::to_text(written.error());
    EXPECT_EQ(written->loss.fields.contains("process.options"), !cut.empty());
    const Whole again = read_whole(written->bytes);
    ASSERT_FALSE(again.open_error) << base::to_text(*again.open_error);
    EXPECT_NE(again.lines[0].find("options=\"" + options + "\""), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(samples, rewrite, testing::ValuesIn(rewrites()),
                         [](const auto& parameter) {
                           return test_name(parameter.param.sample.name + "_as_" +
                                            parameter.param.version);
                         });

}  // namespace
}  // namespace polytrace::format::test
