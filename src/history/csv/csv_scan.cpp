// SPDX-License-Identifier: Apache-2.0
#include "history/csv/csv_scan.hpp"

#include <cstring>

namespace polytrace::history {
namespace {

constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (const char c : {',', ';', '\t', '\n', '\r', '"'})
    stops[static_cast<unsigned char>(c)] = true;
  return stops;
}();

class Scanner {
 public:
  using Found = CsvScan::Found;

  Scanner(std::span<char> text, bool last, const CsvDialect& dialect)
      : at_(text.data()), end_(text.data() + text.size()), last_(last), dialect_(dialect) {}

  CsvScan run() {
    bool again = true;
    while (again) {
      skip_blanks();
      CsvField field{at_, at_};
      const bool whole = at_ != end_ && *at_ == '"' ? take_quoted(field) : take_plain(field);
      if (!whole) return scan_;
      if (scan_.fields < CsvScan::kMostFields) scan_.field[scan_.fields] = field;
      ++scan_.fields;
      again = take_end();
    }
    return scan_;
  }

 private:
  // At the end of the text: whether that ends the row, too.
  bool text_ends() {
    if (!last_) scan_.found = Found::more;
    return last_;
  }
  bool broken() {
    scan_.found = Found::broken;
    return false;
  }

  void skip_blanks() {
    while (dialect_.blanks && at_ != end_ && *at_ == ' ') ++at_;
  }

  // Another dialect's separator is text like any other.
  bool stops() const {
    const char c = *at_;
    return kStops[static_cast<unsigned char>(c)] &&
           (c == dialect_.separator || (c != ',' && c != ';' && c != '\t'));
  }

  bool take_plain(CsvField& field) {
    while (at_ != end_ && !stops()) ++at_;
    field.end = at_;
    while (dialect_.blanks && field.end != field.begin && field.end[-1] == ' ') --field.end;
    return at_ == end_ ? text_ends() : true;
  }

  bool take_quoted(CsvField& field) {
    scan_.quoted = true;
    field.quoted = true;
    field.begin = ++at_;
    for (;;) {
      auto* const quote =
          static_cast<char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
      if (quote == nullptr) return last_ ? broken() : text_ends();
      at_ = quote + 1;
      field.end = quote;
      if (at_ == end_) return text_ends();
      if (*at_ != '"') return true;
      field.doubled = true;
      ++at_;
    }
  }

  // Behind a field. True when another one follows; else the row is found, or not.
  bool take_end() {
    skip_blanks();
    if (at_ == end_ && !last_) return text_ends();
    if (at_ != end_ && *at_ == dialect_.separator) {
      ++at_;
      return true;
    }
    if (at_ != end_ && *at_ == '\r') {
      if (at_ + 1 == end_ && !last_) return text_ends();
      if (at_ + 1 == end_ || at_[1] != '\n') return broken();
      ++at_;
    }
    if (at_ != end_ && *at_ != '\n') return broken();
    if (at_ != end_) ++at_;
    scan_.found = Found::row;
    scan_.end = at_;
    return false;
  }

  char* at_;
  char* end_;
  bool last_;
  CsvDialect dialect_;
  CsvScan scan_{};
};

}  // namespace

CsvScan scan_csv(std::span<char> text, bool last, const CsvDialect& dialect) {
  return Scanner(text, last, dialect).run();
}

void undouble(CsvField& field) {
  if (!field.doubled) return;
  char* to = field.begin;
  for (const char* from = field.begin; from != field.end; ++from) {
    *to++ = *from;
    if (*from == '"') ++from;
  }
  field.end = to;
  field.doubled = false;
}

}  // namespace polytrace::history
