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
streams = "32m"
[limits]
streams_of_user = 5
new_names = 6
new_stacks = 7
new_programs = 8
label_names = 9
[store]
urls = [["http://127.0.0.1:8123/shop", "http://b:8123/shop"], ["http://c:8123/shop"]]
engine = "replicated"
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
  EXPECT_EQ(config.streams_memory, 32U << 20);
  EXPECT_EQ(config.streams_of_user, 5U);
  EXPECT_EQ(config.new_names, 6U);
  EXPECT_EQ(config.new_stacks, 7U);
  EXPECT_EQ(config.new_programs, 8U);
  EXPECT_EQ(config.label_names, 9U);
  const warehouse::ShardAddresses store{{"http://127.0.0.1:8123/shop", "http://b:8123/shop"},
                                        {"http://c:8123/shop"}};
  EXPECT_EQ(config.store, store);
  EXPECT_TRUE(config.replicated);
  EXPECT_EQ(config.user, "writer");
  EXPECT_EQ(config.password_file, "/etc/p/password");
  EXPECT_EQ(config.token_file, "/etc/p/token");
  EXPECT_EQ(config.metrics_port, 0U);
}

TEST(collect_config, nothing_is_commanded_unless_it_is_allowed) {
  const std::vector<std::string> allow{"gc", "heap-dump"};
  EXPECT_EQ(read_well("[control]\nallow = [\"gc\", \"heap-dump\"]").control_allow, allow);
  EXPECT_TRUE(read_well("[control]\nallow = []").control_allow.empty());
  EXPECT_TRUE(default_config().control_allow.empty());
}

TEST(collect_config, every_key_of_what_joins_machines_is_taken) {
  const Config config = read_well(R"(
role = ["hub", "edge"]
[edge]
tcp_port = 9001
tcp_token_file = "/etc/p/agents"
[http]
listen = "[::]:8471"
cert = "/etc/p/hub.pem"
key = "/etc/p/hub.key"
ca = "/etc/p/ca.pem"
token_file = "/etc/p/tokens.toml"
[outbox]
high = 0.5
[[tenant]]
name = "shop"
database = "pt_shop"
users = ["shop", "root"]
[[tenant]]
name = "search"
database = "pt_search"
)");
  EXPECT_TRUE(config.is_edge && config.is_hub);
  EXPECT_TRUE(check_config(config));
  EXPECT_EQ(config.outbox_high, 0.5);
  EXPECT_EQ(config.agent_port, 9001U);
  EXPECT_EQ(config.agent_token_file, "/etc/p/agents");
  EXPECT_EQ(config.listen, "[::]:8471");
  EXPECT_EQ(config.http.certificate, "/etc/p/hub.pem");
  EXPECT_EQ(config.http.key, "/etc/p/hub.key");
  EXPECT_EQ(config.http.ca, "/etc/p/ca.pem");
  EXPECT_EQ(config.http.token_file, "/etc/p/tokens.toml");
  ASSERT_EQ(config.tenants.size(), 2U);
  EXPECT_EQ(config.tenants[0].name, "shop");
  EXPECT_EQ(config.tenants[0].database, "pt_shop");
  const std::vector<std::string> users{"shop", "root"};
  EXPECT_EQ(config.tenants[0].users, users);
  EXPECT_TRUE(config.tenants[1].users.empty());
}

