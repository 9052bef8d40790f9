// SPDX-License-Identifier: Apache-2.0
#include "fleet/store.hpp"

#include "warehouse/schema.hpp"

namespace polytrace::fleet {
namespace {

// What one question may take of a server that others ask, too.
const warehouse::Settings& limits_of_a_question() {
  static const warehouse::Settings kLimits{{"max_execution_time", "30"},
                                           {"max_rows_to_read", "20000000000"},
                                           {"max_memory_usage", "8000000000"},
                                           {"max_query_size", "4194304"},
                                           {"readonly", "2"}};
  return kLimits;
}

}  // namespace

base::result<Store> Store::open(warehouse::LinkOptions options) {
  auto link = warehouse::Link::open(std::move(options));
  if (!link) return base::Unexpected(link.error());
  if (auto ready = warehouse::require_schema(*link); !ready) return base::Unexpected(ready.error());
  return Store(std::move(*link));
}

base::result<std::vector<std::byte>> Store::ask(const std::string& sql) {
  return link_.ask(sql, limits_of_a_question());
}

}  // namespace polytrace::fleet
