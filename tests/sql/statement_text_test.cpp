// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/statement_text.hpp"

#include <gtest/gtest.h>

namespace polytrace::sql {
namespace {

std::vector<std::string> statements_of(std::string_view sql) {
  std::vector<std::string> all;
  while (!sql.empty()) {
    std::size_t used = 0;
    all.emplace_back(first_statement(sql, used));
    sql.remove_prefix(used);
  }
  return all;
}

TEST(statement_text, semicolons_in_texts_names_and_comments_end_nothing) {
  using All = std::vector<std::string>;
  EXPECT_EQ(statements_of("a;b"), (All{"a", "b"}));
  EXPECT_EQ(statements_of(";;"), (All{"", ""}));
  EXPECT_EQ(statements_of("';' \";\" ''';' x; y"), (All{"';' \";\" ''';' x", " y"}));
  EXPECT_EQ(statements_of("a -- ;\nb; c"), (All{"a -- ;\nb", " c"}));
  EXPECT_EQ(statements_of("/* ; /* ; */ ; */ a; b"), (All{"/* ; /* ; */ ; */ a", " b"}));
  EXPECT_EQ(statements_of("$$;$$; $x$;$$;$x$; $1;"), (All{"$$;$$", " $x$;$$;$x$", " $1"}));
  EXPECT_EQ(statements_of("e'\\';'; E'\\\\'; like'\\';a"),
            (All{"e'\\';'", " E'\\\\'", " like'\\'", "a"}));
}

TEST(statement_text, what_has_no_end_goes_to_the_end) {
  for (const std::string_view text :
       {"'a;", "\"a;", "/* ;", "-- ;", "$$ ;", "$x$ ; $$", "e'\\", "/", "-", "$"})
    EXPECT_EQ(statements_of(text), std::vector<std::string>{std::string(text)}) << text;
}

TEST(statement_text, colons_before_known_parameters_become_dollars) {
  const std::vector<Parameter> known{{"n", "1"}, {"long_name", "2"}};
  EXPECT_EQ(with_dollars("SELECT :n, :long_name", known), "SELECT $n, $long_name");
  EXPECT_EQ(with_dollars("a::n ':n' \":n\" [1:n] :other -- :n", known),
            "a::n ':n' \":n\" [1$n] :other -- :n");
  EXPECT_EQ(with_dollars(":", known), ":");
  EXPECT_EQ(with_dollars(":n", known), "$n");
}

TEST(statement_text, kinds_that_change_anything_but_temporary_tables_are_refused) {
  using Kind = DuckStatementType;
  EXPECT_EQ(refused_by_kind(Kind::select, "SELECT 1", true), "");
  EXPECT_EQ(refused_by_kind(Kind::create, "/* x */ create TEMP -- y\n table t(a)", false), "");
  EXPECT_EQ(refused_by_kind(Kind::create, "CREATE OR REPLACE TEMPORARY VIEW v AS", false), "");
  EXPECT_NE(refused_by_kind(Kind::create, "CREATE TEMP TABLE t(a)", true), "");
  EXPECT_EQ(refused_by_kind(Kind::insert, "INSERT INTO t", false), "");
  EXPECT_NE(refused_by_kind(Kind::insert, "INSERT INTO t", true), "");
  for (const std::string_view text :
       {"CREATE TABLE temp(a)", "CREATE VIEW v", "CREATE", "CREATE TEMP MACRO m() AS 1",
        "CREATE OR REPLACE TABLE t", "CREATE \"TEMP\" TABLE t"})
    EXPECT_NE(refused_by_kind(Kind::create, text, false), "") << text;
  EXPECT_EQ(refused_by_kind(Kind::explain, "EXPLAIN ANALYZE (SELECT 1)", true), "");
  EXPECT_NE(refused_by_kind(Kind::explain, "EXPLAIN ANALYZE COPY t TO 'x'", false), "");
  for (const int kind : {6, 8, 9, 10, 11, 13, 15, 17, 19, 21, 25, 26, 99})
    EXPECT_NE(refused_by_kind(static_cast<Kind>(kind), "WORD", false), "") << kind;
}

}  // namespace
}  // namespace polytrace::sql
