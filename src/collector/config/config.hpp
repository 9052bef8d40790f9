// SPDX-License-Identifier: Apache-2.0
// What `polytrace collect` is told: a TOML file, or what stands where nothing is said. Every key is
// known, or refused with its line; nothing is guessed. Pure but for reading the file and the
// environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "collector/aggregate/labels.hpp"
#include "collector/config/rules.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::collector {

// Somebody whose rows nobody else can see or write: a database of its own.
struct Tenant {
  std::string name;
  std::string database;
  std::vector<std::string> users{};  // of this machine, whose programs are its
};

// Certificates and tokens of one side: files in PEM, all absolute.
struct Credentials {
  std::string certificate{};
  std::string key{};
  std::string ca{};  // whom the other side's certificate must be of
  std::string token_file{};
};

// NATS JetStream between edges and hubs, instead of HTTP.
struct Bus {
  std::string url{};               // nats:// or tls://HOST:PORT, with commas between; empty: none
  std::string tenant = "default";  // whose rows an edge publishes
  std::string user{};
  std::string password_file{};
  std::string creds_file{};                           // of a user with keys, as nsc writes it
  std::uint64_t max_bytes = std::uint64_t{10} << 30;  // of the stream that hubs make
  std::uint64_t replicas = 1;                         // of it
};

struct Config {
  bool is_edge = true;                 // takes agents
  bool is_hub = true;                  // writes to the store
  std::vector<std::string> hubs{};     // https://HOST:PORT, of an edge that is no hub
  Credentials edge{};                  // what it shows them; the token itself is in the file
  std::chrono::seconds hub_time{120};  // that one of their answers may take
  std::chrono::seconds heartbeat{15};  // between questions whether a program is still there
  Bus bus{};
  Credentials bus_shown{};  // what the bus is shown
  std::string listen{};     // ADDRESS:PORT for edges and others; empty: nobody
  Credentials http{};       // what they are shown; the file is a list of tokens
  std::vector<Tenant> tenants{};
  std::uint64_t agent_port = 0;    // on 127.0.0.1 for agents, 0: none
  std::string agent_token_file{};  // what both sides show there
  double outbox_high = 0.8;        // of the outbox: above, others' rows must wait

  std::string socket;  // where agents dial
  LabelList labels{};  // of every process, over what it tells of itself
  std::string spool;   // the folder of what was taken and is not aggregated for good
  std::uint64_t spool_bytes = std::uint64_t{4} << 30;
  std::uint64_t spool_min_free = std::uint64_t{2} << 30;  // that its disk keeps for others
  std::chrono::seconds spool_age{24 * 3600};
  std::uint64_t spool_pinned = std::uint64_t{1} << 30;  // of files that rules keep of it
  std::vector<Rule> rules{};                            // what is kept with all its events
  std::chrono::seconds keep_traces{14 * 24 * 3600};     // that long
  std::string objects{};           // where to: "folder:/...", "s3:https://..."; empty: nowhere
  std::string objects_region{};    // of S3
  std::string objects_key_file{};  // likewise: the key's name and secret
  std::uint64_t upload_bytes = std::uint64_t{4} << 30;      // of files that come in pieces
  std::chrono::seconds upload_age{24 * 3600};               // of one whose sender stays away
  std::uint64_t outbox_bytes = std::uint64_t{1} << 30;      // of rows that wait for the store
  std::uint64_t credit = std::uint64_t{64} << 20;           // bytes on their way, of all agents
  std::uint64_t streams_memory = std::uint64_t{256} << 20;  // of all streams, about
  std::uint64_t streams_of_user = 64;
  // Of all programs; what is beyond is told as one.
  std::uint64_t new_names = 200'000;     // an hour
  std::uint64_t new_stacks = 1'000'000;  // a day
  std::uint64_t new_programs = 100'000;  // a day; others are refused
  std::uint64_t label_names = 50;        // a day
  warehouse::ShardAddresses store{};     // http://HOST:8123/DATABASE, by shard
  bool replicated = false;  // its tables have replicas: they must, where a shard has several
  std::string user;
  std::string password_file;
  std::string read_user{};           // who asks for others at the hub's door; empty: who writes
  std::string read_password_file{};  // its
  bool rolls = false;                // a hub rolls its store up
  bool prunes = false;               // and drops what is older than its table keeps:
  // seconds of each table that is told of; of traces see keep_traces.
  std::map<std::string, std::chrono::seconds> keep{};
  std::uint64_t metrics_port = 8472;         // on 127.0.0.1; 0: any that is free
  std::string token_file;                    // who has its token may ask for blocks; empty: nobody
  std::vector<std::string> control_allow{};  // of kVerbs; empty: nobody commands our programs
  std::chrono::seconds drain{30};            // at the end, for what is on its way
};

// The values of a user who says nothing.
Config default_config();
// Reads the file over `config`. Errors: open_failed; usage, with line and column, what was found
// and what may stand there.
base::result<void> read_config(const std::string& file, Config& config);
// The same from its text.
base::result<void> parse_config(std::string_view text, Config& config);
// "4g" and "90s", "24h", "7d": as the file has them.
bool parse_time(std::string_view text, std::chrono::seconds& time);

// What is missing, or does not fit together; nothing: it can begin. Where the store is, is not
// looked at. Errors: usage.
base::result<void> check_config(const Config& config);
// "127.0.0.1:8471", "[::]:8471".
struct Place {
  std::string address;
  std::uint16_t port = 0;
};
bool parse_place(std::string_view text, Place& place);
// Of [bus] alone; part of check_config. Errors: usage.
base::result<void> check_bus(const Config& config);
// tls://HOST:PORT, or nats://HOST:PORT of this machine; commas between several.
bool are_bus_addresses(std::string_view urls);
// One word of a subject of the bus: letters, digits, "_" and "-", at most 64.
bool is_subject_word(std::string_view text);

// What was understood, as a file that says it.
std::string config_text(const Config& config);
// {"schema": "polytrace.collect-config/1", ...}
std::string config_json(const Config& config);

}  // namespace polytrace::collector
