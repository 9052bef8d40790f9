// SPDX-License-Identifier: Apache-2.0
// Conditions as anybody may send them: what parses prints to what parses to the same, and no text
// of it leaves its literal in SQL.
#include "fleet/where.hpp"

#include <cstdint>
#include <cstdlib>

using namespace polytrace;

namespace {

// Outside literals SQL has only what the printer itself writes.
bool is_closed(std::string_view sql) {
  bool inside = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (inside && sql[i] == '\\') ++i;
    else if (sql[i] == '\'') inside = !inside;
    else if (!inside && (sql[i] == ';' || sql[i] == '\\' || sql[i] == '"')) return false;
  }
  return !inside;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto where = fleet::parse_where({reinterpret_cast<const char*>(data), size});
  if (!where) return 0;
  const auto again = fleet::parse_where(fleet::to_text(*where));
  if (!again || !(*again == *where)) std::abort();
  if (!is_closed(fleet::to_sql(*where))) std::abort();
  return 0;
}
