// SPDX-License-Identifier: Apache-2.0
// What a query may do and how much of everything it gets. A query reads tables of the trace and
// writes temporary ones, nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/sqlite/handle.hpp"

namespace polytrace::sql {

class Guard {
 public:
  Guard(Asked& asked, std::uint64_t memory, bool read_only)
      : asked_(asked), memory_(memory), read_only_(read_only) {}

  // Before anything else is done with the connection.
  static void set_limits(sqlite3* database);
  // From now on. `tables` and `functions`: names of ours, in order; the guard outlives the
  // connection.
  void close(sqlite3* database, std::vector<std::string> tables,
             std::vector<std::string> functions);
  // For what is prepared and runs from now on.
  void set(std::uint64_t memory, bool read_only) {
    memory_ = memory;
    read_only_ = read_only;
  }
  bool is_out_of_memory() const { return out_of_memory_; }
  void begin() { out_of_memory_ = false; }

 private:
  static int authorize(void* self, int action, const char* one, const char* two,
                       const char* database, const char* view);
  static int look(void* self);
  int judge(int action, const char* one, const char* two, const char* database);
  bool may_write(int action, const char* one, const char* database) const;
  bool may_read(const char* table, const char* column, const char* database) const;
  int refuse(const char* what, const char* name);

  Asked& asked_;
  std::uint64_t memory_;
  bool read_only_;
  bool out_of_memory_ = false;
  std::vector<std::string> tables_{};
  std::vector<std::string> functions_{};
};

}  // namespace polytrace::sql
