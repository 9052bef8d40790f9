// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/report.hpp"

#include <gtest/gtest.h>

#include <set>

#include "analysis/recording.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;

event::Batch small_trace() {
  event::Batch batch;
  const auto thread = batch.thread_slot(9);
  event::Method method;
  method.name = "Main";
  method.code = 0x1000;
  method.code_size = 100;
  batch.add(0, thread, 1, method);
  event::Code code;
  code.type = event::CodeKind::helper;
  code.size = 50;
  batch.add(1, thread, 0x2000, code);
  batch.add_plain(10, thread, 1, event::Kind::Enter);
  batch.add_plain(1010, thread, 1, event::Kind::Leave);
  return batch;
}

std::vector<Table> report(const std::vector<const Section*>& selected) {
  const event::Batch batch = small_trace();
  Report report(selected, Selection{});
  EXPECT_TRUE(report.consume(batch));
  report.finish();
  return report.tables({});
}

TEST(sections, are_found_by_their_key_once) {
  std::set<std::string_view> keys;
  for (const Section& section : sections()) {
    EXPECT_EQ(find_section(section.key), &section);
    EXPECT_TRUE(keys.insert(section.key).second);
  }
  EXPECT_EQ(find_section("nothing"), nullptr);
}

TEST(report, gives_only_the_selected_sections_in_their_order) {
  const auto tables = report({find_section("jit"), find_section("calls")});
  ASSERT_EQ(tables.size(), 4U);
  EXPECT_EQ(tables[0].key, "compilation");
  EXPECT_EQ(tables[1].key, "compiled_methods");
  EXPECT_EQ(tables[1].rows, (std::vector<std::vector<Cell>>{
                                {base::Time{0}, U{100}, base::Id{0x1000}, std::string("Main")}}));
  EXPECT_EQ(cell(tables[3], "Main", "total"), Cell{U{1000}});
}

TEST(report, a_summary_alone_quotes_the_others) {
  const auto tables = report({find_section("summary")});
  ASSERT_EQ(tables.size(), 1U);
  const std::vector<std::vector<Cell>> rows = {
      {std::string("Trace"), std::string("4 events over 1.01 \xc2\xb5s")},
      {std::string("Methods"),
       std::string(
           "1 call; most time: Main with 1.00 \xc2\xb5s self, waits included (100.0 %) in 1 call")},
      {std::string("Call tree"), std::string("100.0 % of the time is below Main")},
      {std::string("Threads"), std::string("1 thread, 0 ended in the trace")},
      {std::string("Compilation"), std::string("1 method compiled, 100 B of code")}};
  EXPECT_EQ(tables[0].rows, rows);
}

TEST(report, every_table_belongs_to_its_section_and_has_full_rows) {
  std::set<std::string> keys;
  for (const Section& section : sections()) {
    for (const Table& table : report({&section})) {
      EXPECT_EQ(table.section, section.key);
      EXPECT_TRUE(keys.insert(table.key).second) << table.key;
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.key;
    }
  }
}

TEST(report, an_empty_trace_has_no_rows) {
  Report report({}, Selection{});
  report.consume(event::Batch{});
  report.finish();
  for (const Table& table : report.tables({})) EXPECT_TRUE(table.rows.empty()) << table.key;
}

}  // namespace
}  // namespace polytrace::analysis
