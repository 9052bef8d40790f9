// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "base/codes.hpp"
#include "history/csv/csv_reader.hpp"
#include "history/csv/csv_writer.hpp"
#include "history/exchange.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using testing::ElementsAre;

struct Read {
  std::vector<CsvRow> rows{};
  std::deque<std::string> texts{};
  base::Notices notices{};
};

Value kept(const Value& value, std::deque<std::string>& texts) {
  if (value.type() == Type::string) return Value::text(texts.emplace_back(value.text()));
  if (value.type() == Type::bytes) return Value::bytes(texts.emplace_back(value.text()));
  return value;
}

Read read(std::string_view text, std::size_t step = 0, const base::Limits& limits = {}) {
  Read read;
  auto reader = CsvReader::open(base::memory_source(test::bytes_of(text), step), limits);
  EXPECT_TRUE(reader);
  for (auto rows = reader->next(); rows && !rows->empty(); rows = reader->next()) {
    for (CsvRow row : *rows) {
      row.path = read.texts.emplace_back(row.path);
      row.value = kept(row.value, read.texts);
      read.rows.push_back(row);
    }
  }
  read.notices = reader->notices();
  return read;
}

std::vector<std::uint64_t> lines(const Read& read) {
  std::vector<std::uint64_t> all;
  for (const CsvRow& row : read.rows) all.push_back(row.line);
  return all;
}

