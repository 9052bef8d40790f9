// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "base/text/json_writer.hpp"
#include "collector/config/config.hpp"
#include "service/words/environment.hpp"

namespace polytrace::collector {
namespace {

// As the file has it: exactly, in the largest unit that does.
std::string size_word(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "gmk";
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(30 - 10 * i);
    if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0)
      return fmt::format("{}{}", bytes >> shift, kUnits[i]);
  }
  return fmt::to_string(bytes);
}

std::string time_word(std::chrono::seconds time) {
  return time.count() % 3600 == 0 ? fmt::format("{}h", time.count() / 3600)
                                  : fmt::format("{}s", time.count());
}

// A basic string of TOML.
std::string quoted_word(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else out += c;
  }
  return out + '"';
}

std::string label_words(const LabelList& labels) {
  std::string out;
  for (const auto& [name, value] : labels)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", quoted_word(name), quoted_word(value));
  return out.empty() ? "{}" : "{ " + out + " }";
}

std::string_view engine_word(const Config& config) {
  return config.replicated ? "replicated" : "single";
}

std::string shard_words(const warehouse::ShardAddresses& shards) {
  std::string out;
  for (const auto& replicas : shards) {
    std::string one;
    for (const std::string& url : replicas) one += (one.empty() ? "" : ", ") + quoted_word(url);
    out += fmt::format("{}[{}]", out.empty() ? "" : ", ", one);
  }
  return out;
}

std::string list_words(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& one : list)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", quoted_word(one));
  return "[" + out + "]";
}

std::vector<std::string> roles_of(const Config& config) {
  std::vector<std::string> roles;
  if (config.is_edge) roles.emplace_back("edge");
  if (config.is_hub) roles.emplace_back("hub");
  return roles;
}

std::string credential_words(const Credentials& files) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& file) {
    if (!file.empty()) out += fmt::format("{} = {}\n", name, quoted_word(file));
  };
  add("cert", files.certificate);
  add("key", files.key);
  add("ca", files.ca);
  add("token_file", files.token_file);
  return out;
}

std::string store_words(const Config& config) {
  std::string out = "\n[store]\n";
  out += config.store.empty() ? "# urls: not told\n"
                              : fmt::format("urls = [{}]\n", shard_words(config.store));
  out += fmt::format("engine = \"{}\"\n", engine_word(config));
  if (!config.user.empty()) out += fmt::format("user = {}\n", quoted_word(config.user));
  if (!config.password_file.empty())
    out += fmt::format("password_file = {}\n", quoted_word(config.password_file));
  if (!config.read_user.empty())
    out += fmt::format("read_user = {}\n", quoted_word(config.read_user));
  if (!config.read_password_file.empty())
    out += fmt::format("read_password_file = {}\n", quoted_word(config.read_password_file));
  return out + fmt::format("\n[roll]\nenabled = {}\nprune = {}\n", config.rolls, config.prunes);
}

std::string bus_words(const Config& config) {
  const Bus& bus = config.bus;
  if (bus.url.empty()) return {};
  std::string out = fmt::format("\n[bus]\nurl = {}\n", quoted_word(bus.url));
  if (!config.is_hub) out += fmt::format("tenant = {}\n", quoted_word(bus.tenant));
  if (!bus.user.empty())
    out += fmt::format("user = {}\npassword_file = {}\n", quoted_word(bus.user),
                       quoted_word(bus.password_file));
  if (!bus.creds_file.empty()) out += fmt::format("creds_file = {}\n", quoted_word(bus.creds_file));
  out += credential_words(config.bus_shown);
  if (config.is_hub)
    out +=
        fmt::format("max_bytes = \"{}\"\nreplicas = {}\n", size_word(bus.max_bytes), bus.replicas);
  return out;
}

void add_list(base::JsonWriter& json, std::string_view name, const std::vector<std::string>& list) {
  json.key(name);
  json.begin_array();
  for (const std::string& one : list) json.value(one);
  json.end_array();
}

void add_credentials(base::JsonWriter& json, std::string_view name, const Credentials& files) {
  json.key(name);
  json.begin_object();
  json.member("cert", files.certificate);
  json.member("key", files.key);
  json.member("ca", files.ca);
  json.member("token_file", files.token_file);
  json.end_object();
}

