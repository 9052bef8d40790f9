// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/duck_connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/codes.hpp"
#include "sql/model/views.hpp"

namespace polytrace::sql {
namespace {

using base::Code;

DuckSetting memory_setting(std::uint64_t bytes) {
  constexpr std::uint64_t kLeastKib = 16 * 1024;
  return {"memory_limit", fmt::format("{}KiB", std::max(bytes / 1024, kLeastKib))};
}

DuckSetting threads_setting() {
  constexpr unsigned kMostThreads = 4;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return {"threads", fmt::format("{}", std::min(cores, kMostThreads))};
}

// What both engines answer is alike.
constexpr const char* kAlike[]{"SET default_null_order = 'sqlite'", "SET integer_division = true"};

// Functions of these names are its own.
bool is_taken(std::string_view name) { return name == "histogram" || name == "group_by"; }

}  // namespace

// No file is seen, nothing is loaded, nothing is written to a disk.
base::result<void> DuckConnection::open(std::uint64_t memory) {
  const std::vector<DuckSetting> settings{{"enable_external_access", "false"},
                                          {"autoinstall_known_extensions", "false"},
                                          {"autoload_known_extensions", "false"},
                                          {"allow_community_extensions", "false"},
                                          {"allow_unsigned_extensions", "false"},
                                          {"temp_directory", ""},
                                          memory_setting(memory),
                                          threads_setting()};
  if (auto opened = open_with(settings); !opened) return opened;
  for (const char* const alike : kAlike)
    if (auto done = run(alike); !done) return done;
  return {};
}

base::result<void> DuckConnection::open_for_files(std::uint64_t memory, const std::string& spill) {
  return open_with({{"autoinstall_known_extensions", "false"},
                    {"autoload_known_extensions", "false"},
                    {"temp_directory", spill},
                    memory_setting(memory),
                    threads_setting()});
}

base::result<void> DuckConnection::open_with(const std::vector<DuckSetting>& settings) {
  OwnedConfig config(api_);
  api_.create_config(config.place());
  for (const DuckSetting& setting : settings)
    if (api_.set_config(config.get(), setting.name, setting.value.c_str()) != DuckState::good)
      return base::fail(Code::limit_exceeded, std::string("DuckDB has no setting ") + setting.name);
  char* fault = nullptr;
  if (api_.open_ext(":memory:", store_.place(), config.get(), &fault) != DuckState::good) {
    const std::string why = fault == nullptr ? "DuckDB does not open" : fault;
    api_.free(fault);
    return base::fail(Code::limit_exceeded, why);
  }
  if (api_.connect(store_.get(), link_.place()) != DuckState::good)
    return base::fail(Code::limit_exceeded, "DuckDB does not connect");
  return {};
}

base::result<void> DuckConnection::run(const std::string& sql) {
  OwnedResult result(api_);
  if (api_.query(link_.get(), sql.c_str(), result.get()) == DuckState::good) return {};
  return base::fail(Code::limit_exceeded, result.error());
}

base::result<void> DuckConnection::add_table(const TraceTables& trace, const Table& table) {
  const TableInfo& info = table.info();
  if (info.is_function && is_taken(info.name)) return {};
  tables_.push_back(std::make_unique<DuckTable>(DuckTable{table, shared_}));
  const std::string name = trace.prefix + std::string(info.name);
  if (info.is_function) return add_duck_table(link_.get(), name, *tables_.back());
  if (auto added = add_duck_table(link_.get(), "pt_" + name, *tables_.back()); !added) return added;
  return run(fmt::format("CREATE VIEW \"{0}\" AS SELECT * FROM pt_{0}()", name));
}

base::result<void> DuckConnection::add(std::span<const TraceTables> traces) {
  if (auto added = add_duck_scalars(link_.get(), {}, nullptr, shared_, scalars_); !added)
    return added;
  for (const TraceTables& trace : traces) {
    if (auto added =
            add_duck_scalars(link_.get(), trace.prefix, trace.trace.get(), shared_, scalars_);
        !added)
      return added;
    for (const auto& table : trace.tables)
      if (auto added = add_table(trace, *table); !added) return added;
  }
  for (const View& view : kViews)
    if (auto made = run(fmt::format("CREATE VIEW {} AS {}", view.name, view.query)); !made)
      return made;
  shared_.opening = false;
  return {};
}

base::result<void> DuckConnection::lock() { return run("SET lock_configuration = true"); }

}  // namespace polytrace::sql
