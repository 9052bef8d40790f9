// SPDX-License-Identifier: Apache-2.0
// Random messages of any kind in the catalogue, and random kinds beside the 30. Everything that a
// canonical stream may hold and XML too: extreme numbers, all sorts of texts, lists. The same seed
// gives the same messages.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "format/tptp/messages/message.hpp"

namespace polytrace::format::test {

class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : engine_(seed) {}

  const tptp::Message& next(const tptp::MessageInfo& info) {
    fill(message_, info);
    return message_;
  }
  void fill(tptp::Message& message, const tptp::MessageInfo& info) {
    message.reset(info);
    const std::size_t depth = engine_() % 4;
    for (unsigned i = 0; i < info.attributes.size(); ++i) put(message, i, depth);
    using Exit = tptp::field::MethodExit;
    if (info.id == Exit::kId)
      message.set_number(Exit::transient_class_id_ref, message.number(Exit::class_id_ref));
  }

 private:
  using Meaning = tptp::Meaning;
  using Type = tptp::Type;

  void put(tptp::Message& message, unsigned i, std::size_t depth) {
    const tptp::AttributeInfo& attribute = message.info().attributes[i];
    if (attribute.meaning == Meaning::depth)
      return message.set_number(i, static_cast<std::int64_t>(depth));
    for (std::size_t item = 0; attribute.is_list() && item < depth; ++item) {
      if (attribute.type == Type::strs) message.add_text(i, message.keep(text(attribute)));
      else message.add_number(i, number(attribute));
    }
    if (attribute.is_list() || engine_() % 4 == 0) return;
    if (attribute.type == Type::str) message.set_text(i, message.keep(text(attribute)));
    else message.set_number(i, number(attribute));
  }

  std::int64_t number(const tptp::AttributeInfo& attribute) {
    const std::int64_t bits = any();
    if (attribute.meaning == Meaning::flag) return bits & 1;
    if (attribute.type == Type::i8) return static_cast<std::int8_t>(bits);
    if (attribute.type == Type::i32) return static_cast<std::int32_t>(bits);
    // Text has one number for all that are none.
    if (attribute.type == Type::f64 && std::isnan(std::bit_cast<double>(bits)))
      return std::bit_cast<std::int64_t>(std::numeric_limits<double>::quiet_NaN());
    return bits;
  }
  std::int64_t any() {
    static constexpr std::int64_t kExtremes[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, INT32_MIN,
                                                 INT32_MAX, -1,        -999'999'999,  0};
    const auto bits = static_cast<std::int64_t>(engine_());
    if (engine_() % 4 == 0) return kExtremes[engine_() % std::size(kExtremes)];
    return bits >> (engine_() % 64);
  }

  std::string text(const tptp::AttributeInfo& attribute) {
    static constexpr std::string_view kParts[] = {"a",
                                                  "<",
                                                  ">",
                                                  "&",
                                                  "\"",
                                                  "'",
                                                  " ",
                                                  "\t",
                                                  "\n",
                                                  "\r",
                                                  "]]>",
                                                  "&amp;",
                                                  "\xc3\xa4",
                                                  "\xe2\x82\xac",
                                                  "\xf0\x9f\x98\x80",
                                                  "<throw/>",
                                                  "<throw>x</throw>",
                                                  "<gcStart/>",
                                                  "<!--",
                                                  "Z",
                                                  "0",
                                                  "-",
                                                  "\x7f",
                                                  "\xef\xbb\xbf",
                                                  "\xc2\x85"};
    std::string made;
    for (std::size_t left = engine_() % 5; left > 0; --left) {
      if (engine_() % 3 == 0) append_character(made);
      else made += kParts[engine_() % std::size(kParts)];
    }
    if (attribute.meaning == Meaning::class_name) std::erase(made, '/');
    return made;
  }
  // Any that XML 1.0 can hold and that takes three bytes.
  void append_character(std::string& to) {
    std::uint32_t code = 0x800 + static_cast<std::uint32_t>(engine_() % 0xf7fe);
    if (code >= 0xd800 && code < 0xe000) code -= 0x800;
    to += static_cast<char>(0xe0 | code >> 12);
    to += static_cast<char>(0x80 | (code >> 6 & 63));
    to += static_cast<char>(0x80 | (code & 63));
  }

  std::mt19937_64 engine_;
  tptp::Message message_;
};

// Teaches the codecs some kinds of messages with random attributes, once.
inline const std::vector<const tptp::MessageInfo*>& random_kinds() {
  using tptp::Meaning;
  using tptp::Type;
  static const std::vector<const tptp::MessageInfo*> kinds = [] {
    static constexpr Meaning kMeanings[] = {
        Meaning::plain,  Meaning::span, Meaning::cpu_span, Meaning::thread,
        Meaning::method, Meaning::dump, Meaning::object,   Meaning::transient_class};
    std::mt19937_64 engine(42);
    std::vector<const tptp::MessageInfo*> made;
    for (std::uint16_t k = 0; k < 6; ++k) {
      tptp::MessageSpec spec{
          static_cast<std::uint16_t>(3000 + 7 * k), fmt::format("kind{}", k), {}};
      const std::size_t count = engine() % 12 + 1;
      for (std::size_t i = 0; i < count; ++i) {
        static constexpr Type kTypes[] = {Type::i8, Type::i32, Type::i64, Type::f64, Type::str};
        tptp::AttributeSpec attribute{kTypes[engine() % 5], fmt::format("a{}", i)};
        if (attribute.type == Type::i64) attribute.meaning = kMeanings[engine() % 8];
        attribute.used = engine() % 2 == 0;
        spec.attributes.push_back(attribute);
      }
      if (k % 2 == 0) spec.attributes.push_back({Type::i64, "time", Meaning::time});
      if (k % 3 == 0) {
        spec.attributes.push_back({Type::i32, "length", Meaning::depth});
        spec.attributes.push_back({Type::strs, "words"});
        spec.attributes.push_back({Type::i64s, "numbers"});
      }
      if (k == 5) spec.attributes.push_back({Type::str, "body", Meaning::body});
      const auto info = tptp::register_message(std::move(spec));
      EXPECT_TRUE(info) << base::to_text(info.error());
      if (info) made.push_back(*info);
    }
    return made;
  }();
  return kinds;
}

}  // namespace polytrace::format::test
