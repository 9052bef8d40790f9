// SPDX-License-Identifier: Apache-2.0
#include "sql/model/dialect.hpp"

#include <strings.h>

#include <algorithm>
#include <vector>

namespace polytrace::sql {
namespace {

struct Token {
  std::size_t begin;
  std::size_t end;
};

// The first words, behind blanks and comments.
std::vector<Token> first_words(std::string_view sql, std::size_t count) {
  std::vector<Token> words;
  std::size_t at = 0;
  while (words.size() < count && at < sql.size()) {
    if (sql.substr(at).starts_with("--")) at = std::min(sql.find('\n', at), sql.size());
    else if (std::isspace(static_cast<unsigned char>(sql[at])) != 0) ++at;
    else {
      const std::size_t begin = at;
      while (at < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[at])) != 0 ||
                                 sql[at] == '_' || sql[at] == '.'))
        ++at;
      if (at == begin) break;
      words.push_back({begin, at});
    }
  }
  return words;
}

bool is(std::string_view sql, const Token& token, std::string_view word) {
  const std::string_view text = sql.substr(token.begin, token.end - token.begin);
  return text.size() == word.size() && strncasecmp(text.data(), word.data(), word.size()) == 0;
}

bool is_built_in(std::string_view module) {
  return module.starts_with("prelude") || module == "slices.with_context";
}

}  // namespace

std::string in_our_dialect(std::string_view sql) {
  std::string own(sql);
  const auto words = first_words(sql, 4);
  const auto blank = [&](std::size_t begin, std::size_t end) {
    std::fill(own.begin() + static_cast<std::ptrdiff_t>(begin),
              own.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  };
  if (words.size() < 3 || !is(sql, words[1], "PERFETTO")) return own;
  if (is(sql, words[0], "CREATE")) {
    blank(words[1].begin, words[1].end);
    own.replace(words[1].begin, 4, "TEMP");
  } else if (words.size() == 4 && is(sql, words[0], "INCLUDE") &&
             is_built_in(sql.substr(words[3].begin, words[3].end - words[3].begin))) {
    blank(words[0].begin, words[3].end);
  }
  return own;
}

}  // namespace polytrace::sql
