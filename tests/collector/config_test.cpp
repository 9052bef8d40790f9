// SPDX-License-Identifier: Apache-2.0
#include "collector/config/config.hpp"

#include <gtest/gtest.h>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

Config read_well(std::string_view text) {
  Config config = default_config();
  const auto read = parse_config(text, config);
  EXPECT_TRUE(read) << (read ? "" : base::to_text(read.error()));
  return config;
}

base::Error fault_of(std::string_view text) {
  Config config = default_config();
  const auto read = parse_config(text, config);
  EXPECT_FALSE(read) << text;
  return read ? base::Error{} : read.error();
}

TEST(collect_config, every_key_is_taken) {
  const Config config = read_well(R"(
role = ["hub", "edge"]
[edge]
socket = "/run/p/c.sock"
labels = { zone = "eu-1", service = "shop" }
drain = "5s"
[spool]
folder = "/var/lib/p"
bytes = "200m"
age = "36h"
min_free = "0"
[outbox]
bytes = "16m"
[memory]
credit = "8m"
[store]
urls = [["http://127.0.0.1:8123/shop"]]
user = "writer"
password_file = "/etc/p/password"
[metrics]
port = 0
token_file = "/etc/p/token"
)");
  EXPECT_EQ(config.socket, "/run/p/c.sock");
  const LabelList labels{{"service", "shop"}, {"zone", "eu-1"}};
  EXPECT_EQ(config.labels, labels);
  EXPECT_EQ(config.drain.count(), 5);
  EXPECT_EQ(config.spool, "/var/lib/p");
  EXPECT_EQ(config.spool_bytes, 200U << 20);
  EXPECT_EQ(config.spool_age.count(), 36 * 3600);
  EXPECT_EQ(config.spool_min_free, 0U);
  EXPECT_EQ(config.outbox_bytes, 16U << 20);
  EXPECT_EQ(config.credit, 8U << 20);
  EXPECT_EQ(config.store, "http://127.0.0.1:8123/shop");
  EXPECT_EQ(config.user, "writer");
  EXPECT_EQ(config.password_file, "/etc/p/password");
  EXPECT_EQ(config.token_file, "/etc/p/token");
  EXPECT_EQ(config.metrics_port, 0U);
}

TEST(collect_config, what_is_printed_is_read_as_the_same) {
  Config config = default_config();
  config.labels = {{"zone", "a \"b\" \\ c\n"}};
  config.store = "http://127.0.0.1:8123/shop";
  config.spool_bytes = (std::uint64_t{1} << 30) + 1;
  config.drain = std::chrono::seconds(61);
  const std::string text = config_text(config);
  const Config again = read_well(text);
  EXPECT_EQ(config_text(again), text);
  EXPECT_EQ(again.labels, config.labels);
  EXPECT_EQ(again.spool_bytes, config.spool_bytes);
  EXPECT_EQ(again.drain, config.drain);
}

TEST(collect_config, a_fault_says_line_cause_and_what_may_stand_there) {
  const auto mistyped = fault_of("[spool]\nage = \"1h\"\nfoldr = \"/x\"\n");
  EXPECT_EQ(mistyped.place.line, 3U);
  EXPECT_NE(mistyped.detail.find("spool.foldr"), std::string::npos) << mistyped.detail;
  EXPECT_NE(mistyped.detail.find("did you mean \"folder\""), std::string::npos) << mistyped.detail;
  const auto time = fault_of("[spool]\n\nage = \"soon\"\n");
  EXPECT_EQ(time.place.line, 3U);
  EXPECT_NE(time.detail.find("\"24h\""), std::string::npos) << time.detail;
  EXPECT_NE(fault_of("[kept]\n").detail.find("edge, spool"), std::string::npos);
  EXPECT_EQ(fault_of("[edge\n").place.line, 1U);
}

TEST(collect_config, bad_values_are_refused) {
  for (const std::string_view text : {"role = [\"edge\"]",
                                      "role = \"edge\"",
                                      "edge = 1",
                                      "[edge]\nsocket = \"relative\"",
                                      "[edge]\nsocket = 3",
                                      "[edge]\nlabels = { \"1\" = \"x\" }",
                                      "[edge]\nlabels = { a = 1 }",
                                      "[edge]\ndrain = \"0s\"",
                                      "[edge]\ndrain = \"10\"",
                                      "[edge]\ndrain = \"10ms\"",
                                      "[edge]\ndrain = \"99999999999999d\"",
                                      "[spool]\nbytes = \"1m\"",
                                      "[spool]\nbytes = 5",
                                      "[spool]\nbytes = \"99999999999g\"",
                                      "[memory]\ncredit = \"1\"",
                                      "[metrics]\nport = 65536",
                                      "[metrics]\nport = -1",
                                      "[store]\nurls = [\"http://h:1/d\"]",
                                      "[store]\nurls = []",
                                      "[store]\nurls = [[\"http://a:1/d\", \"http://b:1/d\"]]",
                                      "[store]\nurls = [[\"nowhere\"]]",
                                      "[store]\nurls = [[\"http://user:secret@h:1/d\"]]",
                                      "[store]\nuser = \"\""})
    EXPECT_EQ(fault_of(text).code, base::Code::usage) << text;
}

}  // namespace
}  // namespace polytrace::collector
