// SPDX-License-Identifier: Apache-2.0
// How a trace is cut into batches is nobody's business: every table of a report is the same with
// batches of 1, 7 and 64 events as with those of the reader, for every recording in tests/data.
#include <gtest/gtest.h>

#include "analysis/report/report.hpp"
#include "event/copy.hpp"
#include "event/pump.hpp"
#include "format/format.hpp"
#include "format/samples.hpp"

namespace polytrace::format::test {
namespace {

using analysis::Table;

// Gives the report batches of so many events; 0: as they come.
std::vector<Table> report_of(const Sample& sample, std::size_t events) {
  auto opened = open(*base::open_source(sample.path), {});
  EXPECT_TRUE(opened.has_value());
  analysis::Report report({}, {});
  event::Batch part;
  for (event::Batch batch; *opened->reader->next(batch);) {
    if (events == 0) report.consume(batch);
    for (std::size_t i = 0; events != 0 && i < batch.events.size(); ++i) {
      event::copy_event(batch, batch.events[i], part);
      if (part.events.size() < events) continue;
      report.consume(part);
      part.clear();
    }
  }
  if (!part.events.empty()) report.consume(part);
  report.finish();
  return report.tables({"", 0});
}

class batches : public testing::TestWithParam<Sample> {};

TEST_P(batches, do_not_matter) {
  const auto whole = report_of(GetParam(), 0);
  for (const std::size_t events : {1U, 7U, 64U}) {
    const auto cut = report_of(GetParam(), events);
    ASSERT_EQ(whole.size(), cut.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(whole[i].rows, cut[i].rows) << whole[i].key << " with batches of " << events;
      EXPECT_EQ(whole[i].notes, cut[i].notes) << whole[i].key << " with batches of " << events;
    }
  }
}

std::vector<Sample> all_samples() {
  std::vector<Sample> all;
  for (const Format* format : formats())
    for (Sample& sample : samples(format->name, format->suffix)) all.push_back(std::move(sample));
  return all;
}

INSTANTIATE_TEST_SUITE_P(sample, batches, testing::ValuesIn(all_samples()), [](const auto& of) {
  return std::to_string(of.index) + "_" + test_name(of.param.name);
});

}  // namespace
}  // namespace polytrace::format::test
