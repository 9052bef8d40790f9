// SPDX-License-Identifier: Apache-2.0
#include "sql/files/answer_file.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::sql {

base::result<void> AnswerFile::begin(const std::vector<AnswerColumn>& columns) {
  if (any_) return base::fail(base::Code::query_wrong, "a second answer: a file has one");
  any_ = true;
  told_ = columns;
  return {};
}

// Numbers that are all whole, else reals; a text makes all of them texts.
Type AnswerFile::type_of(std::size_t column) const {
  const std::string_view word = told_[column].type;
  if (word == "INTEGER") return Type::integer;
  if (word == "REAL") return Type::real;
  if (word == "TEXT") return Type::text;
  Type type = Type::null;
  for (const auto& row : first_) type = std::max(type, row[column].value.type);
  return type == Type::null ? Type::text : type;
}

base::result<void> AnswerFile::settle() {
  if (!columns_.empty()) return {};
  for (std::size_t i = 0; i < told_.size(); ++i)
    columns_.push_back({told_[i].name, type_of(i), told_[i].unit, {}});
  if (auto begun = to_->begin("answer", columns_); !begun) return begun;
  std::vector<Value> cells(told_.size());
  for (auto& row : first_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = row[i].value;
      if (cells[i].type == Type::text) cells[i].text = row[i].text;
    }
    if (auto put = to_->row(cells); !put) return put;
  }
  first_.clear();
  return {};
}

base::result<void> AnswerFile::take(std::span<const Value> cells) {
  if (!columns_.empty()) return to_->row(cells);
  auto& row = first_.emplace_back();
  for (const Value& cell : cells) row.push_back({cell, std::string(cell.text)});
  return first_.size() < kFirstRows ? base::result<void>() : settle();
}

bool AnswerFile::row(std::span<const Value> cells) {
  if (most_ != 0 && rows_ == most_) return ++left_out_, true;
  ++rows_;
  const auto taken = take(cells);
  if (!taken) fault_ = taken.error();
  return taken.has_value();
}

base::result<void> AnswerFile::end() {
  if (fault_) return base::Unexpected(*fault_);
  if (!any_) return base::fail(base::Code::query_wrong, "no statement has an answer");
  if (auto settled = settle(); !settled) return settled;
  if (auto ended = to_->end(); !ended) return ended;
  return to_->finish();
}

}  // namespace polytrace::sql
