// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/fleet/fleet_options.hpp"
#include "warehouse/schema.hpp"

namespace polytrace::cli {
namespace {

class FleetSchema final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-schema",
        "[OPTIONS]",
        "Tells which version of its tables a store has. --apply makes the database and what is "
        "missing in it, and leaves what is there as it is; run again, it does nothing. --print "
        "shows the statements and asks no server.",
        {{"which tables are there?", "polytrace fleet schema --store http://127.0.0.1:8123/shop"},
         {"make them", "polytrace fleet schema --apply --store http://127.0.0.1:8123/shop"},
         {"for replicas, to read first",
          "polytrace fleet schema --print --replicated --store http://127.0.0.1:8123/shop"}},
        {0, 1, 2, 3},
        "docs/fleet.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    store_.add_to(list);
    const char* group = "Tables";
    list.add("--apply", apply_, "Make what is missing").in(group);
    list.add("--print", print_, "Show the statements, for the database of --store").in(group);
    list.add("--replicated", replicated_,
             "Tables with replicas: the server has the macros shard and replica")
        .in(group);
    list.add("--cluster", cluster_,
             "Also tables NAME_all, which ask all shards of the cluster that the server knows by "
             "this name: questions are then of all")
        .takes("NAME")
        .in(group);
  }
  int run(Session& session) override {
    if (apply_ && print_) return session.fail_usage("--apply and --print exclude each other");
    if (!cluster_.empty() && !warehouse::is_plain_name(cluster_))
      return session.fail_usage("--cluster: its name is letters, digits and _");
    auto options = store_.link();
    if (!options) return session.fail(options.error());
    auto link = warehouse::Link::open(std::move(*options));
    if (!link) return session.fail(link.error());
    if (print_) return print(session, *link);
    return apply_ ? apply(session, *link) : tell(session, *link, 0);
  }

 private:
  warehouse::Engines engines() const {
    return replicated_ ? warehouse::Engines::replicated : warehouse::Engines::single;
  }
  std::vector<std::string> of_cluster(const warehouse::Link& link) const {
    if (cluster_.empty()) return {};
    return warehouse::cluster_statements(link.database(), cluster_);
  }
  int print(Session& session, const warehouse::Link& link) const {
    for (const std::string& statement : warehouse::schema_statements(link.database(), engines()))
      session.out().text() += statement + ";\n";
    for (const std::string& statement : of_cluster(link)) session.out().text() += statement + ";\n";
    return 0;
  }
  int apply(Session& session, warehouse::Link& link) const {
    const auto done =
        warehouse::apply_schema(link, engines(), std::string("polytrace ") + POLYTRACE_VERSION);
    if (!done) return session.fail(done.error());
    for (const std::string& statement : of_cluster(link))
      if (auto made = link.run(statement); !made) return session.fail(made.error());
    return tell(session, link, *done);
  }
  static int tell(Session& session, warehouse::Link& link, std::uint64_t statements) {
    const auto version = warehouse::schema_version(link);
    if (!version) return session.fail(version.error());
    std::string& out = session.out().text();
    const std::string store = link.address() + '/' + link.database();
    if (session.common.json) write_json(out, store, *version, statements);
    else if (!*version) out += fmt::format("{}: no tables of polytrace\n", store);
    else
      out += fmt::format("{}: tables of version {}; {}\n", store, **version,
                         statements == 0 ? std::string("nothing was made")
                                         : base::count_text(statements, "statement", "statements"));
    if (*version) return 0;
    return 3;
  }
  static void write_json(std::string& out, const std::string& store,
                         const std::optional<std::uint32_t>& version, std::uint64_t statements) {
    base::JsonWriter json(out);
    json.begin_object();
    json.member("schema", "polytrace.fleet-schema/1");
    json.member("store", store);
    json.key("version");
    if (version) json.value(std::uint64_t{*version});
    else json.null();
    json.member("known", std::uint64_t{warehouse::kSchemaVersion});
    json.member("statements_run", statements);
    json.end_object();
    out += '\n';
  }

  StoreOptions store_;
  std::string cluster_;
  bool apply_ = false;
  bool print_ = false;
  bool replicated_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fleet_schema() { return std::make_unique<FleetSchema>(); }

}  // namespace polytrace::cli
