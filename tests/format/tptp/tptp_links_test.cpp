// SPDX-License-Identifier: Apache-2.0
// What messages written from events hang under: ids that no event tells are made, and are nothing
// to who reads them back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "format/tptp/events/links.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tptp::Link;
using Lines = std::vector<std::string>;

std::vector<std::byte> written(const Lines& events) {
  auto done = write_lines(*find_format("trcxml"), "utf-8", events);
  EXPECT_TRUE(done) << base::to_text(done.error());
  return done ? std::move(done->bytes) : std::vector<std::byte>{};
}

// Elements of the trace; those of them that have the attribute, with its value.
Lines elements(const Lines& events, const std::string& attribute = "") {
  const std::vector<std::byte> bytes = written(events);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::regex pattern("\n<(\\w+) " +
                           (attribute.empty() ? "" : ".*\\b" + attribute + "=\"([^\"]*)\""));
  Lines found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back((*at)[1].str() + (attribute.empty() ? "" : " " + (*at)[2].str()));
  return found;
}

std::string value(const Lines& events, const std::string& attribute) {
  const Lines found = elements(events, attribute);
  return found.empty() ? "" : found.front().substr(found.front().find(' ') + 1);
}

const std::string kShop = "5 - process pid=0x7 host=\"build7\" agent=\"log\"";
const std::string kThread = "6 0x1 thread thread=0x1 life=begin";

TEST(tptp_links, are_the_same_for_the_same_facts_only) {
  const std::string trace = value({kShop, kThread}, "traceId");
  EXPECT_TRUE(tptp::is_made_link(Link::whole, trace)) << trace;
  EXPECT_EQ(value({kShop, kThread}, "traceId"), trace);
  for (const char* other : {"5 - process pid=0x8 host=\"build7\" agent=\"log\"",
                            "5 - process pid=0x7 host=\"build8\" agent=\"log\"",
                            "5 - process pid=0x7 host=\"build7\" agent=\"lag\""})
    EXPECT_NE(value({other, kThread}, "traceId"), trace) << other;
  EXPECT_NE(value({kShop, "7 0x1 thread thread=0x1 life=begin"}, "traceId"), trace);
}

TEST(tptp_links, are_known_by_their_whole_form) {
  const std::string made = tptp::make_link(Link::agent, "parent", "text", 1);
  EXPECT_TRUE(tptp::is_made_link(Link::agent, made));
  EXPECT_FALSE(tptp::is_made_link(Link::node, made));
  EXPECT_FALSE(tptp::is_made_link(Link::agent, made + "0"));
  EXPECT_FALSE(tptp::is_made_link(Link::agent, made.substr(1)));
  EXPECT_FALSE(tptp::is_made_link(Link::agent, "polytrace-agent-0123456789abcdeg"));
  EXPECT_FALSE(tptp::is_made_link(Link::agent, ""));
}

TEST(tptp_links, are_nothing_to_who_reads_them) {
  EXPECT_THAT(elements({kThread}),
              ElementsAre("node", "processCreate", "agentCreate", "traceStart", "threadStart"));
  EXPECT_THAT(read_whole(written({kThread})).lines,
              ElementsAre("6 - clock", "6 0x1 thread thread=0x1 life=begin"));
  EXPECT_THAT(elements({}), IsEmpty());
}

TEST(tptp_links, a_filter_is_one_of_its_trace) {
  const Lines events{"6 - filter pattern=\"Shop\" mode=\"INCLUDE\""};
  EXPECT_THAT(elements(events, "traceIdRef"), ElementsAre("filter " + value(events, "traceId")));
}

TEST(tptp_links, belong_to_the_trace_whatever_is_told_later) {
  const Lines events{kShop, kThread, "7 - process pid=0x8", "8 - recording stage=end"};
  EXPECT_THAT(elements(events),
              ElementsAre("node", "processCreate", "agentCreate", "traceStart", "threadStart",
                          "processCreate", "traceEnd", "agentDestroy"));
  const std::string agent = value(events, "agentId");
  EXPECT_THAT(elements(events, "agentIdRef"),
              ElementsAre("traceStart " + agent, "agentDestroy " + agent));
}

TEST(tptp_links, one_agent_has_many_traces) {
  const Lines events{"5 - recording stage=start name=\"a\"", "6 - recording stage=end", kThread,
                     "7 - recording stage=start name=\"b\"", "8 - recording stage=end"};
  EXPECT_THAT(elements(events),
              ElementsAre("node", "processCreate", "agentCreate", "traceStart", "threadStart",
                          "traceEnd", "traceStart", "traceEnd", "agentDestroy"));
  EXPECT_THAT(elements(events, "traceId"), ElementsAre("traceStart a", "traceStart b"));
}

TEST(tptp_links, another_session_behind_the_end_has_its_own_agent) {
  const Lines events{kShop,
                     kThread,
                     "7 - recording stage=end",
                     "8 - recording stage=start name=\"b\"",
                     "8 - setting key=\"depth\" value=\"1\"",
                     "8 - process pid=0x8 agent=\"log\"",
                     "9 0x1 gc phase=start",
                     "9 - recording stage=end"};
  EXPECT_THAT(elements(events),
              ElementsAre("node", "processCreate", "agentCreate", "traceStart", "threadStart",
                          "traceEnd", "processCreate", "agentCreate", "agentDestroy", "traceStart",
                          "option", "gcStart", "traceEnd", "agentDestroy"));
  const Lines agents = elements(events, "agentIdRef");
  ASSERT_EQ(agents.size(), 4U);
  EXPECT_EQ(agents[1].substr(13), agents[0].substr(11));
  EXPECT_EQ(agents[3].substr(13), agents[2].substr(11));
  EXPECT_NE(agents[2].substr(11), agents[0].substr(11));
}

TEST(tptp_links, a_node_that_a_process_names_is_there_before_it) {
  EXPECT_THAT(elements({"5 - process host=\"build7\"", "6 - process pid=0x7 node=\"n1\""}),
              ElementsAre("node", "node", "processCreate"));
  EXPECT_THAT(elements({"5 - process host=\"build7\"", "6 - process pid=0x7"}),
              ElementsAre("node", "processCreate"));
}

}  // namespace
}  // namespace polytrace::format::test
