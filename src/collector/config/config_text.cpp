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
  std::string out = "role = [\"edge\", \"hub\"]\n\n[edge]\n";
  out += fmt::format("socket = {}\nlabels = {}\ndrain = \"{}\"\n", quoted_word(config.socket),
                     label_words(config.labels), time_word(config.drain));
  out += fmt::format("\n[spool]\nfolder = {}\nbytes = \"{}\"\nage = \"{}\"\nmin_free = \"{}\"\n",
                     quoted_word(config.spool), size_word(config.spool_bytes),
                     time_word(config.spool_age), size_word(config.spool_min_free));
  out += fmt::format("\n[outbox]\nbytes = \"{}\"\n", size_word(config.outbox_bytes));
  out += fmt::format("\n[memory]\ncredit = \"{}\"\n", size_word(config.credit));
  out += "\n[store]\n";
  out += config.store.empty() ? "# urls: not told\n"
                              : fmt::format("urls = [[{}]]\n", quoted_word(config.store));
  if (!config.user.empty()) out += fmt::format("user = {}\n", quoted_word(config.user));
  if (!config.password_file.empty())
    out += fmt::format("password_file = {}\n", quoted_word(config.password_file));
  out += fmt::format("\n[metrics]\nport = {}\n", config.metrics_port);
  if (!config.token_file.empty())
    out += fmt::format("token_file = {}\n", quoted_word(config.token_file));
  return out;
}

std::string config_json(const Config& config) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.collect-config/1");
  json.member("socket", config.socket);
  json.key("labels");
  json.begin_object();
  for (const auto& [name, value] : config.labels) json.member(name, value);
  json.end_object();
  json.member("drain_s", std::int64_t{config.drain.count()});
  json.member("spool", config.spool);
  json.member("spool_bytes", config.spool_bytes);
  json.member("spool_age_s", std::int64_t{config.spool_age.count()});
  json.member("spool_min_free", config.spool_min_free);
  json.member("outbox_bytes", config.outbox_bytes);
  json.member("credit", config.credit);
  json.member("store", config.store);
  json.member("user", config.user);
  json.member("metrics_port", config.metrics_port);
  json.member("token_file", config.token_file);
  json.end_object();
  return out + "\n";
}

}  // namespace polytrace::collector
