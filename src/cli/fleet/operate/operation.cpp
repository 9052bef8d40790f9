// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/operate/operation.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>

#include "base/codes.hpp"
#include "cli/show/tables.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

int code_of(const fleet::Report& report) {
  const bool is_whole = !report.shards || report.shards->answered != 0;
  if (is_whole) return report.is_right ? 0 : 4;
  int worst = 0;
  for (const base::Error& fault : report.faults)
    worst = std::max(worst, base::describe(fault.code).exit);
  return worst;
}

}  // namespace

void ShardOptions::add_to(OptionList& list) {
  list.add("--store", addresses_,
           "The server and its database: http://HOST:8123/DATABASE; after a comma a replica of it; "
           "again: the next shard (default: $POLYTRACE_STORE)")
      .takes("URL")
      .in("Store");
  login_.add_to(list);
}

base::result<warehouse::ShardAddresses> ShardOptions::shards() const {
  std::vector<std::string> told = addresses_;
  if (const char* variable = std::getenv("POLYTRACE_STORE"); told.empty() && variable != nullptr)
    told.emplace_back(variable);
  if (told.empty() || told.front().empty())
    return base::fail(base::Code::usage, "which store? Say --store URL, or set POLYTRACE_STORE");
  if (told.size() > warehouse::kMostShards)
    return base::fail(base::Code::usage, "--store: at most 64 shards");
  warehouse::ShardAddresses shards;
  std::set<std::string> seen;
  for (const std::string& urls : told)
    for (const std::string& url : shards.emplace_back(warehouse::parse_replicas(urls))) {
      if (auto address = warehouse::parse_address(url); !address) {
        address.error().place.frame = url;
        return base::Unexpected(address.error());
      }
      if (!seen.insert(url).second)
        return base::fail(base::Code::usage, "--store: " + url + " is named twice");
    }
  return shards;
}

void FleetOperation::define(OptionList& list) { store_.add_to(list); }

int FleetOperation::run(Session& session) {
  const auto operation = prepare(session);
  if (!operation) return session.fail(operation.error());
  const auto shards = store_.shards();
  if (!shards) return session.fail(shards.error());
  warehouse::LinkOptions link;
  store_.login().tell(link);
  link.answer_within = patience();
  const auto report = fleet::on_shards(*shards, link, *operation);
  if (!report) return session.fail(report.error());
  return tell_report(session, *report);
}

int tell_report(Session& session, const fleet::Report& report) {
  std::string& out = session.out().text();
  if (session.common.json) {
    out += fleet::report_json(report);
  } else {
    for (const std::string& line : fleet::report_lines(report)) out += printable(line) + '\n';
    for (const analysis::Table& table : report.tables) append_text(out, table, session.look());
  }
  return code_of(report);
}

std::uint32_t seconds_now() { return static_cast<std::uint32_t>(std::time(nullptr)); }

}  // namespace polytrace::cli
