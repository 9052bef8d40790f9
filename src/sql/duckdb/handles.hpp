// SPDX-License-Identifier: Apache-2.0
// Handles of DuckDB that end with their scope.
#pragma once

#include <utility>

#include "sql/duckdb/api.hpp"

namespace polytrace::sql {

template <class Handle, auto end>
class DuckOwned {
 public:
  explicit DuckOwned(const DuckApi& api, Handle own = nullptr) : api_(&api), own_(own) {}
  DuckOwned(const DuckOwned&) = delete;
  DuckOwned& operator=(const DuckOwned&) = delete;
  DuckOwned(DuckOwned&& other) noexcept
      : api_(other.api_), own_(std::exchange(other.own_, nullptr)) {}
  DuckOwned& operator=(DuckOwned&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(own_, other.own_);
    return *this;
  }
  ~DuckOwned() {
    if (own_ != nullptr) (api_->*end)(&own_);
  }
  Handle get() const { return own_; }
  Handle* place() { return &own_; }

 private:
  const DuckApi* api_;
  Handle own_;
};

using OwnedType = DuckOwned<DuckLogicalType, &DuckApi::destroy_logical_type>;
using OwnedValue = DuckOwned<DuckValue, &DuckApi::destroy_value>;
using OwnedChunk = DuckOwned<DuckChunk, &DuckApi::destroy_data_chunk>;
using OwnedTexts = DuckOwned<DuckTexts, &DuckApi::destroy_extracted>;
using OwnedPrepared = DuckOwned<DuckPrepared, &DuckApi::destroy_prepare>;
using OwnedConfig = DuckOwned<DuckConfig, &DuckApi::destroy_config>;
using OwnedTableFunction = DuckOwned<DuckTableFunction, &DuckApi::destroy_table_function>;
using OwnedScalar = DuckOwned<DuckScalar, &DuckApi::destroy_scalar_function>;
using OwnedScalarSet = DuckOwned<DuckScalarSet, &DuckApi::destroy_scalar_function_set>;
using OwnedStore = DuckOwned<DuckStore, &DuckApi::close>;
using OwnedLink = DuckOwned<DuckLink, &DuckApi::disconnect>;

// An answer.
class OwnedResult {
 public:
  explicit OwnedResult(const DuckApi& api) : api_(api) {}
  OwnedResult(const OwnedResult&) = delete;
  OwnedResult& operator=(const OwnedResult&) = delete;
  ~OwnedResult() { api_.destroy_result(&own_); }
  DuckResult* get() { return &own_; }
  // Empty: there is none.
  std::string error() {
    const char* const text = api_.result_error(&own_);
    return text == nullptr ? "" : text;
  }

 private:
  const DuckApi& api_;
  DuckResult own_{};
};

inline OwnedType duck_type(const DuckApi& api, DuckType type) {
  return OwnedType(api, api.create_logical_type(type));
}

}  // namespace polytrace::sql
