// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/statement_text.hpp"

#include <algorithm>
#include <array>

namespace polytrace::sql {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

bool is_word(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         (static_cast<unsigned char>(byte) & 0x80U) != 0;
}

// Behind a quoted piece that begins at `at`; two quotes in it are one of its own. Behind a
// backslash quotes of E'...' end nothing: there `escapes` is so.
std::size_t behind_quoted(std::string_view sql, std::size_t at, bool escapes) {
  const char quote = sql[at];
  for (++at; at < sql.size(); ++at) {
    if (escapes && sql[at] == '\\') ++at;
    else if (sql[at] == quote) return at + 1;
  }
  return sql.size();
}

std::size_t behind_comment(std::string_view sql, std::size_t at) {
  std::size_t depth = 0;
  while (at < sql.size()) {
    const std::string_view two = sql.substr(at, 2);
    if (two == "/*") ++depth, at += 2;
    else if (two == "*/") --depth, at += 2;
    else ++at;
    if (depth == 0) return at;
  }
  return sql.size();
}

// Behind $tag$ ... $tag$; where it is none of those, behind the dollar.
std::size_t behind_dollars(std::string_view sql, std::size_t at) {
  std::size_t end = at + 1;
  while (end < sql.size() && is_word(sql[end])) ++end;
  if (end >= sql.size() || sql[end] != '$') return at + 1;
  const std::string_view tag = sql.substr(at, end + 1 - at);
  const std::size_t close = sql.find(tag, end + 1);
  return close == kNowhere ? sql.size() : close + tag.size();
}

// A piece of a statement: quoted, a comment, blanks, a word, or one byte.
struct Piece {
  enum class Kind : std::uint8_t { quoted, blank, word, other } kind;
  std::size_t end;
};
Piece piece_at(std::string_view sql, std::size_t at) {
  using Kind = Piece::Kind;
  const char byte = sql[at];
  const std::string_view rest = sql.substr(at);
  if (rest.starts_with("--")) return {Kind::blank, std::min(sql.find('\n', at), sql.size())};
  if (rest.starts_with("/*")) return {Kind::blank, behind_comment(sql, at)};
  if (byte == '\'' || byte == '"') {
    const bool escapes = byte == '\'' && at > 0 && (sql[at - 1] == 'e' || sql[at - 1] == 'E') &&
                         (at == 1 || !is_word(sql[at - 2]));
    return {Kind::quoted, behind_quoted(sql, at, escapes)};
  }
  if (byte == '$') return {Kind::quoted, behind_dollars(sql, at)};
  if (std::string_view(" \t\r\n\f\v").find(byte) != kNowhere) return {Kind::blank, at + 1};
  if (!is_word(byte)) return {Kind::other, at + 1};
  std::size_t end = at;
  while (end < sql.size() && is_word(sql[end])) ++end;
  return {Kind::word, end};
}

std::string upper(std::string_view word) {
  std::string all(word);
  for (char& byte : all)
    if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 'a' + 'A');
  return all;
}

// Up to the first that is none; a parenthesis counts as one.
std::vector<std::string> leading_words(std::string_view statement, std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < statement.size() && words.size() < count;) {
    const Piece piece = piece_at(statement, at);
    const std::string_view text = statement.substr(at, piece.end - at);
    if (piece.kind != Piece::Kind::blank && piece.kind != Piece::Kind::word && text != "(") break;
    if (piece.kind != Piece::Kind::blank) words.push_back(upper(text));
    at = piece.end;
  }
  return words;
}

bool makes_temporary(const std::vector<std::string>& words) {
  std::size_t at = 1;
  if (words.size() > 3 && words[1] == "OR" && words[2] == "REPLACE") at = 3;
  return words.size() > at + 1 && (words[at] == "TEMP" || words[at] == "TEMPORARY") &&
         (words[at + 1] == "TABLE" || words[at + 1] == "VIEW");
}

bool explains_query(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 5> kQueries{"SELECT", "WITH", "FROM", "VALUES", "("};
  const std::size_t at = words.size() > 1 && words[1] == "ANALYZE" ? 2 : 1;
  return words.size() > at && std::ranges::find(kQueries, words[at]) != kQueries.end();
}

}  // namespace

std::string_view first_statement(std::string_view sql, std::size_t& used) {
  std::size_t at = 0;
  while (at < sql.size() && sql[at] != ';') at = piece_at(sql, at).end;
  used = std::min(at + 1, sql.size());
  return sql.substr(0, at);
}

std::string with_dollars(std::string_view statement, std::span<const Parameter> parameters) {
  std::string out;
  for (std::size_t at = 0; at < statement.size();) {
    const Piece piece = piece_at(statement, at);
    const bool is_lone_colon = statement[at] == ':' && (at == 0 || statement[at - 1] != ':') &&
                               piece.end < statement.size();
    const Piece next = is_lone_colon ? piece_at(statement, piece.end) : piece;
    const std::string_view name = statement.substr(piece.end, next.end - piece.end);
    if (is_lone_colon && next.kind == Piece::Kind::word &&
        std::ranges::find(parameters, name, &Parameter::name) != parameters.end()) {
      out.append("$").append(name);
      at = next.end;
      continue;
    }
    out += statement.substr(at, piece.end - at);
    at = piece.end;
  }
  return out;
}

std::string refused_by_kind(DuckStatementType kind, std::string_view statement, bool read_only) {
  const std::vector<std::string> words = leading_words(statement, 6);
  const std::string word = words.empty() ? "this" : words.front();
  switch (kind) {
    case DuckStatementType::select: return {};
    case DuckStatementType::explain: return explains_query(words) ? "" : "EXPLAIN of no query";
    case DuckStatementType::create:
      if (!makes_temporary(words)) return "CREATE of what is no TEMP TABLE or TEMP VIEW";
      return read_only ? "CREATE: read-only" : "";
    case DuckStatementType::insert:
    case DuckStatementType::update:
    case DuckStatementType::delete_: return read_only ? word + ": read-only" : "";
    default: return word;
  }
}

}  // namespace polytrace::sql