void add_bus(base::JsonWriter& json, const Config& config) {
  json.key("bus");
  json.begin_object();
  json.member("url", config.bus.url);
  json.member("tenant", config.bus.tenant);
  json.member("user", config.bus.user);
  json.member("password_file", config.bus.password_file);
  json.member("creds_file", config.bus.creds_file);
  json.member("max_bytes", config.bus.max_bytes);
  json.member("replicas", config.bus.replicas);
  json.end_object();
}

void add_tenants(base::JsonWriter& json, const std::vector<Tenant>& tenants) {
  json.key("tenants");
  json.begin_array();
  for (const Tenant& tenant : tenants) {
    json.begin_object();
    json.member("name", tenant.name);
    json.member("database", tenant.database);
    add_list(json, "users", tenant.users);
    json.end_object();
  }
  json.end_array();
}

std::string kept_words(const Config& config) {
  std::string out = fmt::format("\n[keep]\ntraces = \"{}\"\n", time_word(config.keep_traces));
  for (const auto& [table, time] : config.keep)
    out += fmt::format("{} = \"{}\"\n", table, time_word(time));
  if (!config.objects.empty())
    out += fmt::format("\n[objects]\nto = {}\n", quoted_word(config.objects));
  if (!config.objects_region.empty())
    out += fmt::format("region = {}\n", quoted_word(config.objects_region));
  if (!config.objects_key_file.empty())
    out += fmt::format("key_file = {}\n", quoted_word(config.objects_key_file));
  return out;
}

std::string rule_words(const Rule& rule) {
  return fmt::format("\n[[rule]]\nname = {}\nwhen = {}\ndo = \"keep {}\"\nper_hour = {}\n",
                     quoted_word(rule.name), quoted_word(rule.when), time_word(rule.around),
                     rule.per_hour);
}

void add_rules(base::JsonWriter& json, const std::vector<Rule>& rules) {
  json.key("rules");
  json.begin_array();
  for (const Rule& rule : rules) {
    json.begin_object();
    json.member("name", rule.name);
    json.member("when", rule.when);
    json.member("keep_s", std::int64_t{rule.around.count()});
    json.member("per_hour", rule.per_hour);
    json.end_object();
  }
  json.end_array();
}

void add_store(base::JsonWriter& json, const Config& config) {
  json.key("store");
  json.begin_array();
  for (const auto& replicas : config.store) {
    json.begin_array();
    for (const std::string& url : replicas) json.value(url);
    json.end_array();
  }
  json.end_array();
  json.member("engine", engine_word(config));
  json.member("user", config.user);
  json.member("read_user", config.read_user);
  json.member("read_password_file", config.read_password_file);
  json.key("roll");
  json.begin_object();
  json.member("enabled", config.rolls);
  json.member("prune", config.prunes);
  json.end_object();
  json.key("keep_s");
  json.begin_object();
  for (const auto& [table, time] : config.keep) json.member(table, std::int64_t{time.count()});
  json.end_object();
}

std::string state_folder() {
  if (const auto state = service::variable("XDG_STATE_HOME"); state.starts_with('/'))
    return fmt::format("{}/polytrace/collect", state);
  if (const auto home = service::variable("HOME"); geteuid() != 0 && home.starts_with('/'))
    return fmt::format("{}/.local/state/polytrace/collect", home);
  return "/var/lib/polytrace";
}

}  // namespace

Config default_config() {
  Config config;
  const std::string_view runtime = service::variable("XDG_RUNTIME_DIR");
  config.socket = fmt::format("{}/polytrace/collect.sock",
                              runtime.starts_with('/') ? runtime : std::string_view("/run"));
  config.spool = state_folder();
  return config;
}

