// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/legacy.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace polytrace::agent::control {
namespace {

using Cut = LegacyReader::Cut;
using enum LegacyVerb;

struct Row {
  std::string_view text;
  LegacyVerb verb;
  bool has_format;
  StreamFormat format;
};

TEST(control_legacy, commands_are_read_leniently) {
  const std::vector<Row> rows = {
      {"<setOutputFormat><format>binary</format></setOutputFormat>", set_output_format, true,
       StreamFormat::tbf},
      {"<setOutputFormat><format>xml</format></setOutputFormat>", set_output_format, true,
       StreamFormat::xml},
      {"\r\n <SETOUTPUTFORMAT>\n\t< Format >  BiNaRy \n</ FORMAT >\n</setoutputformat >\n",
       set_output_format, true, StreamFormat::tbf},
      {"<enabledOutputFormat><format>binary</format><enabledOutputFormat>", enabled_output_format,
       true, StreamFormat::tbf},
      {"<setOutputFormat><format>xml<format></setOutputFormat>", set_output_format, true,
       StreamFormat::xml},
      {"<?xml version=\"1.0\"?><!-- a > b --><setOutputFormat a=\"1\"><format>xml</format>"
       "</setOutputFormat>",
       set_output_format, true, StreamFormat::xml},
      {"\xef\xbb\xbf<setOutputFormat><format>binary</format></setOutputFormat>", set_output_format,
       true, StreamFormat::tbf},
      {"<setOutputFormat><format>native</format></setOutputFormat>", set_output_format, false,
       StreamFormat::native},
      {"<setOutputFormat><format>json</format></setOutputFormat>", set_output_format, false,
       StreamFormat::xml},
      {"<setOutputFormat/>", set_output_format, false, StreamFormat::xml},
      {"<startMonitoring/>", start_monitoring, false, StreamFormat::xml},
      {"<hello><world>xml</world></hello>", unknown, false, StreamFormat::xml},
  };
  for (const Row& row : rows) {
    LegacyReader reader;
    reader.append(row.text);
    LegacyCommand command;
    ASSERT_EQ(reader.next(command), Cut::command) << row.text;
    EXPECT_EQ(command.verb, row.verb) << row.text;
    EXPECT_EQ(command.has_format, row.has_format) << row.text;
    if (row.has_format) {
      EXPECT_EQ(command.format, row.format) << row.text;
    }
    EXPECT_EQ(reader.next(command), Cut::more) << row.text;
    EXPECT_TRUE(reader.empty()) << row.text;
  }
}

TEST(control_legacy, commands_may_arrive_in_pieces) {
  const std::string both = legacy_command(set_output_format, StreamFormat::tbf) + "\n" +
                           legacy_command(start_monitoring, StreamFormat::xml);
  for (std::size_t cut = 0; cut <= both.size(); ++cut) {
    LegacyReader reader;
    LegacyCommand command;
    std::vector<LegacyVerb> verbs;
    for (const std::string& part : {both.substr(0, cut), both.substr(cut)}) {
      reader.append(part);
      while (reader.next(command) == Cut::command) verbs.push_back(command.verb);
    }
    EXPECT_THAT(verbs, ::testing::ElementsAre(set_output_format, start_monitoring)) << cut;
  }
}

TEST(control_legacy, other_text_is_refused) {
  for (const std::string& text :
       {std::string("hello"), std::string("  x<a/>"), std::string("<></>"), std::string("</>"),
        "<a>" + std::string(LegacyReader::kLongest, 'x'),
        "<!--" + std::string(LegacyReader::kLongest, '-')}) {
    LegacyReader reader;
    reader.append(text);
    LegacyCommand command;
    EXPECT_EQ(reader.next(command), Cut::impossible) << text.substr(0, 20);
  }
}

TEST(control_legacy, first_bytes_tell_the_language) {
  EXPECT_TRUE(looks_legacy("<set"));
  EXPECT_TRUE(looks_legacy("\r\n\t <a/>"));
  EXPECT_TRUE(looks_legacy("\xef\xbb\xbf<a/>"));
  // A HELLO whose length is the code of '<', and frames of the greatest length.
  EXPECT_FALSE(looks_legacy(std::string_view("<\0\0\0", 4)));
  EXPECT_FALSE(looks_legacy(std::string_view("<<\0\0", 4)));
  EXPECT_FALSE(looks_legacy(std::string_view("\0\0\1\0", 4)));
  EXPECT_FALSE(looks_legacy("GET / HTTP/1.1"));
}

}  // namespace
}  // namespace polytrace::agent::control
