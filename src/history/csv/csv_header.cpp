// SPDX-License-Identifier: Apache-2.0
#include "history/csv/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::history {
namespace {

// In the order of CsvColumn.
constexpr std::array<std::string_view, CsvHeader::kColumns> kColumnNames{
    "time", "path", "key", "start", "end", "type", "value"};

base::Unexpected no_header(std::string detail) {
  return base::fail(base::Code::row_malformed, std::move(detail), {.line = 1, .column = 1});
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

char separator_of(std::string_view line) {
  const std::size_t at = line.find_first_of(",;\t");
  return at == line.npos ? ',' : line[at];
}

base::result<void> take_name(std::string_view field, CsvHeader& header) {
  std::string_view name = header.separator == '\t' ? field : without_blanks(field);
  header.blanks |= name.size() != field.size();
  if (name.size() > 1 && name.front() == '"' && name.back() == '"')
    name = name.substr(1, name.size() - 2);
  const auto* const known = std::ranges::find(kColumnNames, lower(name));
  const auto column = static_cast<std::size_t>(known - kColumnNames.begin());
  if (known == kColumnNames.end())
    return no_header(fmt::format("the header's \"{}\" is none of {}", base::repaired(name),
                                 fmt::join(kColumnNames, ", ")));
  if (header.places[column] != CsvHeader::kNone)
    return no_header(fmt::format("the header has \"{}\" twice", *known));
  header.places[column] = header.fields++;
  return {};
}

// Which form the columns make; nothing when none.
std::optional<CsvForm> form_of(CsvHeader& header) {
  const auto has = [&](CsvColumn column) { return header.has(column); };
  if (!has(CsvColumn::value) || has(CsvColumn::path) == has(CsvColumn::key)) return {};
  if (has(CsvColumn::start) && has(CsvColumn::end) && !has(CsvColumn::time))
    return has(CsvColumn::key) ? CsvForm::keys : CsvForm::paths;
  const bool is_change = has(CsvColumn::time) && !has(CsvColumn::start) && !has(CsvColumn::end);
  return is_change && has(CsvColumn::path) ? std::optional(CsvForm::changes) : std::nullopt;
}

}  // namespace

base::result<CsvHeader> parse_csv_header(std::string_view line) {
  CsvHeader header{.separator = separator_of(line)};
  header.places.fill(CsvHeader::kNone);
  for (bool more = true; more;) {
    const std::size_t end = std::min(line.find(header.separator), line.size());
    if (auto taken = take_name(line.substr(0, end), header); !taken)
      return base::Unexpected(taken.error());
    more = end < line.size();
    line.remove_prefix(more ? end + 1 : end);
  }
  const auto form = form_of(header);
  if (!form)
    return no_header(fmt::format("the header is none of {}", fmt::join(kCsvHeaders, "; ")));
  header.form = *form;
  return header;
}

}  // namespace polytrace::history
