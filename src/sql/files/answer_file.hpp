// SPDX-License-Identifier: Apache-2.0
// An answer of a query as a file of one table. Columns whose type no statement tells get the one
// that their first rows have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/files/table_writer.hpp"
#include "sql/model/question.hpp"

namespace polytrace::sql {

class AnswerFile final : public Answers {
 public:
  // `most`: rows that are written, 0 for all.
  AnswerFile(std::unique_ptr<TableWriter> to, std::uint64_t most)
      : to_(std::move(to)), most_(most) {}

  base::result<void> begin(const std::vector<AnswerColumn>& columns) override;
  bool row(std::span<const Value> cells) override;
  // Behind the last row. Errors: those of the file; query_wrong where there was no answer, and for
  // cells of several types in a column.
  base::result<void> end();
  std::uint64_t rows() const { return rows_; }
  std::uint64_t rows_left_out() const { return left_out_; }

 private:
  static constexpr std::size_t kFirstRows = 4096;
  struct Kept {
    Value value;
    std::string text;
  };
  base::result<void> take(std::span<const Value> cells);
  base::result<void> settle();
  Type type_of(std::size_t column) const;

  std::unique_ptr<TableWriter> to_;
  std::uint64_t most_;
  bool any_ = false;
  std::vector<AnswerColumn> told_{};
  std::vector<Column> columns_{};           // once settled
  std::vector<std::vector<Kept>> first_{};  // rows until then
  std::optional<base::Error> fault_{};
  std::uint64_t rows_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace polytrace::sql
