// SPDX-License-Identifier: Apache-2.0
#include "history/csv/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using Found = CsvScan::Found;

constexpr std::size_t kReadPiece = std::size_t{256} * 1024;
constexpr std::size_t kMostRows = 4096;  // of one call

}  // namespace

base::result<CsvReader> CsvReader::open(std::unique_ptr<base::Source> source,
                                        const base::Limits& limits,
                                        std::uint64_t ticks_per_second) {
  CsvReader reader(std::move(source), limits, ticks_per_second);
  if (auto read = reader.read_header(); !read) return base::Unexpected(read.error());
  return reader;
}

// More of the text behind what is left of it. False when nothing came.
base::result<bool> CsvReader::fill() {
  if (ended_) return false;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(have_), buffer_.begin());
  have_ -= at_;
  at_ = 0;
  buffer_.resize(std::max(kReadPiece, std::min(2 * have_, most_ + 1)));
  const auto got =
      base::read_fully(*source_, std::as_writable_bytes(std::span(buffer_).subspan(have_)));
  if (!got) return base::Unexpected(got.error());
  ended_ = have_ + *got < buffer_.size();
  have_ += *got;
  if (ended_) {
    if (const auto fault = source_->end_fault())
      notices_.add(fault->code, fault->place, 0, fault->detail);
  }
  return true;
}

base::result<void> CsvReader::read_header() {
  if (auto filled = fill(); !filled) return base::Unexpected(filled.error());
  if (std::string_view(rest().data(), have_).starts_with(base::kByteOrderMark))
    at_ += base::kByteOrderMark.size();
  const std::span<char> text = rest();
  const auto end = std::ranges::find(text, '\n');
  std::string_view line(text.data(), static_cast<std::size_t>(end - text.begin()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  auto header = parse_csv_header(line);
  if (!header) return base::Unexpected(header.error());
  header_ = *header;
  advance(text.data() + (end - text.begin()) + (end == text.end() ? 0 : 1));
  return {};
}

base::result<std::span<const CsvRow>> CsvReader::next() {
  rows_.clear();
  texts_.clear();
  for (;;) {
    while (rows_.size() < kMostRows && at_ < have_ && step()) {
    }
    if (!rows_.empty()) return rows_;
    if (at_ < have_ && ended_) continue;
    const auto filled = fill();
    if (!filled) return base::Unexpected(filled.error());
    if (!*filled) return rows_;
  }
}

// Takes the next row or drops a line. False when more text is needed.
bool CsvReader::step() {
  if (skipping_) return skip_line();
  const std::span<char> text = rest();
  CsvScan scan = scan_csv(text, ended_, {header_.separator, header_.blanks});
  if (scan.found == Found::more && text.size() <= most_) return false;
  if (scan.found == Found::row) {
    take_row(scan);
    return true;
  }
  const auto bytes = static_cast<std::size_t>(std::ranges::find(text, '\n') - text.begin());
  malformed(bytes, scan.found == Found::broken ? "a quote or line end where none may be"
                                               : fmt::format("longer than {} bytes", most_));
  return skip_line();
}

// To behind the next line end, or as far as the text goes.
bool CsvReader::skip_line() {
  const std::span<char> text = rest();
  const auto end = std::ranges::find(text, '\n');
  skipping_ = end == text.end() && !ended_;
  advance(text.data() + (end - text.begin()) + (end == text.end() ? 0 : 1));
  return !skipping_;
}

void CsvReader::take_row(CsvScan& scan) {
  const char* const begin = buffer_.data() + at_;
  const auto bytes = static_cast<std::uint64_t>(scan.end - begin);
  const bool blank = scan.fields == 1 && scan.field[0].begin == scan.field[0].end && !scan.quoted;
  // Counted before the fields' memory is changed: base64 may become a line end.
  const auto lines = scan.quoted ? std::count(begin, static_cast<const char*>(scan.end), '\n') : 1;
  if (!blank) {
    CsvRow row{.line = line_};
    std::string fault = interpret(scan, header_, clock_, row, texts_, notices_);
    if (fault.empty()) rows_.push_back(row);
    else malformed(bytes, std::move(fault));
  }
  line_ += static_cast<std::uint64_t>(lines);
  at_ += bytes;
}

void CsvReader::advance(const char* to) {
  const char* const from = buffer_.data() + at_;
  line_ += static_cast<std::uint64_t>(std::count(from, to, '\n'));
  at_ += static_cast<std::size_t>(to - from);
}

void CsvReader::malformed(std::uint64_t bytes, std::string detail) {
  notices_.add(Code::row_malformed, {.line = static_cast<std::uint32_t>(line_), .column = 1}, bytes,
               std::move(detail));
}

}  // namespace polytrace::history
