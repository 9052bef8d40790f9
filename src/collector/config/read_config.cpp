// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "collector/config/config.hpp"
#include "collector/config/verbs.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"
#include "warehouse/link.hpp"
#include "warehouse/objects/objects.hpp"

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

bool take_list(const toml::node& node, std::vector<std::string>& into) {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->empty()) return false;
  for (const toml::node& one : *list)
    if (!take_text(one, into.emplace_back())) return false;
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
template <Size member>
bool take_port(const toml::node& node, Config& config) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < 0 || *number > 65535) return false;
  config.*member = static_cast<std::uint64_t>(*number);
  return true;
}
template <Size member>
bool take_count(const toml::node& node, Config& config) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < 1 || *number > 1'000'000'000) return false;
  config.*member = static_cast<std::uint64_t>(*number);
  return true;
}
// Edge, hub, or both.
bool take_role(const toml::node& node, Config& config) {
  std::vector<std::string> roles;
  if (!take_list(node, roles)) return false;
  const auto count = [&](std::string_view role) { return std::ranges::count(roles, role); };
  config.is_edge = count("edge") == 1;
  config.is_hub = count("hub") == 1;
  return int{config.is_edge} + int{config.is_hub} == std::ssize(roles);
}
bool take_hubs(const toml::node& node, Config& config) {
  return take_list(node, config.hubs) && std::ranges::all_of(config.hubs, [](const auto& url) {
           const auto address = warehouse::parse_address(url);
           return address && address->database.empty() &&
                  (url.starts_with("https://") || warehouse::is_this_machine(address->host));
         });
}
bool take_bus_url(const toml::node& node, Config& config) {
  return take_text(node, config.bus.url) && are_bus_addresses(config.bus.url);
}
template <std::string Bus::* member>
bool take_bus_word(const toml::node& node, Config& config) {
  return take_text(node, config.bus.*member);
}
template <std::string Bus::* member>
bool take_bus_file(const toml::node& node, Config& config) {
  return take_text(node, config.bus.*member) && (config.bus.*member)[0] == '/';
}
bool take_bus_tenant(const toml::node& node, Config& config) {
  return take_text(node, config.bus.tenant) && is_subject_word(config.bus.tenant);
}
bool take_bus_bytes(const toml::node& node, Config& config) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  std::string text;
  return take_text(node, text) && agent::parse_size(text, config.bus.max_bytes) &&
         config.bus.max_bytes >= kLeast;
}
bool take_bus_replicas(const toml::node& node, Config& config) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < 1 || *number > 5) return false;
  config.bus.replicas = static_cast<std::uint64_t>(*number);
  return true;
}
bool take_verbs(const toml::node& node, Config& config) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) return false;
  if (list->empty()) return true;
  return take_list(node, config.control_allow) &&
         std::ranges::all_of(config.control_allow, [](const std::string& verb) {
           return std::ranges::find(kVerbs, verb) != kVerbs.end();
         });
}
bool take_place(const toml::node& node, Config& config) {
  Place place;
  return take_text(node, config.listen) && parse_place(config.listen, place);
}
bool take_share(const toml::node& node, Config& config) {
  const auto share = node.value<double>();
  if (!share || *share <= 0 || *share > 1) return false;
  config.outbox_high = *share;
  return true;
}
template <std::string Credentials::* member, Credentials Config::* side>
bool take_file(const toml::node& node, Config& config) {
  std::string& file = config.*side.*member;
  return take_text(node, file) && file[0] == '/';
}
bool take_tenant(const toml::node& node, Tenant& tenant) {
  const toml::table* const table = node.as_table();
  if (table == nullptr) return false;
  for (const auto& [key, value] : *table) {
    const bool taken = key.str() == "name"       ? take_text(value, tenant.name)
                       : key.str() == "database" ? take_text(value, tenant.database)
                       : key.str() == "users"    ? take_list(value, tenant.users)
                                                 : false;
    if (!taken) return false;
  }
  return !tenant.name.empty() && warehouse::is_plain_name(tenant.database);
}
bool take_tenants(const toml::node& node, Config& config) {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->empty()) return false;
  std::set<std::string> seen;
  for (const toml::node& one : *list) {
    if (!take_tenant(one, config.tenants.emplace_back())) return false;
    const Tenant& tenant = config.tenants.back();
    if (!seen.insert("name " + tenant.name).second) return false;
    for (const std::string& user : tenant.users)
      if (!seen.insert("user " + user).second) return false;
  }
  return true;
}
bool take_objects(const toml::node& node, Config& config) {
  return take_text(node, config.objects) && warehouse::check_objects(config.objects);
}
// parse_rules() has them: they have much to say of what is wrong.
bool take_rules(const toml::node&, Config&) { return true; }
// A list of shards, each a list of replicas.
bool take_urls(const toml::node& node, Config& config) {
  const toml::array* const shards = node.as_array();
  if (shards == nullptr || shards->empty() || shards->size() > warehouse::kMostShards) return false;
  warehouse::ShardAddresses urls;
  for (const toml::node& shard : *shards) {
    const toml::array* const replicas = shard.as_array();
    if (replicas == nullptr || replicas->empty()) return false;
    auto& own = urls.emplace_back();
    for (const toml::node& url : *replicas)
      if (!take_text(url, own.emplace_back()) || !warehouse::parse_address(own.back()))
        return false;
  }
  config.store = std::move(urls);
  return true;
}
bool take_engine(const toml::node& node, Config& config) {
  std::string text;
  if (!take_text(node, text) || (text != "single" && text != "replicated")) return false;
  config.replicated = text == "replicated";
  return true;
}
template <bool Config::* member>
bool take_switch(const toml::node& node, Config& config) {
  const auto is_on = node.value_exact<bool>();
  config.*member = is_on.value_or(false);
  return is_on.has_value();
}
// Tables of a store that are pruned, but for traces, which collectors keep themselves.
constexpr std::array<std::string_view, 9> kKeptTables = {"profile_10s", "profile_1m", "profile_1h",
                                                         "methods_1m",  "methods_1h", "health_10s",
                                                         "moments",     "batches",    "streams"};
