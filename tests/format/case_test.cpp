// SPDX-License-Identifier: Apache-2.0
// Runs the case files of every format (tests/cases/<format>).
#include <gtest/gtest.h>

#include <set>

#include "base/codes.hpp"
#include "format/case_file.hpp"
#include "format/samples.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

struct Found {
  std::string format;
  CaseFile file;
  friend std::ostream& operator<<(std::ostream& out, const Found& found) {
    return out << found.file.name();
  }
};

std::vector<Found> all_cases() {
  std::vector<Found> all;
  for (const Format* format : formats()) {
    for (const CaseFile& file : case_files(format->name))
      all.push_back({std::string(format->name), file});
  }
  return all;
}

std::vector<ExpectedNotice> notices_of(const Whole& whole) {
  std::vector<ExpectedNotice> notices;
  for (const base::Notice& notice : whole.notices.sorted())
    notices.push_back({std::string(base::describe(notice.code).name), notice.first.offset,
                       notice.bytes, notice.count});
  return notices;
}

std::string to_text(const std::vector<ExpectedNotice>& notices) {
  std::string text;
  for (const ExpectedNotice& notice : notices)
    text += "notice " + notice.code + " at " + std::to_string(notice.offset) + " bytes " +
            std::to_string(notice.bytes) + " times " + std::to_string(notice.times) + "\n";
  return text;
}

// Kinds and fields that lost something.
std::map<std::string, std::uint64_t> losses_of(const event::Loss& loss) {
  std::map<std::string, std::uint64_t> all = loss.fields;
  for (std::size_t i = 0; i < loss.events.size(); ++i) {
    const auto kind = static_cast<event::Kind>(i);
    if (loss.events[i] > 0) all[std::string(event::describe(kind).name)] = loss.events[i];
  }
  return all;
}

class cases : public testing::TestWithParam<Found> {};

TEST_P(cases, read_as_expected) {
  const auto loaded = load_case(GetParam().file);
  ASSERT_TRUE(loaded) << base::to_text(loaded.error());
  const Whole whole = read_whole(loaded->bytes, {.resync = loaded->resync});
  std::optional<ExpectedError> error;
  if (whole.open_error)
    error = {std::string(base::describe(whole.open_error->code).name),
             whole.open_error->place.offset};
  ASSERT_EQ(error.has_value(), loaded->error.has_value())
      << (whole.open_error ? base::to_text(*whole.open_error) : "opens");
  if (error) {
    EXPECT_EQ(error->code, loaded->error->code);
    EXPECT_EQ(error->offset, loaded->error->offset);
    return;
  }
  EXPECT_EQ(whole.format, GetParam().format);
  EXPECT_EQ(loaded->with_header ? whole.lines : without_header(whole.lines), loaded->events);
  EXPECT_EQ(to_text(notices_of(whole)), to_text(loaded->notices));
  EXPECT_EQ(whole.accounted(), loaded->bytes.size());
}

TEST_P(cases, are_written_as_they_stand_where_they_say_so) {
  const auto loaded = load_case(GetParam().file);
  ASSERT_TRUE(loaded) << base::to_text(loaded.error());
  if (loaded->write_version.empty()) return;
  ASSERT_TRUE(loaded->with_header) << "a case that is written tells its header";
  const auto& events = loaded->written.empty() ? loaded->events : loaded->written;
  const auto written = write_lines(*find_format(GetParam().format), loaded->write_version, events,
                                   loaded->byte_order);
  ASSERT_TRUE(written) << base::to_text(written.error());
  EXPECT_EQ(written->bytes, loaded->bytes);
  EXPECT_EQ(losses_of(written->loss), loaded->lost);
}

INSTANTIATE_TEST_SUITE_P(all, cases, testing::ValuesIn(all_cases()), [](const auto& parameter) {
  return test_name(parameter.param.format + "_" + parameter.param.file.name());
});

// Codes that other layers own, each with the test that makes it happen.
const std::set<std::string_view> kElsewhere{
    "open-failed",           // source.what_cannot_be_opened_is_open_failed
    "read-failed",           // source.what_cannot_be_read_is_read_failed
    "write-failed",          // sink.full_medium_is_write_failed
    "output-exists",         // sink.existing_file_is_refused
    "output-is-input",       // the command line's tests
    "program-missing",       // the command line's tests
    "usage",                 // the command line's tests
    "engine-missing",        // the command line's tests
    "compressed-truncated",  // house.cut_compressed_file_is_told
    "compressed-damaged",    // house.damaged_compressed_file_is_told
    "text-syntax",           // text_fault.has_its_column
    "limit-exceeded",        // merge.stops_at_its_limit
    "paths-merged",          // the command line's tests
    "segments-read",         // native_segments.give_each_event_once
    "segments-damaged",      // native_segments.damaged_anywhere_are_survived
    "archive-damaged",       // cli/history_archives
    "archive-unusable",      // cli/history_archives
    "archive-others",        // cli/history_archives
    "index-stale",           // tests/service/index/
    "index-damaged",         // cli/index, tests/service/index/
    "index-busy",            // tests/service/index/
    "query-wrong",           // cli/sql_guard
    "query-refused",         // cli/sql_guard
    "query-timeout",         // cli/sql_guard
    // Stores of a fleet: tests/warehouse/, tests/fleet/.
    "address-wrong",
    "store-unreachable",
    "store-refused",
    "store-answer",
    "library-missing",
    "schema-missing",
    "schema-newer",
    "where-wrong",
    // State histories and their bundles: tests/history/.
    "checksum-wrong",
    "feature-unknown",
    "index-missing",
    "bundle-mismatch",
    "json-malformed",
    "row-malformed",
    "type-conflict",
    "time-backwards",
    "intervals-overlap",
    "value-too-long",
    "key-unknown",
    "time-outside",
};

TEST(codes, each_has_a_failing_case) {
  std::set<std::string> met;
  for (const Found& found : all_cases()) {
    const auto loaded = load_case(found.file);
    if (!loaded) continue;
    if (loaded->error) met.insert(loaded->error->code);
    for (const ExpectedNotice& notice : loaded->notices) met.insert(notice.code);
  }
  for (std::size_t i = 0; i < base::code_count(); ++i) {
    const std::string name(base::describe(static_cast<base::Code>(i)).name);
    EXPECT_TRUE(met.contains(name) || kElsewhere.contains(name)) << name << " has no failing case";
    EXPECT_FALSE(met.contains(name) && kElsewhere.contains(name)) << name << " is listed twice";
  }
}

}  // namespace
}  // namespace polytrace::format::test