TEST(csv, changes) {
  const auto found = read(
      "time,path,type,value\n"
      "-5,Threads/1,int,-9223372036854775808\n"
      "6,\"a,\"\"b\"\"\",string,\"x\r\ny\"\n"
      "7,,null,\n");
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_TRUE(found.notices.empty());
  EXPECT_EQ(found.rows[0].start, -5);
  EXPECT_EQ(found.rows[0].path, "Threads/1");
  EXPECT_EQ(found.rows[0].value, Value::of(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(found.rows[1].path, "a,\"b\"");
  EXPECT_EQ(found.rows[1].value, Value::text("x\r\ny"));
  EXPECT_EQ(found.rows[2].value, Value::null());
  EXPECT_THAT(lines(found), ElementsAre(2U, 3U, 5U));
}

TEST(csv, intervals_by_key_and_by_path) {
  const auto keys =
      read("key,start,end,type,value\r\n4294967294,1,2,bytes,AAE=\r\n0,3,3,none,\r\n");
  ASSERT_EQ(keys.rows.size(), 2U);
  EXPECT_EQ(keys.rows[0].key, 4294967294U);
  EXPECT_EQ(keys.rows[0].end, 2);
  EXPECT_EQ(keys.rows[0].value, Value::bytes(std::string_view("\0\1", 2)));
  EXPECT_EQ(keys.rows[1].value, Value::exists());
  const auto paths = read("path,start,end,type,value\na/b,1,2,bool,true");
  ASSERT_EQ(paths.rows.size(), 1U);
  EXPECT_EQ(paths.rows[0].path, "a/b");
  EXPECT_EQ(paths.rows[0].value, Value::of(true));
}

TEST(csv, doubles_in_every_spelling) {
  const auto found = read(
      "key,start,end,type,value\n1,0,0,double,-17.0\n1,0,0,double,1e22\n1,0,0,double,5\n"
      "1,0,0,double,-Infinity\n1,0,0,double,inf\n1,0,0,double,NaN\n1,0,0,double,nan\n");
  ASSERT_EQ(found.rows.size(), 7U);
  EXPECT_EQ(found.rows[0].value, Value::of(-17.0));
  EXPECT_EQ(found.rows[1].value, Value::of(1e22));
  EXPECT_EQ(found.rows[2].value, Value::of(5.0));
  EXPECT_EQ(found.rows[3].value, Value::of(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(found.rows[4].value, Value::of(std::numeric_limits<double>::infinity()));
  EXPECT_NE(found.rows[5].value.real(), found.rows[5].value.real());
  EXPECT_NE(found.rows[6].value.real(), found.rows[6].value.real());
}

TEST(csv, faulty_row_costs_that_row_and_tells_its_line) {
  for (const char* row : {"1,2",
                          "1,2,3,int,4,5",
                          "x,2,3,int,4",
                          "1,3,2,int,4",
                          "4294967295,2,3,int,4",
                          "-1,2,3,int,4",
                          "1,2,3,int,",
                          "1,2,3,int,4.0",
                          "1,2,3,int,9223372036854775808",
                          "1,2,3,bool,1",
                          "1,2,3,any,4",
                          "1,2,3,color,4",
                          "1,2,3,null,4",
                          "1,2,3,none,4",
                          "1,2,3,bytes,AA",
                          "1,2,3,double,x",
                          "1,2,3,string,a\"b",
                          "1,2,3,string,\"a\"b",
                          "1,2,3,string,a\rb",
                          "1, 2,3,int,4",
                          "1,+2,3,int,4"}) {
    SCOPED_TRACE(row);
    const auto found =
        read("key,start,end,type,value\n1,0,0,null,\n" + std::string(row) + "\n1,0,0,null,\n");
    EXPECT_THAT(lines(found), ElementsAre(2U, 4U));
    const auto* notice = found.notices.find(Code::row_malformed);
    ASSERT_NE(notice, nullptr);
    EXPECT_EQ(notice->count, 1U);
    EXPECT_EQ(notice->first.line, 3U);
    EXPECT_GE(notice->bytes, std::string_view(row).size());
  }
}

TEST(csv, quote_that_is_never_closed_costs_its_line) {
  const auto found = read("key,start,end,type,value\n1,0,0,string,\"a\n1,1,1,null,\n1,2,2,null,\n");
  EXPECT_THAT(lines(found), ElementsAre(3U, 4U));
  EXPECT_EQ(found.notices.find(Code::row_malformed)->first.line, 2U);
}

TEST(csv, blank_lines_are_nothing) {
  const auto found =
      read("\xef\xbb\xbfkey,start,end,type,value\n\n1,0,0,null,\n\r\n1,1,1,null,\n\n");
  EXPECT_THAT(lines(found), ElementsAre(3U, 5U));
  EXPECT_TRUE(found.notices.empty());
}

TEST(csv, header_of_no_form_is_an_error) {
  for (const char* text :
       {"", "\n", "key,start,end,type\n", "time,path,type,value,\n", "time,path,path,value\n",
        "time,key,value\n", "time,start,path,value\n", "path,key,start,end,value\n"}) {
    const auto reader = CsvReader::open(base::memory_source(test::bytes_of(text)));
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, Code::row_malformed);
  }
}

TEST(csv, text_that_is_not_utf8_is_repaired) {
  const auto found = read("path,start,end,type,value\na\xff,0,0,string,\xc3\xa9\n");
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].path, "a\xef\xbf\xbd");
  EXPECT_EQ(found.rows[0].value, Value::text("é"));
  EXPECT_EQ(found.notices.find(Code::text_ill_formed)->count, 1U);
}

TEST(csv, row_beyond_the_limit_costs_that_row) {
  const std::string longer(std::size_t{600} * 1024, 'x');
  const auto found = read("key,start,end,type,value\n1,0,0,string,\"" + longer +
                              "\"\n1,1,1,string," + longer + "\n1,2,2,null,\n",
                          0, {.frame_bytes = std::size_t{300} * 1024});
  EXPECT_THAT(lines(found), ElementsAre(4U));
  EXPECT_EQ(found.notices.find(Code::row_malformed)->count, 2U);
  EXPECT_EQ(read("key,start,end,type,value\n1,0,0,string," + longer).rows.size(), 1U);
}

TEST(csv, header_in_any_case_and_order_with_blanks_and_other_separators) {
  for (const char* text :
       {"Value;TYPE;Path;Time\n7;int;a,b;5\n", "time, path ,type,value\n5, \"a,b\" ,int , 7",
        "\"time\"\t\"path\"\ttype\tvalue\r\n5\ta,b\tint\t7\r\n"}) {
    SCOPED_TRACE(text);
    for (const std::size_t step : {0U, 1U}) {
      const auto found = read(text, step);
      ASSERT_EQ(found.rows.size(), 1U);
      EXPECT_TRUE(found.notices.empty());
      EXPECT_EQ(found.rows[0].start, 5);
      EXPECT_EQ(found.rows[0].path, "a,b");
      EXPECT_EQ(found.rows[0].value, Value::of(std::int64_t{7}));
    }
  }
  // Blanks count where the header has none.
  EXPECT_EQ(read("time,path,type,value\n5, a,string, b \n").rows[0].value, Value::text(" b "));
}

TEST(csv, value_tells_its_type_where_no_column_does) {
  const auto found = read(
      "path,start,end,value\na,0,0,\na,0,0,true\na,0,0,-7\na,0,0,1.5\na,0,0,red\na,0,0,\"7\"\n"
      "a,0,0,nan\na,0,0,9223372036854775808\n");
  ASSERT_EQ(found.rows.size(), 8U);
  const std::array expected{Value::null(),      Value::of(true),    Value::of(std::int64_t{-7}),
                            Value::of(1.5),     Value::text("red"), Value::text("7"),
                            Value::text("nan"), Value::of(0x1p63)};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found.rows[i].value, expected[i]);
}

