// SPDX-License-Identifier: Apache-2.0
// A file for each table, as RFC 4180 has it; the first line has the columns' names.
#include <fmt/format.h>

#include "base/io/sink.hpp"
#include "base/text/row_text.hpp"
#include "base/text/utf8.hpp"
#include "sql/files/table_writer.hpp"

namespace polytrace::sql {
namespace {

class CsvWriter final : public TableWriter {
 public:
  explicit CsvWriter(std::string folder) : folder_(std::move(folder)) {}

  base::result<void> begin(std::string_view name, std::span<const Column> columns) override {
    auto sink = base::create_sink(fmt::format("{}/{}.csv", folder_, name), false);
    if (!sink) return tl::unexpected(sink.error());
    sink_ = std::move(*sink);
    for (const Column& column : columns) put(base::csv_text(column.name));
    return end_row();
  }
  base::result<void> row(std::span<const Value> cells) override {
    for (const Value& cell : cells) put(text_of_cell(cell));
    return end_row();
  }
  base::result<void> end() override {
    if (auto written = write(); !written) return written;
    auto done = sink_->commit();
    sink_.reset();
    return done;
  }
  base::result<void> finish() override { return {}; }

 private:
  static constexpr std::size_t kMuch = std::size_t{256} * 1024;

  // Nothing of what is not told.
  static std::string text_of_cell(const Value& cell) {
    switch (cell.type) {
      case Type::integer: return fmt::format("{}", cell.integer);
      case Type::real: return fmt::format("{}", cell.real);
      case Type::text: return base::csv_text(base::repaired(cell.text));
      default: return {};
    }
  }
  void put(std::string_view cell) {
    if (has_cells_) text_ += ',';
    has_cells_ = true;
    text_ += cell;
  }
  base::result<void> end_row() {
    text_ += "\r\n";
    has_cells_ = false;
    return text_.size() < kMuch ? base::result<void>() : write();
  }
  base::result<void> write() {
    auto written = sink_->write(std::as_bytes(std::span(text_)));
    text_.clear();
    return written;
  }

  std::string folder_;
  std::unique_ptr<base::Sink> sink_;
  std::string text_;
  bool has_cells_ = false;
};

}  // namespace

std::unique_ptr<TableWriter> csv_writer(const std::string& path) {
  return std::make_unique<CsvWriter>(path);
}

}  // namespace polytrace::sql