TEST(collect_config, every_key_of_a_bus_is_taken) {
  const Config config = read_well(R"(
role = ["edge"]
[edge]
heartbeat = "5s"
hub_time = "7s"
[bus]
url = "tls://a:4222,tls://[fe80::1]:4222"
tenant = "shop"
user = "edge-7"
password_file = "/etc/p/word"
creds_file = "/etc/p/creds"
token_file = "/etc/p/token"
ca = "/etc/p/ca.pem"
cert = "/etc/p/c.pem"
key = "/etc/p/c.key"
max_bytes = "5g"
replicas = 3
)");
  EXPECT_EQ(config.heartbeat.count(), 5);
  EXPECT_EQ(config.hub_time.count(), 7);
  EXPECT_EQ(config.bus.url, "tls://a:4222,tls://[fe80::1]:4222");
  EXPECT_EQ(config.bus.tenant, "shop");
  EXPECT_EQ(config.bus.user, "edge-7");
  EXPECT_EQ(config.bus.password_file, "/etc/p/word");
  EXPECT_EQ(config.bus.creds_file, "/etc/p/creds");
  EXPECT_EQ(config.bus_shown.token_file, "/etc/p/token");
  EXPECT_EQ(config.bus_shown.ca, "/etc/p/ca.pem");
  EXPECT_EQ(config.bus_shown.certificate, "/etc/p/c.pem");
  EXPECT_EQ(config.bus_shown.key, "/etc/p/c.key");
  EXPECT_EQ(config.bus.max_bytes, std::uint64_t{5} << 30);
  EXPECT_EQ(config.bus.replicas, 3U);
  Config hub = config;
  hub.is_edge = false;
  hub.is_hub = true;
  for (const Config& one : {config, hub})
    EXPECT_EQ(config_text(read_well(config_text(one))), config_text(one));
}

TEST(collect_config, every_key_of_what_is_kept_is_taken) {
  const Config config = read_well(R"(
[spool]
pinned = "5m"
[keep]
traces = "3d"
[objects]
to = "folder:/srv/traces"
[[rule]]
name = "long pause"
when = "pause_max_ns > 500ms"
do = "keep 60s"
per_hour = 7
[[rule]]
name = "many"
when = "waits >= 12"
do = "keep 90s"
)");
  EXPECT_TRUE(check_config(config));
  EXPECT_EQ(config.spool_pinned, 5U << 20);
  EXPECT_EQ(config.keep_traces, std::chrono::hours(72));
  EXPECT_EQ(config.objects, "folder:/srv/traces");
  ASSERT_EQ(config.rules.size(), 2U);
  EXPECT_EQ(config.rules[0].name, "long pause");
  EXPECT_EQ(config.rules[0].test.value, 500'000'000U);
  EXPECT_EQ(config.rules[0].around.count(), 60);
  EXPECT_EQ(config.rules[0].per_hour, 7U);
  EXPECT_EQ(config.rules[1].per_hour, 2U);
  const Config again = read_well(config_text(config));
  EXPECT_EQ(config_text(again), config_text(config));
  EXPECT_EQ(again.rules[0].test.value, 500'000'000U);
}

TEST(collect_config, every_key_of_keeping_a_store_is_taken) {
  const Config config = read_well(R"(
[store]
user = "writer"
password_file = "/etc/p/password"
read_user = "reader"
read_password_file = "/etc/p/reader"
[roll]
enabled = true
prune = true
[keep]
traces = "3d"
profile_10s = "12h"
profile_1m = "20d"
profile_1h = "300d"
methods_1m = "5d"
methods_1h = "301d"
health_10s = "6d"
moments = "7d"
batches = "8d"
streams = "90s"
)");
  EXPECT_TRUE(check_config(config));
  EXPECT_EQ(config.read_user, "reader");
  EXPECT_EQ(config.read_password_file, "/etc/p/reader");
  EXPECT_TRUE(config.rolls && config.prunes);
  EXPECT_EQ(config.keep.size(), 9U);
  EXPECT_EQ(config.keep.at("profile_10s"), std::chrono::hours(12));
  EXPECT_EQ(config.keep.at("streams"), std::chrono::seconds(90));
  EXPECT_EQ(config.keep.count("traces"), 0U);
  const Config again = read_well(config_text(config));
  EXPECT_EQ(config_text(again), config_text(config));
  EXPECT_EQ(again.keep, config.keep);
  EXPECT_FALSE(default_config().rolls || default_config().prunes);
}

