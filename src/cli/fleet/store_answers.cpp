// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/store_answers.hpp"

#include "warehouse/shards.hpp"
#if POLYTRACE_HAS_UI
#include "server/door/fleet_reply.hpp"
#endif

namespace polytrace::cli {

#if POLYTRACE_HAS_UI
namespace {

// Any server of a store answers for all of them. Where there are several, the first that can be
// connected to.
std::string address_of_store(const collector::Config& config, warehouse::LinkOptions options) {
  std::vector<std::string> all;
  for (const auto& replicas : config.store) all.insert(all.end(), replicas.begin(), replicas.end());
  if (all.size() == 1) return all.front();
  auto servers = warehouse::Replicas::open(all, std::move(options));
  if (!servers || !servers->ask("SELECT toUInt8(1)")) return all.front();
  return servers->link().address();
}

// What a link's address has no database of any more, and who asks no tenant's.
std::string database_of_store(const collector::Config& config, const std::string& tenants) {
  if (!tenants.empty()) return tenants;
  const auto own = warehouse::parse_address(config.store.front().front());
  return own ? own->database : std::string();
}

}  // namespace

collector::AnswerStore answers_from_store(const collector::Config& config) {
  if (config.store.empty()) return nullptr;
  return [&config](const collector::StoreQuestion& question, const std::atomic<bool>& stop) {
    warehouse::LinkOptions link;
    link.user = config.user;
    link.password_file = config.password_file;
    link.database = database_of_store(config, question.database);
    link.stop = &stop;
    link.address = address_of_store(config, link);
    return server::fleet_reply({.store = std::move(link)}, question.target, question.body, stop);
  };
}
#else
collector::AnswerStore answers_from_store(const collector::Config&) { return nullptr; }
#endif

}  // namespace polytrace::cli
