// SPDX-License-Identifier: Apache-2.0
// DuckDB's C interface, found when the program runs: its library need not be there to build this,
// nor to run it. Only this folder sees it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace polytrace::sql {

// Handles and types as its header declares them; their layout is promised.
using DuckStore = struct DuckStoreTag*;
using DuckLink = struct DuckLinkTag*;
using DuckConfig = struct DuckConfigTag*;
using DuckTexts = struct DuckTextsTag*;
using DuckPrepared = struct DuckPreparedTag*;
using DuckChunk = struct DuckChunkTag*;
using DuckVector = struct DuckVectorTag*;
using DuckLogicalType = struct DuckLogicalTypeTag*;
using DuckValue = struct DuckValueTag*;
using DuckTableFunction = struct DuckTableFunctionTag*;
using DuckScalar = struct DuckScalarTag*;
using DuckScalarSet = struct DuckScalarSetTag*;
using DuckBind = struct DuckBindTag*;
using DuckInit = struct DuckInitTag*;
using DuckCall = struct DuckCallTag*;
using DuckAppender = struct DuckAppenderTag*;
using DuckDelete = void (*)(void*);

enum class DuckState : int { good, fault };
// The members that are looked for.
enum class DuckType : int {
  boolean = 1,
  tinyint = 2,
  smallint = 3,
  integer = 4,
  bigint = 5,
  utinyint = 6,
  usmallint = 7,
  uinteger = 8,
  ubigint = 9,
  real = 10,
  double_ = 11,
  hugeint = 16,
  varchar = 17,
  blob = 18,
  decimal = 19,
  enum_ = 23,
  uhugeint = 32,
  any = 34,
  null = 36
};
enum class DuckStatementType : int { select = 1, insert, update, explain, delete_, create = 7 };

struct DuckHuge {
  std::uint64_t lower;
  std::int64_t upper;
};
// A text: within it up to 12 bytes, else there.
struct DuckText {
  std::uint32_t length;
  char beginning[4];
  const char* far;

  const char* data() const { return length <= 12 ? beginning : far; }
};
struct DuckResult {
  std::uint64_t unused[3];
  void* unused_too[2];
  void* inside;
};

struct DuckApi {
#define DUCK(result, name, arguments) result(*name) arguments = nullptr;
#include "sql/duckdb/api.def"
#undef DUCK
  std::string version{};  // "1.5.6"
  std::string file{};     // where it was found
};

// Loads it the first time; any thread. Looks where POLYTRACE_DUCKDB points, else for libduckdb.so
// as programs look for libraries. Errors: engine_missing, with what is wrong with it.
base::result<const DuckApi*> duck_api();
// REQUIRES: it was loaded.
const DuckApi& loaded_duck();

}  // namespace polytrace::sql
