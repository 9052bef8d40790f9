// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_writer.hpp"

#include <gtest/gtest.h>

namespace polytrace::base {
namespace {

std::string written(JsonWriter::Form form) {
  std::string out;
  JsonWriter json(out, form);
  json.begin_object();
  json.member("large", std::int64_t{9007199254740993});
  json.key("exact");
  json.number("9007199254740993");
  json.new_line();
  json.key("list");
  json.begin_array();
  json.value(1);
  json.new_line();
  json.number("-17.0");
  json.end_array();
  json.end_object();
  return out;
}

TEST(json_writer, number_is_written_as_it_is_spelled_and_lines_begin_where_asked) {
  EXPECT_EQ(written(JsonWriter::Form::one_line),
            "{\"large\":\"9007199254740993\",\"exact\":9007199254740993,\n\"list\":[1,\n-17.0]}");
}

TEST(json_writer, indented_lines_need_no_asking) {
  EXPECT_EQ(written(JsonWriter::Form::indented),
            "{\n  \"large\": \"9007199254740993\",\n  \"exact\": 9007199254740993,\n"
            "  \"list\": [\n    1,\n    -17.0\n  ]\n}");
}

}  // namespace
}  // namespace polytrace::base
