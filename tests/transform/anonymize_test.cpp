// SPDX-License-Identifier: Apache-2.0
#include "transform/anonymize.hpp"

#include <algorithm>
#include <set>

#include "support/random.hpp"
#include "transform/lines.hpp"

namespace polytrace::transform {
namespace {

using test::Lines;

Lines anonymized(const event::Batch& batch, const TokenOptions& options = {}) {
  Lines lines;
  Anonymizer anonymizer(std::make_unique<test::LineWriter>(lines), options);
  EXPECT_TRUE(anonymizer.write(batch));
  EXPECT_TRUE(anonymizer.finish());
  return lines;
}

std::string words(const std::string& text, const TokenOptions& options = {}) {
  return Tokens(options).text(text);
}

// Every token as X: what is left is what the text keeps.
std::string shape(const std::string& text, const TokenOptions& options = {}) {
  constexpr std::size_t kToken = 12;  // letters
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz";
  const std::string made = words(text, options);
  std::string form;
  for (std::size_t at = 0; at < made.size();) {
    const std::size_t end = std::min(made.find_first_not_of(kLetters, at), made.size());
    const bool token = end - at >= kToken;
    form += token ? 'X' : made[at];
    at += token ? kToken : 1;
  }
  return form;
}

TEST(tokens, keep_the_form_of_names) {
  EXPECT_EQ(shape("Shop.Cart:Add (string,int)"), "X.X:X (string,int)");
  EXPECT_EQ(shape("Shop.Cart:.ctor ()"), "X.X:.ctor ()");
  EXPECT_EQ(shape("Shop.Map`2<Shop.Key,T>:get_Item (Shop.Key[]&)"), "X.X`2<X.X,T>:X (X.X[]&)");
  EXPECT_EQ(shape("(wrapper managed-to-native) Shop.Io:Read (void*)"),
            "(wrapper managed-to-native) X.X:X (void*)");
  EXPECT_EQ(shape("/home/alice/shop 2/cart.dll"), "/X/X/X 2/X.X");
  EXPECT_EQ(shape("C:\\Users\\alice"), "C:\\X\\X");
  EXPECT_EQ(shape("server=alice,port=8080"), "X=X,X=X");
  EXPECT_EQ(shape("gr\xc3\xbc\xc3\x9f"), "X");
  EXPECT_EQ(shape(""), "");
}

TEST(tokens, know_the_descriptors_of_java) {
  EXPECT_EQ(shape("(ILorg/example/Cart;[[J)Ljava/lang/String;"), "(ILX/X/X;[[J)LX/X/X;");
  EXPECT_EQ(shape("[Lorg.example.Cart;"), "[LX.X.X;");
  EXPECT_EQ(shape("(Library) Lost"), "(X) X");
  EXPECT_EQ(words("[Lorg.example.Cart;"), "[L" + words("org.example.Cart") + ";");
}

TEST(tokens, are_the_same_for_the_same_word_and_key) {
  const Tokens tokens({.key = "k"});
  EXPECT_EQ(tokens.token("Cart"), Tokens({.key = "k"}).token("Cart"));
  EXPECT_NE(tokens.token("Cart"), tokens.token("cart"));
  EXPECT_NE(tokens.token("Cart"), Tokens({}).token("Cart"));
  EXPECT_EQ(words("Cart.Cart"), Tokens({}).token("Cart") + "." + Tokens({}).token("Cart"));
}

// Traces of different runs and versions stay comparable: the tokens never change.
TEST(tokens, without_a_key_are_fixed) { EXPECT_EQ(Tokens({}).token("Cart"), "pdspvrwswdrt"); }

TEST(tokens, of_many_words_differ) {
  const Tokens tokens({});
  std::set<std::string> seen;
  for (int i = 0; i < 20000; ++i) seen.insert(tokens.token(std::to_string(i)));
  EXPECT_EQ(seen.size(), 20000U);
}

TEST(tokens, keep_what_is_asked_for) {
  const TokenOptions options{.keep = {"System", "java.util", "Acme.Open."}};
  EXPECT_EQ(shape("System.GC:Collect (Shop.Cart)", options), "System.GC:Collect (X.X)");
  EXPECT_EQ(shape("Systematic.Cart", options), "X.X");
  EXPECT_EQ(shape("java/util/Map", options), "java/util/Map");
  EXPECT_EQ(shape("java/utility/Map", options), "X/X/X");
  EXPECT_EQ(shape("Acme.Open.Door", options), "Acme.Open.Door");
  EXPECT_EQ(shape("(Ljava/util/Map;)V", options), "(Ljava/util/Map;)V");
  EXPECT_EQ(shape("Shop.Map<System.String>", {.keep = runtime_prefixes()}), "X.X<System.String>");
}

TEST(anonymize, replaces_texts_and_nothing_else) {
  event::Batch batch;
  test::parse(batch, {"1 - process pid=0x5 name=\"shop\" runtime=\"Mono\" host=\"a.example.org\"",
                      "1 - note text=\"hello world\"",
                      "2 0x1 class class=0x7 life=begin name=\"Shop\" fixed_size=16",
                      "3 0x1 alloc class=0x7 object=0x8 size=24 stack=[0x1@il:3]"});
  const Tokens tokens({});
  EXPECT_EQ(
      anonymized(batch),
      (Lines{"1 - process pid=0x5 name=\"" + tokens.token("shop") + "\" runtime=\"Mono\" host=\"" +
                 tokens.token("a.example.org") + "\"",
             "1 - note text=\"" + tokens.token("hello world") + "\"",
             "2 0x1 class class=0x7 life=begin name=\"" + tokens.token("Shop") + "\" fixed_size=16",
             "3 0x1 alloc class=0x7 object=0x8 size=24 stack=[0x1@il:3]"}));
}

// The lines without their quoted texts.
Lines without_texts(Lines lines) {
  for (std::string& line : lines) {
    std::string rest;
    bool inside = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const bool escape = inside && line[at] == '\\';
      if (line[at] == '"') inside = !inside;
      if (!inside || line[at] == '"') rest += line[at];
      if (escape) ++at;
    }
    line = rest;
  }
  return lines;
}

TEST(anonymize, random_events_keep_everything_but_texts) {
  polytrace::test::RandomEvents random(3);
  event::Batch batch;
  for (int i = 0; i < 3000; ++i) random.add_any(batch);
  const Lines before = test::lines_of(batch);
  const Lines after = anonymized(batch);
  EXPECT_EQ(without_texts(after), without_texts(before));
  EXPECT_NE(after, before);
}

TEST(anonymize, leaves_no_name_of_a_random_event) {
  polytrace::test::RandomEvents random(4, {.any_bytes = false});
  event::Batch batch;
  for (int i = 0; i < 2000; ++i) random.add(batch, event::Kind::Method);
  std::size_t named = 0;
  for (const std::string& line : test::lines_of(batch))
    named += line.find("Program") != line.npos ? 1U : 0U;
  EXPECT_GT(named, 100U);
  for (const std::string& line : anonymized(batch)) {
    EXPECT_EQ(line.find("Program"), line.npos) << line;
    EXPECT_EQ(line.find("Main"), line.npos) << line;
  }
}

}  // namespace
}  // namespace polytrace::transform
