// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/patterns.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "sql/trace/matching.hpp"

namespace polytrace::sql {
namespace {

using Arguments = sqlite3_value**;
constexpr std::size_t kLongestPattern = 1000;
constexpr std::size_t kNone = std::string_view::npos;

Asked& asked_of(sqlite3_context* of) { return *static_cast<Asked*>(sqlite3_user_data(of)); }

std::string_view text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

// memmem is linear.
std::size_t place_of(std::string_view text, std::string_view part) {
  if (part.empty()) return 0;
  const void* const found = memmem(text.data(), text.size(), part.data(), part.size());
  return found == nullptr ? kNone
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// X LIKE Y is like(Y, X); blobs never match.
void match(sqlite3_context* to, int count, Arguments values, Pattern::Kind kind) {
  if (is_null(values[0]) || is_null(values[1])) return;
  Pattern pattern{.text = text_of(values[0]), .kind = kind};
  if (pattern.text.size() > kLongestPattern)
    return sqlite3_result_error(to, "LIKE or GLOB pattern too complex", -1);
  if (count == 3) {
    const std::string_view escape = text_of(values[2]);
    if (is_null(values[2])) return;
    if (escape.size() != 1)
      return sqlite3_result_error(to, "ESCAPE expression must be a single character", -1);
    pattern.escape = static_cast<unsigned char>(escape.front());
  }
  if (sqlite3_value_type(values[1]) == SQLITE_BLOB || sqlite3_value_type(values[0]) == SQLITE_BLOB)
    return sqlite3_result_int(to, 0);
  sqlite3_result_int(to, matches(pattern, text_of(values[1]), asked_of(to).stop) ? 1 : 0);
}
void like(sqlite3_context* to, int count, Arguments values) {
  match(to, count, values, Pattern::Kind::like);
}
void glob(sqlite3_context* to, int count, Arguments values) {
  match(to, count, values, Pattern::Kind::glob);
}

bool is_continued(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

// In characters, from 1.
void instr(sqlite3_context* to, int, Arguments values) {
  if (is_null(values[0]) || is_null(values[1])) return;
  const std::string_view text = text_of(values[0]);
  const std::size_t at = place_of(text, text_of(values[1]));
  if (at == kNone) return sqlite3_result_int(to, 0);
  std::int64_t place = 1;
  for (const char byte : text.substr(0, at)) place += is_continued(byte) ? 0 : 1;
  sqlite3_result_int64(to, place);
}

void replace(sqlite3_context* to, int, Arguments values) {
  if (is_null(values[0]) || is_null(values[1]) || is_null(values[2])) return;
  std::string_view rest = text_of(values[0]);
  const std::string_view part = text_of(values[1]);
  if (part.empty()) return sqlite3_result_value(to, values[0]);
  try {
    std::string out;
    for (std::size_t at = place_of(rest, part); at != kNone; at = place_of(rest, part)) {
      out.append(rest.substr(0, at)).append(text_of(values[2]));
      rest.remove_prefix(at + part.size());
      if (out.size() > kLongestText) return sqlite3_result_error_toobig(to);
    }
    out.append(rest);
    give(to, Value::of(std::string_view(out)));
  } catch (...) {
    sqlite3_result_error_nomem(to);
  }
}

// Characters of UTF-8, none of which has more than four bytes.
class Characters {
 public:
  explicit Characters(std::string_view text) {
    while (!text.empty()) {
      std::size_t size = 1;
      while (size < text.size() && is_continued(text[size])) ++size;
      all_.insert(text.substr(0, size));
      text.remove_prefix(size);
    }
  }
  // Bytes of the one that the text begins or ends with; 0: it is none of them.
  std::size_t first_of(std::string_view text) const {
    return size_of(text, [&](std::size_t size) { return text.substr(0, size); });
  }
  std::size_t last_of(std::string_view text) const {
    return size_of(text, [&](std::size_t size) { return text.substr(text.size() - size); });
  }

 private:
  template <class Part>
  std::size_t size_of(std::string_view text, Part part) const {
    for (std::size_t size = 1; size <= std::min<std::size_t>(text.size(), 4); ++size)
      if (all_.contains(part(size))) return size;
    return 0;
  }
  std::unordered_set<std::string_view> all_;
};

void trim_ends(sqlite3_context* to, Arguments values, bool at_begin, bool at_end) {
  if (is_null(values[0]) || is_null(values[1])) return;
  std::string_view text = text_of(values[0]);
  try {
    const Characters cut(text_of(values[1]));
    std::size_t size = 0;
    while (at_begin && (size = cut.first_of(text)) != 0) text.remove_prefix(size);
    while (at_end && (size = cut.last_of(text)) != 0) text.remove_suffix(size);
    give(to, Value::of(text));
  } catch (...) {
    sqlite3_result_error_nomem(to);
  }
}
void trim(sqlite3_context* to, int, Arguments values) { trim_ends(to, values, true, true); }
void ltrim(sqlite3_context* to, int, Arguments values) { trim_ends(to, values, true, false); }
void rtrim(sqlite3_context* to, int, Arguments values) { trim_ends(to, values, false, true); }

// Once the question is to end no more of them begin: SQLite looks at the clock where a statement
// jumps, and a long list of them has none.
template <void (*kFunction)(sqlite3_context*, int, Arguments)>
void unless_stopped(sqlite3_context* to, int count, Arguments values) {
  if (asked_of(to).stop) return sqlite3_result_error_code(to, SQLITE_INTERRUPT);
  kFunction(to, count, values);
}

struct PatternRow {
  const char* name;
  int arguments;
  void (*function)(sqlite3_context*, int, Arguments);
};
constexpr PatternRow kRows[]{
    {"like", 2, unless_stopped<like>},   {"like", 3, unless_stopped<like>},
    {"glob", 2, unless_stopped<glob>},   {"instr", 2, unless_stopped<instr>},
    {"trim", 2, unless_stopped<trim>},   {"ltrim", 2, unless_stopped<ltrim>},
    {"rtrim", 2, unless_stopped<rtrim>}, {"replace", 3, unless_stopped<replace>}};

}  // namespace

bool find(std::string_view text, std::string_view part) { return place_of(text, part) != kNone; }

int add_patterns(sqlite3* database, Asked& asked) {
  for (const PatternRow& row : kRows) {
    const int done = sqlite3_create_function_v2(
        database, row.name, row.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        &asked, row.function, nullptr, nullptr, nullptr);
    if (done != SQLITE_OK) return done;
  }
  return SQLITE_OK;
}

}  // namespace polytrace::sql