std::string config_text(const Config& config) {
  std::string out = fmt::format("role = {}\n\n[edge]\n", list_words(roles_of(config)));
  out += fmt::format("socket = {}\nlabels = {}\ndrain = \"{}\"\n", quoted_word(config.socket),
                     label_words(config.labels), time_word(config.drain));
  if (config.agent_port != 0) out += fmt::format("tcp_port = {}\n", config.agent_port);
  if (!config.agent_token_file.empty())
    out += fmt::format("tcp_token_file = {}\n", quoted_word(config.agent_token_file));
  if (!config.hubs.empty()) out += fmt::format("hubs = {}\n", list_words(config.hubs));
  if (!config.hubs.empty()) out += fmt::format("hub_time = \"{}\"\n", time_word(config.hub_time));
  out += fmt::format("heartbeat = \"{}\"\n", time_word(config.heartbeat));
  out += credential_words(config.edge) + bus_words(config);
  if (!config.listen.empty())
    out += fmt::format("\n[http]\nlisten = {}\n", quoted_word(config.listen)) +
           credential_words(config.http);
  out += fmt::format(
      "\n[spool]\nfolder = {}\nbytes = \"{}\"\nage = \"{}\"\nmin_free = \"{}\"\n"
      "pinned = \"{}\"\n",
      quoted_word(config.spool), size_word(config.spool_bytes), time_word(config.spool_age),
      size_word(config.spool_min_free), size_word(config.spool_pinned));
  if (!config.listen.empty())
    out += fmt::format("\n[uploads]\nbytes = \"{}\"\nage = \"{}\"\n",
                       size_word(config.upload_bytes), time_word(config.upload_age));
  out += fmt::format("\n[outbox]\nbytes = \"{}\"\nhigh = {}\n", size_word(config.outbox_bytes),
                     config.outbox_high);
  out += fmt::format("\n[memory]\ncredit = \"{}\"\nstreams = \"{}\"\n", size_word(config.credit),
                     size_word(config.streams_memory));
  out += fmt::format(
      "\n[limits]\nstreams_of_user = {}\nnew_names = {}\nnew_stacks = {}\nnew_programs = {}\n"
      "label_names = {}\n",
      config.streams_of_user, config.new_names, config.new_stacks, config.new_programs,
      config.label_names);
  out += kept_words(config);
  if (config.is_hub) out += store_words(config);
  if (config.is_edge)
    out += fmt::format("\n[control]\nallow = {}\n", list_words(config.control_allow));
  out += fmt::format("\n[metrics]\nport = {}\n", config.metrics_port);
  if (!config.token_file.empty())
    out += fmt::format("token_file = {}\n", quoted_word(config.token_file));
  for (const Tenant& tenant : config.tenants) {
    out += fmt::format("\n[[tenant]]\nname = {}\ndatabase = {}\n", quoted_word(tenant.name),
                       quoted_word(tenant.database));
    if (!tenant.users.empty()) out += fmt::format("users = {}\n", list_words(tenant.users));
  }
  for (const Rule& rule : config.rules) out += rule_words(rule);
  return out;
}

std::string config_json(const Config& config) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.collect-config/1");
  add_list(json, "role", roles_of(config));
  json.member("socket", config.socket);
  json.member("tcp_port", config.agent_port);
  json.member("tcp_token_file", config.agent_token_file);
  add_list(json, "hubs", config.hubs);
  add_credentials(json, "edge", config.edge);
  json.member("hub_time_s", std::int64_t{config.hub_time.count()});
  json.member("heartbeat_s", std::int64_t{config.heartbeat.count()});
  add_bus(json, config);
  add_credentials(json, "bus_shown", config.bus_shown);
  json.member("listen", config.listen);
  add_credentials(json, "http", config.http);
  add_tenants(json, config.tenants);
  json.key("labels");
  json.begin_object();
  for (const auto& [name, value] : config.labels) json.member(name, value);
  json.end_object();
  json.member("drain_s", std::int64_t{config.drain.count()});
  json.member("spool", config.spool);
  json.member("spool_bytes", config.spool_bytes);
  json.member("spool_age_s", std::int64_t{config.spool_age.count()});
  json.member("spool_min_free", config.spool_min_free);
  json.member("spool_pinned", config.spool_pinned);
  json.member("objects", config.objects);
  json.member("objects_region", config.objects_region);
  json.member("objects_key_file", config.objects_key_file);
  json.member("keep_traces_s", std::int64_t{config.keep_traces.count()});
  add_rules(json, config.rules);
  json.member("upload_bytes", config.upload_bytes);
  json.member("upload_age_s", std::int64_t{config.upload_age.count()});
  json.member("outbox_bytes", config.outbox_bytes);
  json.member("outbox_high", config.outbox_high);
  json.member("credit", config.credit);
  json.member("streams_memory", config.streams_memory);
  json.member("streams_of_user", config.streams_of_user);
  json.member("new_names", config.new_names);
  json.member("new_stacks", config.new_stacks);
  json.member("new_programs", config.new_programs);
  json.member("label_names", config.label_names);
  add_store(json, config);
  add_list(json, "control_allow", config.control_allow);
  json.member("metrics_port", config.metrics_port);
  json.member("token_file", config.token_file);
  json.end_object();
  return out + "\n";
}

}  // namespace polytrace::collector