// The starts of changes that have these times; nothing for a faulty one.
std::vector<Tick> ticks(std::string_view times, std::uint64_t ticks_per_second) {
  std::string text = "time,path,value\n";
  for (const char c : times) text += c == ' ' ? std::string(",a,1\n") : std::string(1, c);
  auto reader =
      CsvReader::open(base::memory_source(test::bytes_of(text + ",a,1\n")), {}, ticks_per_second);
  std::vector<Tick> all;
  const auto rows = reader->next();
  for (const CsvRow& row : *rows) all.push_back(row.start);
  return all;
}

TEST(csv, times_in_ticks_seconds_and_wall_time) {
  EXPECT_THAT(ticks("7 1.5 -0.000000001 0.1234567891 9223372036.854775807 9223372036.854775808",
                    1'000'000'000),
              ElementsAre(7, 1'500'000'000, -1, std::numeric_limits<Tick>::max()));
  EXPECT_THAT(ticks("7 1.5 0.0000010 0.0000001 1. .5", 1'000'000), ElementsAre(7, 1'500'000, 1));
  EXPECT_THAT(ticks("1970-01-01T00:00:01.000002Z 1970-01-01T01:00:00+01:00 "
                    "1970-01-01T00:00:00.0000001Z 1970-13-01T00:00:00Z 5",
                    1'000'000),
              ElementsAre(1'000'002, 0));
  EXPECT_THAT(ticks("5 1970-01-01T00:00:01Z", 1), ElementsAre(5));
}

constexpr std::array kTypes{Type::none, Type::boolean, Type::integer,
                            Type::real, Type::string,  Type::bytes};

struct Written {
  std::string text{};
  std::vector<CsvRow> rows{};
};

Written write_random(CsvForm form, std::size_t count, std::mt19937_64& engine, Texts& texts) {
  Written written;
  std::vector<std::byte> bytes;
  const auto sink = base::memory_sink(bytes);
  CsvWriter writer(*sink, form);
  for (std::size_t i = 0; i < count; ++i) {
    CsvRow row{.start = static_cast<Tick>(engine())};
    row.end = form == CsvForm::changes ? row.start : std::numeric_limits<Tick>::max();
    if (form == CsvForm::keys) row.key = static_cast<Key>(engine() % kNoKey);
    else row.path = texts.keep(test::awkward_text(engine));
    row.value = test::random_value(kTypes[engine() % kTypes.size()], engine, texts);
    EXPECT_TRUE(writer.add(row));
    written.rows.push_back(row);
  }
  EXPECT_TRUE(writer.finish());
  written.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return written;
}

void expect_same(const Read& found, const std::vector<CsvRow>& rows) {
  EXPECT_TRUE(found.notices.empty());
  ASSERT_EQ(found.rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(found.rows[i].key, rows[i].key);
    EXPECT_EQ(found.rows[i].path, rows[i].path);
    EXPECT_EQ(found.rows[i].start, rows[i].start);
    EXPECT_EQ(found.rows[i].end, rows[i].end);
    EXPECT_EQ(found.rows[i].value, rows[i].value);
  }
}

class forms : public testing::TestWithParam<CsvForm> {};

TEST_P(forms, random_rows_come_back) {
  std::mt19937_64 engine(4);
  Texts texts;
  const auto written = write_random(GetParam(), 20'000, engine, texts);
  EXPECT_GT(written.text.size(), 512U * 1024);  // more than one piece
  expect_same(read(written.text), written.rows);
}

TEST_P(forms, reading_does_not_depend_on_the_pieces) {
  std::mt19937_64 engine(5);
  Texts texts;
  const auto written = write_random(GetParam(), 100, engine, texts);
  for (const std::size_t step : {1U, 7U, 100U}) expect_same(read(written.text, step), written.rows);
}

INSTANTIATE_TEST_SUITE_P(all, forms,
                         testing::Values(CsvForm::changes, CsvForm::keys, CsvForm::paths));

TEST(csv, text_that_ends_early_keeps_the_rows_before) {
  std::mt19937_64 engine(6);
  Texts texts;
  const auto written = write_random(CsvForm::paths, 30, engine, texts);
  for (std::size_t size = kCsvHeaders[2].size(); size < written.text.size(); ++size) {
    const auto found = read(written.text.substr(0, size));
    ASSERT_LE(found.rows.size(), written.rows.size());
    if (found.rows.size() < 2) continue;
    for (std::size_t i = 0; i + 2 < found.rows.size(); ++i)
      EXPECT_EQ(found.rows[i].value, written.rows[i].value);
  }
}

}  // namespace
}  // namespace polytrace::history
