// SPDX-License-Identifier: Apache-2.0
#include "history/trace_compass/ht_reader.hpp"

#include <gmock/gmock.h>

#include "base/codes.hpp"
#include "history/csv/csv_reader.hpp"
#include "history/exchange.hpp"
#include "history/model/interval_sorter.hpp"

namespace polytrace::history {
namespace {

using base::Code;

struct Read {
  base::result<HtFile> file{};
  std::vector<Interval> intervals{};  // by key, then start
  Texts texts{};
  base::Notices notices{};

  void keep(std::span<const Interval> given) {
    for (Interval interval : given) {
      const Value& value = interval.value;
      if (value.type() == Type::string)
        interval.value = Value::text(texts.keep(std::string(value.text())));
      if (value.type() == Type::bytes)
        interval.value = Value::bytes(texts.keep(std::string(value.text())));
      intervals.push_back(interval);
    }
  }
};

Read read(base::Source& source) {
  Read read;
  IntervalSorter sorter(IntervalOrder::by_key);
  read.file = read_ht(
      source, [&](std::span<const Interval> given) { return sorter.add(given); }, read.notices);
  EXPECT_TRUE(sorter.deliver([&](std::span<const Interval> given) {
    read.keep(given);
    return base::result<void>();
  }));
  return read;
}

Read read(std::string_view bytes, std::size_t step = 0) {
  return read(*base::memory_source(test::bytes_of(bytes), step));
}

// As an independent reader lists them; its keys are the file's own, one lower.
std::vector<Interval> listed(const std::string& name, Texts& texts) {
  auto reader = CsvReader::open(*base::open_source(test::data_path(name)));
  EXPECT_TRUE(reader);
  std::vector<Interval> all;
  for (auto rows = reader->next(); rows && !rows->empty(); rows = reader->next()) {
    for (const CsvRow& row : *rows) {
      Value value = row.value;
      if (value.type() == Type::string) value = Value::text(texts.keep(std::string(value.text())));
      all.push_back({.key = row.key + 1, .start = row.start, .end = row.end, .value = value});
    }
  }
  EXPECT_TRUE(reader->notices().empty());
  return all;
}

class recordings : public testing::TestWithParam<const char*> {};

TEST_P(recordings, have_exactly_the_listed_intervals) {
  Texts texts;
  const auto expected = listed(GetParam() + std::string(".intervals.csv.gz"), texts);
  const auto source = base::open_source(test::data_path(GetParam() + std::string(".ht.gz")));
  const auto found = read(**source);
  ASSERT_TRUE(found.file);
  EXPECT_TRUE(found.notices.empty());
  EXPECT_GT(expected.size(), 12'000U);
  EXPECT_EQ(found.file->intervals, expected.size());
  ASSERT_EQ(found.intervals.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(found.intervals[i], expected[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(both, recordings, testing::Values("mixed", "stack"));

TEST(ht_reader, names_types_and_bounds_of_a_recording) {
  const auto found = read(test::data("mixed.ht.gz"));
  ASSERT_TRUE(found.file);
  const HtFile& file = *found.file;
  EXPECT_EQ(file.header.nodes, 7);
  EXPECT_EQ(file.header.start, 1'000'000'000);
  EXPECT_EQ(file.end, 1'020'051'030);
  EXPECT_EQ(file.tree.size(), 66U);
  EXPECT_EQ(file.tree.path(file.tree.node(1)), "Threads");
  EXPECT_EQ(file.tree.path(file.tree.node(2)), "Threads/1000");
  EXPECT_EQ(file.tree.path(file.tree.node(9)), "Threads/1000/Depth");
  EXPECT_EQ(file.types.type(1), Type::open);
  EXPECT_EQ(file.types.type(2), Type::integer);
  EXPECT_EQ(file.types.type(4), Type::string);
}

TEST(ht_reader, call_stacks_below_each_thread) {
  const auto found = read(test::data("stack.ht.gz"));
  const Tree& tree = found.file->tree;
  EXPECT_EQ(tree.path(tree.node(3)), "Stacks/1000/CallStack");
  EXPECT_EQ(tree.path(tree.node(4)), "Stacks/1000/CallStack/1");
  EXPECT_EQ(tree.match("Stacks/*/CallStack/*").size(), 64U);
}

TEST(ht_reader, refuses_what_is_no_history_tree) {
  std::string bytes = test::data("stack.ht.gz").substr(0, 4096);
  EXPECT_TRUE(is_ht(std::as_bytes(std::span(bytes))));
  EXPECT_EQ(read(bytes.substr(0, 4095)).file.error().code, Code::header_truncated);
  bytes[4] = 12;
  EXPECT_EQ(read(bytes).file.error().detail, "history tree version 12; version 11 is known");
  EXPECT_EQ(read(bytes).file.error().code, Code::version_unsupported);
  bytes[0] = 1;
  EXPECT_EQ(read(bytes).file.error().code, Code::not_recognised);
  EXPECT_EQ(read("").file.error().code, Code::not_recognised);
  EXPECT_FALSE(is_ht({}));
}

TEST(ht_reader, refuses_impossible_headers) {
  const std::string clean = test::data("stack.ht.gz").substr(0, 4096);
  for (const auto& [at, value] :
       {std::pair{12, '\0'}, std::pair{15, '\x7f'}, std::pair{18, '\x7f'}, std::pair{23, '\xff'}}) {
    std::string bytes = clean;
    if (at == 12) bytes.replace(12, 4, 4, '\0');
    bytes[static_cast<std::size_t>(at)] = value;
    EXPECT_EQ(read(bytes).file.error().code, Code::header_invalid) << at;
  }
}

TEST(ht_reader, damaged_node_costs_what_lies_behind_the_damage) {
  std::string bytes = test::data("stack.ht.gz");
  const auto clean = read(bytes);
  bytes[4096 + 65536] = 9;  // the second node's type
  const auto found = read(bytes);
  ASSERT_TRUE(found.file);
  EXPECT_LT(found.file->intervals, clean.file->intervals);
  EXPECT_EQ(found.file->tree.size(), clean.file->tree.size());
  const auto* notice = found.notices.find(Code::record_unknown);
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->first.offset, 4096U + 65536 + 1);
  EXPECT_EQ(notice->bytes, 65535U);
}

TEST(ht_reader, cut_file_keeps_the_intervals_before_the_cut) {
  const std::string bytes = test::data("stack.ht.gz");
  std::uint64_t before = 0;
  for (const std::size_t size : {4096U + 100, 4096U + 30000, 4096U + 65536, 4096U + 70000}) {
    const auto found = read(std::string_view(bytes).substr(0, size));
    ASSERT_TRUE(found.file);
    EXPECT_NE(found.notices.find(Code::frame_truncated), nullptr) << size;
    EXPECT_EQ(found.file->tree.size(), 1U);
    EXPECT_GT(found.file->intervals, before);
    before = found.file->intervals;
  }
}

TEST(ht_reader, cut_attribute_tree_keeps_the_names_before_the_cut) {
  const std::string bytes = test::data("stack.ht.gz");
  const auto clean = read(bytes);
  std::size_t most = 0;
  for (std::size_t size = 4096 + 5 * 65536; size < bytes.size(); size += 7) {
    base::Notices notices;
    const auto source = base::memory_source(test::bytes_of(bytes.substr(0, size)), 1000);
    const auto file =
        read_ht(*source, [](std::span<const Interval>) { return base::result<void>(); }, notices);
    ASSERT_TRUE(file);
    EXPECT_EQ(notices.exit_code(), 4) << size;
    EXPECT_GE(file->tree.size(), most);
    most = file->tree.size();
    for (Tree::Node node = 1; node < most; ++node)
      EXPECT_EQ(file->tree.path(node), clean.file->tree.path(node));
  }
  EXPECT_GE(most + 1, clean.file->tree.size());
}

TEST(ht_reader, does_not_depend_on_the_pieces_it_reads) {
  const std::string bytes = test::data("stack.ht.gz");
  const auto whole = read(bytes);
  for (const std::size_t step : {977U, 65536U}) {
    const auto found = read(bytes, step);
    EXPECT_EQ(found.intervals, whole.intervals);
    EXPECT_EQ(found.file->tree.size(), whole.file->tree.size());
  }
}

TEST(ht_reader, error_of_the_caller_ends_the_reading) {
  base::Notices notices;
  const auto source = base::open_source(test::data_path("stack.ht.gz"));
  int calls = 0;
  const auto file = read_ht(
      **source,
      [&](std::span<const Interval>) -> base::result<void> {
        ++calls;
        return base::fail(Code::limit_exceeded);
      },
      notices);
  EXPECT_EQ(file.error().code, Code::limit_exceeded);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace polytrace::history
