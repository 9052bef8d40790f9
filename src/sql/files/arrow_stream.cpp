// SPDX-License-Identifier: Apache-2.0
#include "sql/files/arrow_stream.hpp"

#include <fmt/format.h>

#include <bit>

#include "sql/files/fitted.hpp"

namespace polytrace::sql {
namespace {

constexpr std::int64_t kBatchRows = 65'536;
constexpr std::size_t kBatchTexts = std::size_t{64} << 20;

// Buffers of a batch behind each other, each from a multiple of 8 bytes on.
class ArrowBody {
 public:
  void add(const void* from, std::size_t size) {
    buffers.push_back({static_cast<std::int64_t>(bytes.size()), static_cast<std::int64_t>(size)});
    bytes.append(static_cast<const char*>(from), size);
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  std::string bytes{};
  std::vector<ArrowBuffer> buffers{};
};

class ArrowWriter final : public TableWriter {
 public:
  explicit ArrowWriter(std::string folder) : folder_(std::move(folder)) {}
  explicit ArrowWriter(std::unique_ptr<base::Sink> sink) : sink_(std::move(sink)) {}

  base::result<void> begin(std::string_view name, std::span<const Column> columns) override {
    if (sink_ == nullptr) {
      auto sink = base::create_sink(fmt::format("{}/{}.arrows", folder_, name), false);
      if (!sink) return tl::unexpected(sink.error());
      sink_ = std::move(*sink);
    }
    std::vector<ArrowField> fields;
    for (const Column& column : columns)
      fields.push_back({std::string(column.name), column.type, std::string(column.unit)});
    stream_ = std::make_unique<ArrowStream>(std::move(sink_), std::move(fields));
    return stream_->begin();
  }
  base::result<void> row(std::span<const Value> cells) override { return stream_->row(cells); }
  base::result<void> end() override { return stream_->end(); }
  base::result<void> finish() override { return {}; }

 private:
  std::string folder_{};
  std::unique_ptr<base::Sink> sink_{};
  std::unique_ptr<ArrowStream> stream_{};
};

}  // namespace

ArrowStream::ArrowStream(std::unique_ptr<base::Sink> sink, std::vector<ArrowField> fields)
    : sink_(std::move(sink)), fields_(std::move(fields)), columns_(fields_.size()) {}

base::result<void> ArrowStream::put(std::string_view bytes) {
  return sink_->write(std::as_bytes(std::span(bytes)));
}

base::result<void> ArrowStream::begin() { return put(arrow_schema(fields_)); }

void ArrowStream::add(Gathered& to, Type type, const Value& cell) const {
  const auto place = static_cast<std::size_t>(rows_);
  if (place % 8 == 0) to.valid.push_back(0);
  if (cell.is_null()) ++to.nulls;
  else to.valid.back() |= static_cast<std::uint8_t>(1U << (place % 8));
  if (type == Type::integer) to.words.push_back(static_cast<std::uint64_t>(cell.integer));
  else if (type == Type::real) to.words.push_back(std::bit_cast<std::uint64_t>(cell.real));
  else {
    to.texts += cell.text;
    to.ends.push_back(static_cast<std::int32_t>(to.texts.size()));
  }
}

base::result<void> ArrowStream::row(std::span<const Value> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto cell = fitted(cells[i], fields_[i].type, fields_[i].name, text_);
    if (!cell) return tl::unexpected(cell.error());
    add(columns_[i], fields_[i].type, *cell);
    texts_ += cell->text.size();
  }
  ++rows_;
  return rows_ < kBatchRows && texts_ < kBatchTexts ? base::result<void>() : write_batch();
}

base::result<void> ArrowStream::write_batch() {
  if (rows_ == 0) return {};
  ArrowBody body;
  std::vector<ArrowNode> nodes;
  for (const Gathered& column : columns_) {
    nodes.push_back({rows_, column.nulls});
    body.add(column.valid.data(), column.nulls == 0 ? 0 : column.valid.size());
    if (column.ends.empty()) {
      body.add(column.words.data(), column.words.size() * sizeof(std::uint64_t));
      continue;
    }
    std::vector<std::int32_t> ends{0};
    ends.insert(ends.end(), column.ends.begin(), column.ends.end());
    body.add(ends.data(), ends.size() * sizeof(std::int32_t));
    body.add(column.texts.data(), column.texts.size());
  }
  const std::string head =
      arrow_batch(rows_, nodes, body.buffers, static_cast<std::int64_t>(body.bytes.size()));
  columns_.assign(fields_.size(), {});
  rows_ = 0;
  texts_ = 0;
  if (auto done = put(head); !done) return done;
  return put(body.bytes);
}

base::result<void> ArrowStream::end() {
  if (auto done = write_batch(); !done) return done;
  if (auto done = put(arrow_end()); !done) return done;
  return sink_->commit();
}

std::unique_ptr<TableWriter> arrow_writer(const std::string& path) {
  return std::make_unique<ArrowWriter>(path);
}

std::unique_ptr<TableWriter> arrow_into(std::unique_ptr<base::Sink> sink) {
  return std::make_unique<ArrowWriter>(std::move(sink));
}

}  // namespace polytrace::sql
