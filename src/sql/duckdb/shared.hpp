// SPDX-License-Identifier: Apache-2.0
// What tables and functions share with the question that DuckDB asks them for: any of its threads.
#pragma once

#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "sql/duckdb/api.hpp"

namespace polytrace::sql {

struct DuckShared {
  explicit DuckShared(const DuckApi& of) : api(of) {}

  const DuckApi& api;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> rows{0};  // that tables gave
  bool opening = true;                 // tables are being made known: nobody asks for their rows

  void begin() {
    const std::lock_guard lock(mutex_);
    stop = false;
    rows = 0;
    fault_.reset();
  }
  // Of a table: more than DuckDB can say. The first one stays.
  std::string keep(const base::Error& fault) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = fault;
    return fault.detail.empty() ? "failed" : fault.detail;
  }
  std::optional<base::Error> fault() {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::optional<base::Error> fault_;
};

// Nothing thrown gets into DuckDB: `fail` is told instead.
template <class Work, class Fail>
void guarded_duck(const Work& work, const Fail& fail) noexcept {
  try {
    work();
  } catch (const std::bad_alloc&) {
    fail("Out of Memory Error: a table");
  } catch (...) {
    fail("failed");
  }
}

}  // namespace polytrace::sql
