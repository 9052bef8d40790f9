// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <toml++/toml.h>
#include <array>
#include <fstream>
#include <iterator>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "collector/config/config.hpp"
#include "service/words/words.hpp"
#include "warehouse/link.hpp"

namespace polytrace::collector {
namespace {

constexpr std::uint64_t kMostConfigBytes = 1 << 20;

base::Unexpected wrong(const toml::source_region& where, std::string why) {
  return base::fail(base::Code::usage, std::move(why),
                    {.line = where.begin.line, .column = where.begin.column});
}

// --- kinds of values: true where it is one and was taken ---
using Text = std::string Config::*;
using Size = std::uint64_t Config::*;
using Span = std::chrono::seconds Config::*;

bool take_text(const toml::node& node, std::string& into) {
  const auto text = node.value_exact<std::string>();
  if (!text || text->empty() || text->find('\0') != text->npos) return false;
  into = *text;
  return true;
}

template <Text member>
bool take_path(const toml::node& node, Config& config) {
  return take_text(node, config.*member) && (config.*member)[0] == '/';
}
template <Text member>
bool take_word(const toml::node& node, Config& config) {
  return take_text(node, config.*member);
}
template <Size member>
bool take_size(const toml::node& node, Config& config) {
  std::string text;
  std::uint64_t bytes = 0;
  if (!take_text(node, text) || !agent::parse_size(text, bytes)) return false;
  config.*member = bytes;
  return true;
}
template <Size member, std::uint64_t least>
bool take_size_from(const toml::node& node, Config& config) {
  return take_size<member>(node, config) && config.*member >= least;
}
template <Span member>
bool take_time(const toml::node& node, Config& config) {
  std::string text;
  return take_text(node, text) && parse_time(text, config.*member);
}
bool take_port(const toml::node& node, Config& config) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < 0 || *number > 65535) return false;
  config.metrics_port = static_cast<std::uint64_t>(*number);
  return true;
}
// One process is both.
bool take_role(const toml::node& node, Config&) {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->size() != 2) return false;
  const auto one = (*list)[0].value_exact<std::string>();
  const auto other = (*list)[1].value_exact<std::string>();
  return one && other && *one != *other && (*one == "edge" || *one == "hub") &&
         (*other == "edge" || *other == "hub");
}
// A list of shards, each a list of replicas: of one.
bool take_urls(const toml::node& node, Config& config) {
  const toml::array* const shards = node.as_array();
  if (shards == nullptr || shards->size() != 1) return false;
  const toml::array* const replicas = (*shards)[0].as_array();
  return replicas != nullptr && replicas->size() == 1 && take_text((*replicas)[0], config.store) &&
         warehouse::parse_address(config.store);
}
bool take_labels(const toml::node& node, Config& config) {
  const toml::table* const table = node.as_table();
  if (table == nullptr || table->size() > kMostLabels) return false;
  for (const auto& [name, value] : *table) {
    const auto text = value.value_exact<std::string>();
    if (!text || !parse_label(std::string(name.str()) + "=" + *text)) return false;
    config.labels.emplace_back(name.str(), *text);
  }
  return true;
}

struct Key {
  std::string_view section;  // "": of the file itself
  std::string_view name;
  bool (*take)(const toml::node&, Config&);
  std::string_view allowed;
};