template <std::size_t table>
bool take_keep(const toml::node& node, Config& config) {
  std::string text;
  return take_text(node, text) && parse_time(text, config.keep[std::string(kKeptTables[table])]);
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
constexpr std::string_view kCount = "a number from 1 on";
constexpr std::string_view kSwitch = "true or false";
constexpr std::string_view kTime = "a time such as \"90s\", \"24h\" or \"7d\"";
constexpr std::array kKeys = {
    Key{"", "role", take_role, "a list of \"edge\", \"hub\" or both"},
    Key{"", "tenant", take_tenants,
        "[[tenant]] with name, database and users; no name or user twice"},
    Key{"", "rule", take_rules, "a list of [[rule]]"},
    Key{"edge", "socket", take_path<&Config::socket>, kPath},
    Key{"edge", "labels", take_labels, "a table of at most 32 labels: { zone = \"eu-1\" }"},
    Key{"edge", "tcp_port", take_port<&Config::agent_port>, "a number from 0 to 65535"},
    Key{"edge", "tcp_token_file", take_path<&Config::agent_token_file>, kPath},
    Key{"edge", "hubs", take_hubs, "a list of hubs: [\"https://HOST:8471\"]"},
    Key{"edge", "cert", take_file<&Credentials::certificate, &Config::edge>, kPath},
    Key{"edge", "key", take_file<&Credentials::key, &Config::edge>, kPath},
    Key{"edge", "ca", take_file<&Credentials::ca, &Config::edge>, kPath},
    Key{"edge", "token_file", take_file<&Credentials::token_file, &Config::edge>, kPath},
    Key{"edge", "hub_time", take_time<&Config::hub_time>, kTime},
    Key{"edge", "heartbeat", take_time<&Config::heartbeat>, kTime},
    Key{"bus", "url", take_bus_url,
        "tls://HOST:4222, or on this machine nats://127.0.0.1:4222, without user and password; "
        "commas between several"},
    Key{"bus", "tenant", take_bus_tenant, "a name of letters, digits, \"_\" and \"-\""},
    Key{"bus", "user", take_bus_word<&Bus::user>, "a name"},
    Key{"bus", "password_file", take_bus_file<&Bus::password_file>, kPath},
    Key{"bus", "creds_file", take_bus_file<&Bus::creds_file>, kPath},
    Key{"bus", "token_file", take_file<&Credentials::token_file, &Config::bus_shown>, kPath},
    Key{"bus", "cert", take_file<&Credentials::certificate, &Config::bus_shown>, kPath},
    Key{"bus", "key", take_file<&Credentials::key, &Config::bus_shown>, kPath},
    Key{"bus", "ca", take_file<&Credentials::ca, &Config::bus_shown>, kPath},
    Key{"bus", "max_bytes", take_bus_bytes, "a size from \"1m\" on"},
    Key{"bus", "replicas", take_bus_replicas, "a number from 1 to 5"},
    Key{"http", "listen", take_place, "an address with its port, such as \"0.0.0.0:8471\""},
    Key{"http", "cert", take_file<&Credentials::certificate, &Config::http>, kPath},
    Key{"http", "key", take_file<&Credentials::key, &Config::http>, kPath},
    Key{"http", "ca", take_file<&Credentials::ca, &Config::http>, kPath},
    Key{"http", "token_file", take_file<&Credentials::token_file, &Config::http>, kPath},
    Key{"edge", "drain", take_time<&Config::drain>, kTime},
    Key{"spool", "folder", take_path<&Config::spool>, kPath},
    Key{"spool", "bytes", take_size_from<&Config::spool_bytes, (std::uint64_t{128} << 20)>,
        "a size from \"128m\" on"},
    Key{"spool", "age", take_time<&Config::spool_age>, kTime},
    Key{"spool", "min_free", take_size<&Config::spool_min_free>, kSize},
    Key{"spool", "pinned", take_size<&Config::spool_pinned>, kSize},
    Key{"objects", "to", take_objects,
        "\"folder:/srv/traces\" or \"s3:https://HOST/BUCKET\", with http:// on this machine alone"},
    Key{"objects", "region", take_word<&Config::objects_region>, "a name"},
    Key{"objects", "key_file", take_path<&Config::objects_key_file>, kPath},
    Key{"keep", "traces", take_time<&Config::keep_traces>, kTime},
    Key{"keep", kKeptTables[0], take_keep<0>, kTime},
    Key{"keep", kKeptTables[1], take_keep<1>, kTime},
    Key{"keep", kKeptTables[2], take_keep<2>, kTime},
    Key{"keep", kKeptTables[3], take_keep<3>, kTime},
    Key{"keep", kKeptTables[4], take_keep<4>, kTime},
    Key{"keep", kKeptTables[5], take_keep<5>, kTime},
    Key{"keep", kKeptTables[6], take_keep<6>, kTime},
    Key{"keep", kKeptTables[7], take_keep<7>, kTime},
    Key{"keep", kKeptTables[8], take_keep<8>, kTime},
    Key{"roll", "enabled", take_switch<&Config::rolls>, kSwitch},
    Key{"roll", "prune", take_switch<&Config::prunes>, kSwitch},
    Key{"uploads", "bytes", take_size_from<&Config::upload_bytes, (std::uint64_t{1} << 20)>,
        "a size from \"1m\" on"},
    Key{"uploads", "age", take_time<&Config::upload_age>, kTime},
    Key{"outbox", "bytes", take_size_from<&Config::outbox_bytes, (std::uint64_t{16} << 20)>,
        "a size from \"16m\" on"},
    Key{"outbox", "high", take_share, "a share such as 0.8"},
    Key{"memory", "credit", take_size_from<&Config::credit, (std::uint64_t{1} << 20)>,
        "a size from \"1m\" on"},
    Key{"memory", "streams", take_size_from<&Config::streams_memory, (std::uint64_t{16} << 20)>,
        "a size from \"16m\" on"},
    Key{"limits", "streams_of_user", take_count<&Config::streams_of_user>, kCount},
    Key{"limits", "new_names", take_count<&Config::new_names>, kCount},
    Key{"limits", "new_stacks", take_count<&Config::new_stacks>, kCount},
    Key{"limits", "new_programs", take_count<&Config::new_programs>, kCount},
    Key{"limits", "label_names", take_count<&Config::label_names>, kCount},
    Key{"store", "urls", take_urls,
        "a list of at most 64 shards, each a list of its replicas, without user and password: "
        "[[\"http://HOST:8123/DATABASE\"]]"},
    Key{"store", "engine", take_engine, "\"single\" or \"replicated\""},
    Key{"store", "user", take_word<&Config::user>, "a name"},
    Key{"store", "password_file", take_path<&Config::password_file>, kPath},
    Key{"store", "read_user", take_word<&Config::read_user>, "a name"},
    Key{"store", "read_password_file", take_path<&Config::read_password_file>, kPath},
    Key{"control", "allow", take_verbs,
        "a list of \"start\", \"stop\", \"pause\", \"resume\", \"filters\", \"flush\", "
        "\"annotate\", \"gc\", \"heap-dump\", \"level\""},
    Key{"metrics", "port", take_port<&Config::metrics_port>, "a number from 0 to 65535"},
    Key{"metrics", "token_file", take_path<&Config::token_file>, kPath},
};

// Of what is done to a store beside writing it; empty: it is well.
std::string fault_of_keeping(const Config& config) {
  if (config.read_user.empty() && !config.read_password_file.empty())
    return "store.read_password_file needs store.read_user";
  if (config.rolls && !config.is_hub) return "roll.enabled is the hub's, which has the store";
  if (config.prunes && !config.rolls) return "roll.prune needs roll.enabled = true";
  if (!config.prunes && !config.keep.empty())
    return fmt::format("keep.{} needs roll.prune = true", config.keep.begin()->first);
  return {};
}

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

bool parse_place(std::string_view text, Place& place) {
  const std::size_t mark = text.rfind(':');
  if (mark == text.npos) return false;
  place.address = text.substr(0, mark);
  if (place.address.starts_with('[') && place.address.ends_with(']'))
    place.address = place.address.substr(1, place.address.size() - 2);
  const auto port = service::parse_number<std::uint16_t>(text.substr(mark + 1));
  place.port = port.value_or(0);
  return port.has_value() && !place.address.empty();
}

base::result<void> check_config(const Config& config) {
  const auto missing = [](std::string why) {
    return base::fail(base::Code::usage, std::move(why));
  };
  const Credentials &shown = config.edge, &own = config.http;
  if (!config.is_edge && !config.is_hub) return missing("role is a list of edge, hub or both");
  if (auto good = check_bus(config); !good) return good;
  const bool has_bus = !config.bus.url.empty();
  if (!config.is_hub && !has_bus && config.hubs.empty())
    return missing("an edge that is no hub needs edge.hubs = [\"https://HOST:8471\"], or bus.url");
  if (config.is_hub && !config.hubs.empty())
    return missing("edge.hubs is for an edge that is no hub: role = [\"edge\"]");
  if (!config.is_edge && !has_bus && config.listen.empty())
    return missing("a hub needs http.listen, such as \"0.0.0.0:8471\", or bus.url");
  if (own.certificate.empty() != own.key.empty() || shown.certificate.empty() != shown.key.empty())
    return missing("cert and key go together");
  if (own.certificate.empty() && !own.ca.empty()) return missing("http.ca needs http.cert");
  if (!config.listen.empty() && own.ca.empty() && own.token_file.empty())
    return missing("http.listen needs http.ca or http.token_file: nobody else would be let in");
  if (!config.is_hub && !has_bus && shown.certificate.empty() && shown.token_file.empty())
    return missing("an edge shows its hubs edge.cert and edge.key, or edge.token_file");
  if (!config.is_hub && !config.tenants.empty())
    return missing("tenants are the hub's: an edge is of the one that its certificate names");
  if (!config.is_edge && !config.control_allow.empty())
    return missing("control.allow is an edge's: it has the programs");
  if (config.agent_port != 0 && config.agent_token_file.empty())
    return missing("edge.tcp_port needs edge.tcp_token_file");
  if (config.objects.starts_with("s3:") && config.objects_key_file.empty())
    return missing("objects.to is S3: objects.key_file has the key's name and its secret");
  if (!config.is_edge && !config.rules.empty())
    return missing("a [[rule]] is the edge's, which has the events");
  if (const std::string fault = fault_of_keeping(config); !fault.empty()) return missing(fault);
  const auto has_several = [](const auto& replicas) { return replicas.size() > 1; };
  if (!config.replicated && std::ranges::any_of(config.store, has_several))
    return missing(
        "store.urls: a shard has several servers, which are no replicas of each other: set "
        "store.engine = \"replicated\", or write each in a list of its own");
  return {};
}

base::result<void> parse_config(std::string_view text, Config& config) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) return wrong(parsed.error().source(), std::string(parsed.error().description()));
  auto rules = parse_rules(text);
  if (!rules) return base::Unexpected(rules.error());
  config.rules = std::move(*rules);
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