TEST(collect_config, what_keeps_a_store_must_fit_together) {
  const auto why = [](std::string_view text) {
    const auto checked = check_config(read_well(text));
    return checked ? std::string() : checked.error().detail;
  };
  EXPECT_NE(why("[store]\nread_password_file = \"/x\"").find("store.read_user"), std::string::npos);
  EXPECT_NE(why("[roll]\nprune = true").find("roll.enabled"), std::string::npos);
  EXPECT_NE(why("[keep]\nmoments = \"1d\"").find("keep.moments"), std::string::npos);
  EXPECT_NE(why("role = [\"edge\"]\n[edge]\nhubs = [\"https://hub:8471\"]\ntoken_file = \"/t\"\n"
                "[roll]\nenabled = true")
                .find("the hub's"),
            std::string::npos);
  for (const std::string_view text :
       {"[store]\nread_user = \"\"", "[store]\nread_password_file = \"relative\"",
        "[roll]\nenabled = 1", "[roll]\nprune = \"yes\"", "[keep]\nstreams = \"long\""})
    EXPECT_EQ(fault_of(text).place.line, 2U) << text;
}

TEST(collect_config, what_is_wrong_with_objects_and_rules_is_told_with_its_line) {
  for (const auto* const to :
       {"/srv", "folder:srv", "s3:https://host", "s3:host/bucket", "s3:https://a@host/bucket",
        "s3:https://host/../b", "s3:http://host/bucket", "ftp://host/x"})
    EXPECT_EQ(fault_of("[objects]\nto = \"" + std::string(to) + "\"\n").place.line, 2U) << to;
  const base::Error fault =
      fault_of("[[rule]]\nname = \"a\"\nwhen = \"pause_max > 5ms\"\ndo = \"keep 60s\"\n");
  EXPECT_EQ(fault.place.line, 3U);
  EXPECT_NE(fault.detail.find("did you mean \"pause_max_ns\"?"), std::string::npos) << fault.detail;
  const std::string rule = "[[rule]]\nname = \"a\"\nwhen = \"gcs > 5\"\ndo = \"keep 60s\"\n";
  EXPECT_NE(fault_of(rule + rule).detail.find("two rules"), std::string::npos);
  EXPECT_NE(fault_of(rule + "per_hour = 0\n").detail.find("per_hour"), std::string::npos);
  Config hub = default_config();
  EXPECT_TRUE(parse_config("role = [\"hub\"]\n" + rule, hub));
  EXPECT_FALSE(check_config(hub));
  Config keyless = default_config();
  EXPECT_TRUE(parse_config("[objects]\nto = \"s3:https://host/bucket\"\n", keyless));
  EXPECT_FALSE(check_config(keyless));
}

TEST(collect_config, what_is_printed_is_read_as_the_same) {
  Config config = default_config();
  config.labels = {{"zone", "a \"b\" \\ c\n"}};
  config.store = {{"http://127.0.0.1:8123/shop", "http://b:8123/shop"}, {"http://c:8123/shop"}};
  config.replicated = true;
  config.spool_bytes = (std::uint64_t{1} << 30) + 1;
  config.drain = std::chrono::seconds(61);
  config.is_edge = false;
  config.listen = "0.0.0.0:8471";
  config.http = {"/c\"", "/k", "/ca", "/t"};
  config.edge = {"/ec", "/ek", "/eca", "/et"};
  config.hubs = {"https://a:1", "https://b:2"};
  config.tenants = {{"a", "pt_a", {"root", "shop"}}, {"b", "pt_b", {}}};
  config.agent_port = 7;
  config.agent_token_file = "/agents";
  config.outbox_high = 0.75;
  config.spool_pinned = 3 << 20;
  config.keep_traces = std::chrono::hours(48);
  config.upload_bytes = 3 << 20;
  config.upload_age = std::chrono::seconds(61);
  config.objects = "s3:https://s3.example/traces/of-a";
  config.objects_region = "eu-1";
  config.objects_key_file = "/keys";
  const std::string text = config_text(config);
  const Config again = read_well(text);
  EXPECT_EQ(config_text(again), text);
  EXPECT_EQ(again.labels, config.labels);
  EXPECT_EQ(again.spool_bytes, config.spool_bytes);
  EXPECT_EQ(again.drain, config.drain);
  EXPECT_EQ(again.upload_bytes, config.upload_bytes);
  EXPECT_EQ(again.upload_age, config.upload_age);
  EXPECT_EQ(again.store, config.store);
  EXPECT_TRUE(again.replicated);
}

