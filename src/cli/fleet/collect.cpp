// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/collect.hpp"
#include "base/wall_clock.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/terminal_text.hpp"
#include "cli/fleet/store_answers.hpp"
#include "cli/frame/session.hpp"
#include "collector/door/tokens.hpp"
#include "warehouse/link.hpp"

namespace polytrace::cli {
namespace {

constexpr std::uint64_t kNoPort = ~std::uint64_t{0};
constexpr std::uint64_t kLastPort = 65535;

std::string_view weight_word(collector::Weight weight) {
  if (weight == collector::Weight::warning) return "warning";
  return weight == collector::Weight::news ? "news" : "detail";
}

std::string log_line(const collector::LogEntry& event) {
  std::string line = fmt::format("{} {}", base::wall_text(base::wall_now()), event.what);
  if (!event.who.empty()) line += " " + base::printable(event.who);
  if (event.stream != 0) line += fmt::format(" ({:016x})", event.stream);
  return line + ": " + base::printable(event.text) + "\n";
}

std::string log_json(const collector::LogEntry& event) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.collect/1");
  json.member("time", base::wall_text(base::wall_now()));
  json.member("weight", weight_word(event.weight));
  json.member("what", event.what);
  if (!event.who.empty()) json.member("who", event.who);
  if (event.stream != 0) json.member("stream", fmt::format("{:016x}", event.stream));
  json.member("text", event.text);
  json.end_object();
  return out + '\n';
}

class Collect final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "collect",
        "[OPTIONS] [--config FILE] [--to http://HOST:8123/DATABASE]",
        "Waits at a Unix socket for agents that were started with connect=SOCKET, keeps what they "
        "send on disk, adds it up by windows of 10 s as push does, and sends the rows until the "
        "store has them. A store that is away, a full disk or a crash costs nothing: agents keep "
        "their data until it was taken, rows wait in the folder, and what is sent again replaces "
        "itself.\n\n"
        "What it does is told on standard error, a line each, with --json as JSON on standard "
        "output. SIGTERM and Ctrl-C send what is here first; a second one ends it at once. SIGHUP "
        "reads the configuration anew: labels hold for programs that come then, the rest from the "
        "next start on. Options win over the file, which also says how edges and hubs on several "
        "machines share the work.",
        {{"a store on this machine", "polytrace collect --to http://127.0.0.1:8123/shop"},
         {"a token for an edge", "polytrace collect --new-token edge-7"},
         {"what a file means", "polytrace collect --config collect.toml --check"}},
        {0, 1, 2, 3, 4},
        "docs/collector.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("--config", file_, "What it is told, in TOML").takes("FILE").in("Configuration");
    list.add("--new-token", new_token_,
             "Print a new token that may push and what the hub's file of tokens says of it, and "
             "end; TENANT/NAME for one of a tenant")
        .takes("NAME")
        .in("Configuration");
    list.add("--check", check_, "Print what was understood, and end").in("Configuration");
    list.add("--socket", socket_, "Where agents dial").takes("PATH").in("Agents");
    list.add("--label", labels_, "A label of every program; again for more")
        .takes("NAME=VALUE")
        .in("Agents");
    list.add("--folder", folder_, "Where streams and rows are kept").takes("DIR").in("Agents");
    list.add("--to", to_,
             "The store, with its database; after a comma a replica of it; again: its next shard")
        .takes("URL")
        .in("Store");
    list.add("--user", user_, "Who writes to it").takes("NAME").in("Store");
    list.add("--password-file", password_file_, "A file whose first line is the password")
        .takes("FILE")
        .in("Store");
    list.add("--port", port_,
             "/metrics, /healthz and /readyz on this port of 127.0.0.1; 0: any that is free")
        .takes("PORT")
        .in("Watching");
    list.add(
            "--token-file", token_file_,
            "Who has the token in this file, which nobody else may read, may ask for blocks there: "
            "fleet get")
        .takes("FILE")
        .in("Watching");
  }
  int run(Session& session) override {
    if (!new_token_.empty()) return print_token(session);
    auto config = configure();
    if (!config) return session.fail(config.error(), file_);
    if (check_) {
      session.out().text() +=
          session.common.json ? collector::config_json(*config) : collector::config_text(*config);
      return 0;
    }
    if (config->is_hub && config->store.empty())
      return session.fail_usage(
          "where is the store? --to http://HOST:8123/DATABASE, or store.urls");
    const collector::CollectHands hands{
        .tell = [&](const collector::LogEntry& event) { tell(session, event); },
        .configure = [&] { return configure(); },
        .answer = answers_from_store(*config),
        .roll = roll_of_store(*config)};
    const auto ended = collector::collect(*config, hands);
    if (!ended) return session.fail(ended.error());
    if (!ended->store_has_all)
      tell(session, {collector::Weight::warning,
                     "stopped",
                     {},
                     0,
                     "rows wait in " + config->spool + " for the next start"});
    return 0;
  }

 private:
  int print_token(Session& session) const {
    const std::size_t mark = new_token_.find('/');
    const bool has_tenant = mark != std::string::npos;
    const std::string tenant = has_tenant ? new_token_.substr(0, mark) : std::string();
    const std::string name = has_tenant ? new_token_.substr(mark + 1) : new_token_;
    if (!collector::is_short_name(name) || (has_tenant && !collector::is_short_name(tenant)))
      return session.fail_usage(
          "--new-token takes NAME or TENANT/NAME: letters, digits, \"_\", \"-\" and \".\"");
    const auto made = collector::make_new_token(name, tenant);
    if (!made) return session.fail(made.error());
    if (!session.common.json) {
      session.out().text() += fmt::format(
          "# For who shows it, in a file of mode 0600. It is not shown again:\n# {}\n{}",
          made->token, made->lines);
      return 0;
    }
    base::JsonWriter json(session.out().text());
    json.begin_object();
    json.member("schema", "polytrace.collect-token/1");
    json.member("token", made->token);
    json.member("toml", made->lines);
    json.end_object();
    session.out().text() += '\n';
    return 0;
  }

  static std::string absolute(const std::string& path) {
    std::error_code fault;
    return std::filesystem::absolute(path, fault).string();
  }

  base::result<collector::Config> configure() const {
    collector::Config config = collector::default_config();
    if (!file_.empty())
      if (auto read = collector::read_config(file_, config); !read)
        return base::Unexpected(read.error());
    if (!socket_.empty()) config.socket = absolute(socket_);
    if (!folder_.empty()) config.spool = absolute(folder_);
    if (!user_.empty()) config.user = user_;
    if (!password_file_.empty()) config.password_file = password_file_;
    if (!to_.empty()) config.store.clear();
    for (const std::string& urls : to_) {
      config.store.push_back(warehouse::parse_replicas(urls));
      config.replicated |= config.store.back().size() > 1;
    }
    if (!token_file_.empty()) config.token_file = absolute(token_file_);
    if (port_ != kNoPort) config.metrics_port = port_;
    if (config.metrics_port > kLastPort)
      return base::fail(base::Code::usage, "--port is a number from 0 to 65535");
    if (config.store.size() > warehouse::kMostShards)
      return base::fail(base::Code::usage, "--to: at most 64 shards");
    for (const auto& replicas : config.store)
      for (const std::string& url : replicas)
        if (auto address = warehouse::parse_address(url); !address)
          return base::Unexpected(address.error());
    if (auto good = collector::check_config(config); !good) return base::Unexpected(good.error());
    for (const std::string& text : labels_) {
      auto label = collector::parse_label(text);
      if (!label) return base::Unexpected(label.error());
      config.labels.push_back(std::move(*label));
    }
    return config;
  }

  static void tell(Session& session, const collector::LogEntry& event) {
    using collector::Weight;
    if (session.common.json) {
      session.out().text() += log_json(event);
      session.out().flush();
    } else if (event.weight == Weight::warning ||
               (!session.common.quiet &&
                (event.weight == Weight::news || session.common.verbose))) {
      print(log_line(event));
    }
  }

  std::string file_;
  std::string new_token_;
  bool check_ = false;
  std::string socket_;
  std::string folder_;
  std::vector<std::string> labels_;
  std::vector<std::string> to_;
  std::string user_;
  std::string password_file_;
  std::string token_file_;
  std::uint64_t port_ = kNoPort;
};

}  // namespace

std::unique_ptr<Command> make_collect() { return std::make_unique<Collect>(); }

}  // namespace polytrace::cli