constexpr std::string_view kPath = "an absolute path";
constexpr std::string_view kSize = "a size such as \"512m\" or \"4g\"";
constexpr std::string_view kTime = "a time such as \"90s\", \"24h\" or \"7d\"";
constexpr std::array kKeys = {
    Key{"", "role", take_role, "[\"edge\", \"hub\"]: one process is both"},
    Key{"edge", "socket", take_path<&Config::socket>, kPath},
    Key{"edge", "labels", take_labels, "a table of at most 32 labels: { zone = \"eu-1\" }"},
    Key{"edge", "drain", take_time<&Config::drain>, kTime},
    Key{"spool", "folder", take_path<&Config::spool>, kPath},
    Key{"spool", "bytes", take_size_from<&Config::spool_bytes, (std::uint64_t{128} << 20)>,
        "a size from \"128m\" on"},
    Key{"spool", "age", take_time<&Config::spool_age>, kTime},
    Key{"spool", "min_free", take_size<&Config::spool_min_free>, kSize},
    Key{"outbox", "bytes", take_size_from<&Config::outbox_bytes, (std::uint64_t{16} << 20)>,
        "a size from \"16m\" on"},
    Key{"memory", "credit", take_size_from<&Config::credit, (std::uint64_t{1} << 20)>,
        "a size from \"1m\" on"},
    Key{"store", "urls", take_urls,
        "one server: [[\"http://HOST:8123/DATABASE\"]], without user and password"},
    Key{"store", "user", take_word<&Config::user>, "a name"},
    Key{"store", "password_file", take_path<&Config::password_file>, kPath},
    Key{"metrics", "port", take_port, "a number from 0 to 65535"},
    Key{"metrics", "token_file", take_path<&Config::token_file>, kPath},
};

std::string full_name(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

bool is_section(std::string_view name) {
  return !name.empty() && std::ranges::find(kKeys, name, &Key::section) != kKeys.end();
}

base::Unexpected unknown(std::string_view section, const toml::key& key) {
  std::vector<std::string> known;
  for (const Key& one : kKeys) {
    if (one.section == section) known.emplace_back(one.name);
    const bool is_new = section.empty() && !one.section.empty() &&
                        std::ranges::find(known, one.section) == known.end();
    if (is_new) known.emplace_back(one.section);
  }
  return wrong(key.source(),
               fmt::format("there is no key \"{}\"{}; there are {}", full_name(section, key.str()),
                           service::did_you_mean(key.str(), known), fmt::join(known, ", ")));
}

base::result<void> take_table(std::string_view section, const toml::table& table, Config& config) {
  for (const auto& [name, node] : table) {
    const auto key = std::ranges::find_if(
        kKeys, [&](const Key& one) { return one.section == section && one.name == name.str(); });
    if (key != kKeys.end()) {
      if (!key->take(node, config))
        return wrong(node.source(),
                     fmt::format("{} is {}", full_name(section, name.str()), key->allowed));
    } else if (section.empty() && is_section(name.str()) && node.is_table()) {
      if (auto taken = take_table(name.str(), *node.as_table(), config); !taken) return taken;
    } else {
      return unknown(section, name);
    }
  }
  return {};
}

}  // namespace

bool parse_time(std::string_view text, std::chrono::seconds& time) {
  constexpr std::uint64_t kLongest = 10 * 365 * 86400ULL;
  std::uint64_t factor = 1;
  std::string plain(text);
  if (!plain.empty() && (plain.back() == 'h' || plain.back() == 'd')) {
    factor = plain.back() == 'h' ? 3600 : 86400;
    plain.back() = 's';
  } else if (!plain.ends_with('s') || plain.ends_with("ms")) {
    return false;
  }
  std::uint64_t nanoseconds = 0;
  if (!agent::parse_duration(plain, nanoseconds)) return false;
  const std::uint64_t seconds = nanoseconds / 1'000'000'000;
  if (seconds == 0 || seconds > kLongest / factor) return false;
  time = std::chrono::seconds(seconds * factor);
  return true;
}

base::result<void> parse_config(std::string_view text, Config& config) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) return wrong(parsed.error().source(), std::string(parsed.error().description()));
  return take_table({}, parsed.table(), config);
}

base::result<void> read_config(const std::string& file, Config& config) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return base::system_fault(base::Code::open_failed);
  std::string text;
  text.resize(kMostConfigBytes + 1);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return base::system_fault(base::Code::read_failed);
  if (text.size() > kMostConfigBytes)
    return base::fail(base::Code::usage, "larger than 1 MiB: is it the configuration?");
  auto parsed = parse_config(text, config);
  if (!parsed) {
    base::Error& fault = parsed.error();
    fault.detail =
        fmt::format("{}:{}:{}: {}", file, fault.place.line, fault.place.column, fault.detail);
  }
  return parsed;
}

}  // namespace polytrace::collector