TEST(collect_config, a_fault_says_line_cause_and_what_may_stand_there) {
  const auto mistyped = fault_of("[spool]\nage = \"1h\"\nfoldr = \"/x\"\n");
  EXPECT_EQ(mistyped.place.line, 3U);
  EXPECT_NE(mistyped.detail.find("spool.foldr"), std::string::npos) << mistyped.detail;
  EXPECT_NE(mistyped.detail.find("did you mean \"folder\""), std::string::npos) << mistyped.detail;
  const auto time = fault_of("[spool]\n\nage = \"soon\"\n");
  EXPECT_EQ(time.place.line, 3U);
  EXPECT_NE(time.detail.find("\"24h\""), std::string::npos) << time.detail;
  EXPECT_NE(fault_of("[kept]\n").detail.find("edge, bus, http, spool"), std::string::npos);
  EXPECT_EQ(fault_of("[edge\n").place.line, 1U);
}

TEST(collect_config, bad_values_are_refused) {
  for (const std::string_view text :
       {"role = []",
        "role = [\"edge\", \"edge\"]",
        "role = [\"store\"]",
        "role = \"edge\"",
        "[edge]\nhubs = [\"http://hub:8471\"]",
        "[edge]\nhubs = [\"https://hub:8471/shop\"]",
        "[edge]\nhubs = []",
        "[edge]\ncert = \"edge.pem\"",
        "[http]\nlisten = \"8471\"",
        "[http]\nlisten = \":8471\"",
        "[http]\nlisten = \"0.0.0.0:84710\"",
        "[outbox]\nhigh = 1.5",
        "[outbox]\nhigh = \"80%\"",
        "[[tenant]]\nname = \"a\"",
        "[[tenant]]\nname = \"a\"\ndatabase = \"a; DROP\"",
        "[[tenant]]\nname = \"a\"\ndatabase = \"a\"\nuser = \"b\"",
        "[[tenant]]\nname = \"a\"\ndatabase = \"a\"\n[[tenant]]\nname "
        "= \"a\"\ndatabase = \"b\"",
        "[tenant]\nname = \"a\"\ndatabase = \"a\"",
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
        "[memory]\nstreams = \"1m\"",
        "[control]\nallow = [\"gc\", \"shutdown\"]",
        "[control]\nallow = \"gc\"",
        "[control]\nallow = [1]",
        "[limits]\nnew_names = 0",
        "[limits]\nlabel_names = \"5\"",
        "[metrics]\nport = 65536",
        "[metrics]\nport = -1",
        "[store]\nurls = [\"http://h:1/d\"]",
        "[store]\nurls = []",
        "[store]\nurls = [[]]",
        "[store]\nurls = [[\"http://a:1/d\", 7]]",
        "[store]\nengine = \"many\"",
        "[store]\nurls = [[\"nowhere\"]]",
        "[store]\nurls = [[\"http://user:secret@h:1/d\"]]",
        "[store]\nuser = \"\""})
    EXPECT_EQ(fault_of(text).code, base::Code::usage) << text;
  // Two servers that know nothing of each other would each have a part of a shard.
  Config config = read_well("[store]\nurls = [[\"http://a:1/d\", \"http://b:1/d\"]]");
  EXPECT_FALSE(check_config(config));
  config.replicated = true;
  EXPECT_TRUE(check_config(config));
}

