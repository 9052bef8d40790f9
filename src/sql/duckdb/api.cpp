// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/codes.hpp"

namespace polytrace::sql {
namespace {

using base::Code;

constexpr unsigned kOldestMajor = 1, kOldestMinor = 2;

struct Symbol {
  const char* name;
  void** place;
};

// "v1.5.6" is not older than the oldest.
bool is_new_enough(std::string_view version) {
  unsigned major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto [behind, fault] = std::from_chars(version.data(), end, major);
  if (fault != std::errc() || behind == end) return false;
  std::from_chars(behind + 1, end, minor);
  return major > kOldestMajor || (major == kOldestMajor && minor >= kOldestMinor);
}

base::result<DuckApi> load() {
  const char* const told = std::getenv("POLYTRACE_DUCKDB");
  const bool is_told = told != nullptr && *told != '\0';
  const std::string file = is_told ? told : "libduckdb.so";
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return base::fail(Code::engine_missing, why != nullptr ? why : file);
  }
  DuckApi api;
  const Symbol symbols[]{
#define DUCK(result, name, arguments) {"duckdb_" #name, reinterpret_cast<void**>(&api.name)},
#include "sql/duckdb/api.def"
#undef DUCK
  };
  for (const Symbol& symbol : symbols) {
    *symbol.place = dlsym(library, symbol.name);
    if (*symbol.place == nullptr)
      return base::fail(Code::engine_missing, fmt::format("{} has no {}", file, symbol.name));
  }
  std::string_view version = api.library_version();
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!is_new_enough(version))
    return base::fail(Code::engine_missing,
                      fmt::format("{} is DuckDB {}; {}.{} is the oldest that works", file, version,
                                  kOldestMajor, kOldestMinor));
  api.version = version;
  Dl_info found{};
  const bool is_known = dladdr(reinterpret_cast<void*>(api.library_version), &found) != 0;
  api.file = is_known && found.dli_fname != nullptr ? found.dli_fname : file;
  return api;
}

}  // namespace

base::result<const DuckApi*> duck_api() {
  static std::once_flag once;
  static std::optional<base::result<DuckApi>> loaded;
  std::call_once(once, [] { loaded = load(); });
  if (!*loaded) return base::Unexpected(loaded->error());
  return &**loaded;
}

const DuckApi& loaded_duck() { return **duck_api(); }

}  // namespace polytrace::sql
