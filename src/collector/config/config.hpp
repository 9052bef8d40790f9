// SPDX-License-Identifier: Apache-2.0
// What `polytrace collect` is told: a TOML file, or what stands where nothing is said. Every key is
// known, or refused with its line; nothing is guessed. Pure but for reading the file and the
// environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "collector/aggregate/labels.hpp"

namespace polytrace::collector {

struct Config {
  std::string socket;  // where agents dial
  LabelList labels{};  // of every process, over what it tells of itself
  std::string spool;   // the folder of what was taken and is not aggregated for good
  std::uint64_t spool_bytes = std::uint64_t{4} << 30;
  std::uint64_t spool_min_free = std::uint64_t{2} << 30;  // that its disk keeps for others
  std::chrono::seconds spool_age{24 * 3600};
  std::uint64_t outbox_bytes = std::uint64_t{1} << 30;  // of rows that wait for the store
  std::uint64_t credit = std::uint64_t{64} << 20;       // bytes on their way, of all agents
  std::string store;                                    // http://HOST:8123/DATABASE
  std::string user;
  std::string password_file;
  std::uint64_t metrics_port = 8472;  // on 127.0.0.1; 0: any that is free
  std::string token_file;             // who has its token may ask for blocks; empty: nobody
  std::chrono::seconds drain{30};     // at the end, for what is on its way
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

// What was understood, as a file that says it.
std::string config_text(const Config& config);
// {"schema": "polytrace.collect-config/1", ...}
std::string config_json(const Config& config);

}  // namespace polytrace::collector
