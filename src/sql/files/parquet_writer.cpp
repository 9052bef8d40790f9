// SPDX-License-Identifier: Apache-2.0
// Tables as Parquet, by DuckDB: rows go into a table of its own, which spills beside the output
// where it is large, and from there into the file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/codes.hpp"
#include "sql/duckdb/duck_connection.hpp"
#include "sql/files/fitted.hpp"
#include "sql/files/table_writer.hpp"

namespace polytrace::sql {
namespace {

constexpr std::uint64_t kParquetMemory = std::uint64_t{1} << 30;

std::string doubled(std::string_view text, char quote) {
  std::string all(1, quote);
  for (const char byte : text) {
    if (byte == quote) all += quote;
    all += byte;
  }
  return all += quote;
}

std::string_view duck_word(Type type) {
  if (type == Type::integer) return "BIGINT";
  return type == Type::real ? "DOUBLE" : "VARCHAR";
}

std::string lowered(std::string_view name) {
  std::string all(name);
  for (char& byte : all)
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  return all;
}

// Names of columns that differ, whatever the case of their letters.
std::vector<std::string> different_names(std::span<const Column> columns) {
  std::vector<std::string> names, seen;
  for (const Column& column : columns) {
    const std::string begun = column.name.empty() ? "column" : std::string(column.name);
    std::string name = begun;
    for (int i = 2; std::ranges::find(seen, lowered(name)) != seen.end(); ++i)
      name = fmt::format("{}_{}", begun, i);
    seen.push_back(lowered(name));
    names.push_back(std::move(name));
  }
  return names;
}

class ParquetWriter final : public TableWriter {
 public:
  ParquetWriter(std::string path, bool is_folder) : path_(std::move(path)), is_folder_(is_folder) {}
  ~ParquetWriter() override {
    end_rows();
    duck_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(spill(), ignored);
  }

  base::result<void> begin(std::string_view name, std::span<const Column> columns) override {
    if (auto opened = open(); !opened) return opened;
    name_ = name;
    columns_.assign(columns.begin(), columns.end());
    const std::vector<std::string> names = different_names(columns);
    std::string made;
    for (std::size_t i = 0; i < names.size(); ++i)
      made += fmt::format("{}{} {}", i == 0 ? "" : ", ", doubled(names[i], '"'),
                          duck_word(columns[i].type));
    if (auto done = run(fmt::format("CREATE TABLE rows ({})", made)); !done) return done;
    const DuckState state =
        duck_->api().appender_create(duck_->link(), nullptr, "rows", &appender_);
    return state == DuckState::good ? base::result<void>() : appender_fault();
  }
  base::result<void> row(std::span<const Value> cells) override {
    const DuckApi& api = duck_->api();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto cell = fitted(cells[i], columns_[i].type, columns_[i].name, text_);
      if (!cell) return tl::unexpected(cell.error());
      append(*cell);
    }
    return api.appender_end_row(appender_) == DuckState::good ? base::result<void>()
                                                              : appender_fault();
  }
  // In order of time.
  base::result<void> end() override {
    if (duck_->api().appender_close(appender_) != DuckState::good) return appender_fault();
    end_rows();
    const bool has_time = std::ranges::find(columns_, "ts", &Column::name) != columns_.end();
    const std::string to = is_folder_ ? fmt::format("{}/{}.parquet", path_, name_) : path_;
    auto copied =
        run(fmt::format("COPY (SELECT * FROM rows{}) TO {} (FORMAT parquet, COMPRESSION zstd)",
                        has_time && is_folder_ ? " ORDER BY ts" : "", doubled(to, '\'')));
    if (!copied) return copied;
    return run("DROP TABLE rows");
  }
  base::result<void> finish() override { return {}; }

 private:
  std::string spill() const { return path_ + (is_folder_ ? "/spill" : ".spill"); }
  base::result<void> open() {
    if (duck_ != nullptr) return {};
    const auto api = duck_api();
    if (!api) return tl::unexpected(api.error());
    duck_ = std::make_unique<DuckConnection>(**api);
    return duck_->open_for_files(kParquetMemory, spill());
  }
  base::result<void> run(const std::string& sql) {
    auto done = duck_->run(sql);
    return done ? done : base::fail(base::Code::write_failed, done.error().detail);
  }
  void append(const Value& cell) {
    const DuckApi& api = duck_->api();
    switch (cell.type) {
      case Type::null: api.append_null(appender_); return;
      case Type::integer: api.append_int64(appender_, cell.integer); return;
      case Type::real: api.append_double(appender_, cell.real); return;
      case Type::text:
        api.append_varchar_length(appender_, cell.text.data(), cell.text.size());
        return;
    }
  }
  base::Unexpected appender_fault() const {
    const char* const why = appender_ == nullptr ? nullptr : duck_->api().appender_error(appender_);
    return base::fail(base::Code::write_failed, why == nullptr ? "DuckDB takes no row" : why);
  }
  void end_rows() {
    if (appender_ != nullptr) duck_->api().appender_destroy(&appender_);
    appender_ = nullptr;
  }

  std::string path_;
  bool is_folder_;
  std::unique_ptr<DuckConnection> duck_{};
  DuckAppender appender_ = nullptr;
  std::string name_{};
  std::vector<Column> columns_{};
  std::string text_{};
};

}  // namespace

std::unique_ptr<TableWriter> parquet_writer(const std::string& path) {
  return std::make_unique<ParquetWriter>(path, true);
}

std::unique_ptr<TableWriter> parquet_file(const std::string& path) {
  return std::make_unique<ParquetWriter>(path, false);
}

}  // namespace polytrace::sql