TEST(collect_config, roles_need_what_joins_them) {
  const auto why = [](std::string_view text) {
    const auto checked = check_config(read_well(text));
    return checked ? std::string() : checked.error().detail;
  };
  EXPECT_EQ(why(""), "");
  EXPECT_EQ(why("role = [\"edge\"]\n[edge]\nhubs = [\"https://hub:8471\"]\ncert = \"/c\"\nkey = "
                "\"/k\"\nca = \"/ca\""),
            "");
  EXPECT_EQ(why("role = [\"edge\"]\n[edge]\nhubs = [\"http://127.0.0.1:8471\"]\n"
                "token_file = \"/t\""),
            "");
  EXPECT_EQ(why("role = [\"hub\"]\n[http]\nlisten = \"127.0.0.1:0\"\ntoken_file = \"/t\""), "");
  for (const auto& [text, word] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"[bus]\nuser = \"a\"", "bus.url"},
           {"role = [\"edge\"]", "edge.hubs"},
           {"role = [\"edge\"]\n[edge]\nhubs = [\"https://hub:8471\"]", "edge.token_file"},
           {"[edge]\nhubs = [\"https://hub:8471\"]", "role = [\"edge\"]"},
           {"role = [\"hub\"]", "http.listen"},
           {"[http]\nlisten = \"0.0.0.0:8471\"", "http.token_file"},
           {"[http]\nlisten = \"0.0.0.0:8471\"\ncert = \"/c\"\nca = \"/ca\"", "key"},
           {"[http]\nlisten = \"127.0.0.1:8471\"\nca = \"/ca\"", "http.cert"},
           {"[edge]\ntcp_port = 9001", "tcp_token_file"}})
    EXPECT_NE(why(text).find(word), std::string::npos) << text << "\n" << why(text);
}

TEST(collect_config, bad_values_of_a_bus_are_refused) {
  for (const std::string_view text :
       {"[bus]\nurl = \"a:4222\"", "[bus]\nurl = \"nats://a:4222\"", "[bus]\nurl = \"tls://a\"",
        "[bus]\nurl = \"tls://a:4222,\"", "[bus]\nurl = \"tls://user:word@a:4222\"",
        "[bus]\ntenant = \"a.b\"", "[bus]\ntenant = \"a*\"", "[bus]\nmax_bytes = \"1k\"",
        "[bus]\nreplicas = 0"})
    EXPECT_EQ(fault_of(text).code, base::Code::usage) << text;
}

TEST(collect_config, a_bus_needs_what_goes_with_it) {
  const auto why = [](std::string_view text) {
    const auto checked = check_config(
        read_well("role = [\"edge\"]\n[bus]\nurl = \"tls://a:4222\"\n" + std::string(text)));
    return checked ? std::string() : checked.error().detail;
  };
  if (why("").find("libnats") != std::string::npos) GTEST_SKIP() << why("");
  EXPECT_EQ(why(""), "");
  EXPECT_EQ(why("user = \"a\"\npassword_file = \"/p\""), "");
  EXPECT_TRUE(check_config(read_well("role = [\"hub\"]\n[bus]\nurl = \"nats://[::1]:4222\"")));
  for (const auto& [text, word] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"user = \"a\"", "bus.password_file"},
           {"user = \"a\"\npassword_file = \"/p\"\ncreds_file = \"/c\"", "is enough"},
           {"cert = \"/c\"", "bus.key"},
           {"[edge]\nhubs = [\"https://hub:8471\"]\ntoken_file = \"/t\"", "not both"}})
    EXPECT_NE(why(text).find(word), std::string::npos) << text << "\n" << why(text);
  Config hub = read_well("role = [\"hub\"]\n[bus]\nurl = \"nats://127.0.0.1:4222\"\nca = \"/c\"");
  EXPECT_FALSE(check_config(hub));
  hub.bus_shown = {};
  hub.tenants = {{"a.b", "pt_a", {}}};
  EXPECT_FALSE(check_config(hub));
}

}  // namespace
}  // namespace polytrace::collector
