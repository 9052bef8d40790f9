// SPDX-License-Identifier: Apache-2.0
// A table whose rows have numbers from 0, each at hand: what is asked of one column alone is found
// without looking at all of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sql/model/table.hpp"

namespace polytrace::sql {

class CountedTable : public Table {
 public:
  // Any thread. Errors: of getting them, the first time.
  virtual base::result<std::uint64_t> rows() const = 0;
  // Of whole numbers, and of no others, it is asked more than once for each row. Texts live as long
  // as the table.
  virtual Value cell(std::uint64_t row, int column) const = 0;
  // Rows are in ascending order of this column, which has whole numbers; -1: of none.
  virtual int key() const { return -1; }

  // Of intervals: the columns of their beginning, of how long they last, and of what they are asked
  // to meet; -1: they are none.
  struct IntervalColumns {
    int ts = -1;
    int dur = -1;
    int meets = -1;
  };
  virtual IntervalColumns interval() const { return {}; }

  // About how many rows there are, for plans.
  virtual double expected() const;

  int order() const override { return key(); }
  double estimate(std::uint64_t equal, std::uint64_t ranges) const override;
  base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const override;

 private:
  // Row numbers in order of a column's numbers; rows without one are not in it.
  struct Index {
    std::vector<std::pair<std::int64_t, std::uint32_t>> rows;
  };
  class Rows;
  const Index& index_of(int column, std::uint64_t rows) const;
  std::uint64_t first_from(std::int64_t value, std::uint64_t rows) const;
  std::vector<std::uint64_t> found(int column, const std::vector<std::int64_t>& values,
                                   std::uint64_t rows) const;

  mutable std::mutex mutex_;  // guards what follows
  mutable std::map<int, Index> indexes_;
};

}  // namespace polytrace::sql
