// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "base/text/wall_time.hpp"
#include "base/wall_clock.hpp"
#include "cli/fleet/push/push_view.hpp"
#include "cli/frame/notices_view.hpp"
#include "collector/push/push.hpp"
#include "collector/relay/relay.hpp"
#include "collector/target/open_store.hpp"

namespace polytrace::cli {
namespace {

class Push final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "push",
        "[OPTIONS] FILE... --to http://HOST:8123/DATABASE",
        "Reads each trace once and sends what it adds up to, by windows of 10 s of the machine's "
        "wall clock: calls and their own time by stack, processor time, samples, allocations, "
        "waits for locks, exceptions, methods by the minute, collections, the slowest moments. The "
        "events themselves stay in the file. What was sent before replaces itself: pushing a trace "
        "again changes no sum.\n\n"
        "Labels are what the trace tells of its process (service, host, instance, runtime, agent) "
        "and those given with --label, which win. A trace that tells no wall clock needs --at. "
        "Events more than ten minutes in the future are refused and counted: exit code 4.\n\n"
        "Profiles of pprof, OpenTelemetry and Pyroscope are taken likewise. With --as otlp or "
        "pyroscope rows go as profiles to a receiver of OpenTelemetry's profiles (1.10 to 1.11) or "
        "to Pyroscope. With --as hub the file itself goes to a collector, in pieces, and is read "
        "there: what was cut off goes on when the same is pushed again.",
        {{"a recording", "polytrace push shop.ptrace --to http://127.0.0.1:8123/shop"},
         {"with labels",
          "polytrace push a.mlpd --label service=shop --label version=2.1 "
          "--to http://127.0.0.1:8123/shop"},
         {"a Go program's profile",
          "polytrace push cpu.pb.gz --label service=cart --to http://127.0.0.1:8123/shop"},
         {"to a hub, in pieces",
          "polytrace push shop.ptrace --as hub --to https://hub-1:8471 --token-file token"},
         {"to a collector of OpenTelemetry",
          "polytrace push shop.ptrace --as otlp --to http://127.0.0.1:4318"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/collector.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("FILE", files_, "The traces and profiles, of any format. gzip and zstd are unpacked")
        .takes("FILE...")
        .required()
        .in("Input");
    list.add("--at", at_,
             "The wall time of the first event, of profiles that tell none (2026-11-21T10:00:00Z)")
        .takes("TIME")
        .in("Input");
    list.add("--label", labels_,
             "A label of the process, service and version among them; again "
             "for more")
        .takes("NAME=VALUE")
        .in("Input");
    list.add(
            "--from", from_,
            "The files are profiles of this kind (pprof, otlp, pyroscope), whatever they look like")
        .one_of(foreign_words())
        .takes("KIND")
        .in("Input");
    list.add("--to", to_,
             "The store, with its database; after a comma a replica of it; again: its next shard, "
             "always in the same order. Or the server that --as is about")
        .takes("URL")
        .required()
        .in("Store");
    list.add("--user", link_.user, "Who writes to it").takes("NAME").in("Store");
    list.add("--password-file", link_.password_file, "A file whose first line is the password")
        .takes("FILE")
        .in("Store");
    list.add("--as", as_, "What the server is: store, hub (a collector), otlp or pyroscope")
        .one_of({"store", "hub", "otlp", "pyroscope"})
        .takes("KIND")
        .shows_default()
        .in("Store");
    list.add("--token-file", relay_.token_file, "A file whose first line is a bearer token for it")
        .takes("FILE")
        .in("Store");
    list.add("--ca", hub_.ca, "Whose certificates the hub's must be of (default: the system's)")
        .takes("FILE")
        .in("Store");
    list.add("--tenant", relay_.tenant, "Whose the profiles are there: X-Scope-OrgID")
        .takes("NAME")
        .in("Store");
  }
  int run(Session& session) override {
    collector::PushOptions options{.now = base::wall_now()};
    for (const std::string& text : labels_) {
      auto label = collector::parse_label(text);
      if (!label) return session.fail(label.error());
      options.labels.push_back(std::move(*label));
    }
    if (!at_.empty()) {
      options.starts = base::parse_wall_time(at_);
      if (!options.starts)
        return session.fail_usage(
            fmt::format("--at \"{}\" is no wall time such as 2026-11-21T10:00:00Z", at_));
    }
    if (std::ranges::find(files_, "-") != files_.end())
      return session.fail_usage("push takes files, not standard input");
    for (const collector::ForeignName& name : collector::foreign_names())
      if (name.name == from_) options.foreign = name.kind;
    if (as_ == "hub") return push_to_hub(session, options);
    std::vector<warehouse::Replicas> shards;
    auto target = open_target(session, options.now, shards);
    if (!target) return session.fail(target.error());
    int code = 0;
    std::vector<collector::Pushed> all;
    for (const std::string& file : files_) {
      code = std::max(code, push(session, file, **target, options, all));
      if (session.asking().is_stopped()) break;
    }
    if (session.common.json) session.out().text() += collector::push_json(all);
    return code;
  }

 private:
  // --label and --at go with the file; a collector knows profiles by their looks.
  int push_to_hub(Session& session, const collector::PushOptions& options) {
    if (auto good = complete_hub(); !good) return session.fail(good.error());
    return push_files_to_hub(session, files_, {options.labels, options.starts}, hub_, options.now);
  }
  base::result<void> complete_hub() {
    const auto wrong = [](std::string why) {
      return base::fail(base::Code::usage, std::move(why));
    };
    if (to_.size() != 1) return wrong("--as hub goes to one server: --to once");
    if (!link_.user.empty() || !link_.password_file.empty() || !relay_.tenant.empty() ||
        !from_.empty())
      return wrong("--user, --password-file, --tenant and --from are not for --as hub");
    if (relay_.token_file.empty()) return wrong("--as hub needs --token-file, of role push");
    auto token = agent::control::read_private_token(relay_.token_file);
    if (!token) return base::Unexpected(token.error());
    hub_.token = std::move(*token);
    hub_.url = to_.front();
    return {};
  }
  static std::vector<std::string> foreign_words() {
    std::vector<std::string> words;
    for (const collector::ForeignName& name : collector::foreign_names())
      words.emplace_back(name.name);
    return words;
  }
  // A shard needs one replica that can be reached.
  base::result<std::vector<warehouse::Replicas>> open_store(const Session& session) const {
    collector::Config store;
    store.user = link_.user;
    store.password_file = link_.password_file;
    for (const std::string& urls : to_) {
      store.store.push_back(warehouse::parse_replicas(urls));
      store.replicated |= store.store.back().size() > 1;
    }
    if (store.store.size() > warehouse::kMostShards)
      return base::fail(base::Code::usage, "--to: at most 64 shards");
    std::vector<std::vector<base::Error>> missing(store.store.size());
    auto shards = collector::open_store(store, {}, [&](std::size_t shard, const base::Error& why) {
      missing[shard].push_back(why);
    });
    if (!shards) return shards;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (missing[i].size() == store.store[i].size()) return base::Unexpected(missing[i].front());
      for (const base::Error& why : missing[i])
        session.remark(base::to_text(why) + "; another replica has it");
    }
    return shards;
  }
  // `shards`: of a store, which the target uses.
  base::result<std::unique_ptr<collector::PushTarget>> open_target(
      Session& session, base::Time now, std::vector<warehouse::Replicas>& shards) {
    const collector::TargetOptions options{
        .now = now, .stop = session.asking().stop, .tell = [&session](const std::string& why) {
          session.remark("trying again: " + why);
        }};
    const bool for_relay = !relay_.token_file.empty() || !relay_.tenant.empty();
    const bool for_store = !link_.user.empty() || !link_.password_file.empty();
    if (as_ == "store" ? for_relay : for_store)
      return base::fail(base::Code::usage,
                        as_ == "store" ? "--token-file and --tenant are for --as otlp and pyroscope"
                                       : "--user and --password-file are for stores");
    if (as_ != "store") {
      if (to_.size() != 1)
        return base::fail(base::Code::usage, "--as " + as_ + " goes to one server: --to once");
      relay_.kind = as_ == "otlp" ? collector::RelayKind::otlp : collector::RelayKind::pyroscope;
      relay_.url = to_.front();
      return collector::push_to_server(relay_, options);
    }
    auto opened = open_store(session);
    if (!opened) return base::Unexpected(opened.error());
    shards = std::move(*opened);
    return collector::push_to_store(shards, options);
  }
  static int push(Session& session, const std::string& file, collector::PushTarget& target,
                  const collector::PushOptions& options, std::vector<collector::Pushed>& all) {
    const service::Input input({.file = file}, session.asking());
    auto pushed = collector::push_any(input, target, options);
    if (!pushed) return session.refuse(pushed.error());
    int code = 0;
    for (collector::Pushed& one : *pushed) {
      code = std::max(code, conclude_one(session, one, options));
      all.push_back(std::move(one));
    }
    return code;
  }
  static int conclude_one(Session& session, const collector::Pushed& pushed,
                          const collector::PushOptions& options) {
    tell_notices(session, pushed.reading);
    int code = conclude(session, pushed.reading);
    for (const std::string& repair : pushed.repairs)
      session.detail(pushed.reading.origin.file + ": " + repair);
    return std::max(code, tell_pushed(session, pushed, options.now));
  }

  std::vector<std::string> files_;
  std::vector<std::string> labels_;
  std::string at_;
  std::vector<std::string> to_;
  std::string from_;
  std::string as_ = "store";
  warehouse::LinkOptions link_;
  collector::RelayOptions relay_;
  collector::HubOptions hub_;
};

}  // namespace

std::unique_ptr<Command> make_push() { return std::make_unique<Push>(); }

}  // namespace polytrace::cli
