// SPDX-License-Identifier: Apache-2.0
// Names of types and signatures of methods, as events have them.
#include <gmock/gmock.h>

#include <random>
#include <vector>

#include "agent/coreclr/names/signature.hpp"
#include "agent/coreclr/names/type_name.hpp"
#include "agent/coreclr/names/utf8.hpp"

namespace polytrace::agent::coreclr {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Tokens as the tests below use them; coded: 0x08 and 0x0c of definitions, 0x0d of a reference.
class SomeNames final : public TokenNames {
 public:
  std::string name_of(std::uint32_t token) const override {
    if (token == 0x02000002) return "Acme.Pair`2";
    if (token == 0x02000003) return "Acme.Outer`1/Inner";
    if (token == 0x01000003) return "System.Uri";
    return {};
  }
};

std::string text_of(const Bytes& signature) {
  const MethodText text = method_text(signature, SomeNames());
  return text.returns + ' ' + text.parameters;
}

TEST(type_names, plain_and_nested) {
  EXPECT_EQ(type_name("Acme.Shop", {}), "Acme.Shop");
  EXPECT_EQ(type_name("Acme.Shop/Till/Drawer", {}), "Acme.Shop.Till.Drawer");
  EXPECT_EQ(type_name("", {}), "<UNKNOWN>");
}

TEST(type_names, arguments_stand_where_they_belong) {
  const std::vector<std::string> some{"System.Int32", "System.String"};
  EXPECT_EQ(type_name("Acme.Outer`1/Inner`1", some),
            "Acme.Outer<T=System.Int32>.Inner<U=System.String>");
  EXPECT_EQ(type_name("Acme.Pair`2/Sorter", some),
            "Acme.Pair<T=System.Int32, U=System.String>.Sorter");
}

TEST(type_names, what_is_not_known_is_its_letter) {
  EXPECT_EQ(type_name("Acme.Pair`2", {}), "Acme.Pair<T, U>");
  EXPECT_EQ(type_name("Acme.Pair`2", std::vector<std::string>{"", "X"}), "Acme.Pair<T, U=X>");
  EXPECT_EQ(type_name("Many`9", {}), "Many<T, U, V, W, X, Y, Z, T7, T8>");
}

TEST(type_names, what_is_no_arity_stays) {
  EXPECT_EQ(type_name("Odd`", {}), "Odd`");
  EXPECT_EQ(type_name("Odd`x", {}), "Odd`x");
  EXPECT_EQ(type_name("Odd`99999999999", {}), "Odd`99999999999");
}

TEST(type_names, of_methods_and_arrays) {
  EXPECT_EQ(method_arguments({}), "");
  EXPECT_EQ(method_arguments(std::vector<std::string>{"System.Int32", ""}), "<M=System.Int32, N>");
  EXPECT_EQ(array_suffix(1), "[]");
  EXPECT_EQ(array_suffix(3), "[,,]");
  EXPECT_EQ(array_suffix(4'000'000'000).size(), 33U);
}

TEST(signatures, one_byte_types) {
  EXPECT_EQ(text_of({0x00, 0x00, 0x01}), "System.Void ()");
  EXPECT_EQ(text_of({0x20, 0x02, 0x08, 0x0e, 0x1c}), "System.Int32 (System.String, System.Object)");
}

TEST(signatures, compounds) {
  EXPECT_EQ(text_of({0x00, 0x01, 0x0f, 0x01, 0x10, 0x0a}), "System.Void* (ref System.Int64)");
  EXPECT_EQ(text_of({0x00, 0x01, 0x1d, 0x1d, 0x05, 0x14, 0x0d, 0x02, 0x00, 0x02, 0x00, 0x00}),
            "System.Byte[][] (System.Double[,])");
  EXPECT_EQ(text_of({0x00, 0x01, 0x01, 0x12, 0x0d}), "System.Void (System.Uri)");
  EXPECT_EQ(text_of({0x00, 0x01, 0x01, 0x12, 0x0c}), "System.Void (Acme.Outer<T>.Inner)");
  EXPECT_EQ(text_of({0x00, 0x01, 0x01, 0x11, 0x7d}), "System.Void (<UNKNOWN>)");
}

TEST(signatures, generics) {
  EXPECT_EQ(text_of({0x30, 0x01, 0x01, 0x1e, 0x00, 0x13, 0x01}), "M (U)");
  EXPECT_EQ(text_of({0x00, 0x01, 0x01, 0x15, 0x12, 0x08, 0x02, 0x08, 0x1d, 0x0e}),
            "System.Void (Acme.Pair<T=System.Int32, U=System.String[]>)");
}

TEST(signatures, modifiers_pins_and_sentinels) {
  EXPECT_EQ(text_of({0x00, 0x01, 0x20, 0x0d, 0x01, 0x1f, 0x0d, 0x45, 0x08}),
            "System.Void (System.Int32)");
  EXPECT_EQ(text_of({0x05, 0x02, 0x01, 0x08, 0x41, 0x0e}),
            "System.Void (System.Int32, ..., System.String)");
}

TEST(signatures, function_pointers) {
  EXPECT_EQ(text_of({0x00, 0x01, 0x01, 0x1b, 0x00, 0x01, 0x08, 0x0e}),
            "System.Void (System.Int32(System.String)*)");
}

TEST(signatures, cut_anywhere_they_are_unknown) {
  const Bytes whole{0x30, 0x01, 0x02, 0x15, 0x12, 0x08, 0x02, 0x08, 0x1d, 0x0e, 0x14,
                    0x0d, 0x02, 0x00, 0x02, 0x00, 0x00, 0x1b, 0x00, 0x01, 0x08, 0x0e};
  ASSERT_EQ(text_of(whole),
            "Acme.Pair<T=System.Int32, U=System.String[]> (System.Double[,], "
            "System.Int32(System.String)*)");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(text_of(cut), "<UNKNOWN> (?)") << size << " bytes";
  }
}

TEST(signatures, deep_and_long_ones_end) {
  Bytes deep(100'000, 0x0f);
  deep[0] = deep[1] = 0;
  EXPECT_EQ(text_of(deep), "<UNKNOWN> (?)");
  Bytes many(100'000, 0x16);
  many[0] = 0;
  many[1] = 0xdf;  // some 500 million parameters
  EXPECT_EQ(text_of(many), "<UNKNOWN> (?)");
}

TEST(signatures, any_bytes_give_short_text) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes(random() % 64);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 0x50);
    EXPECT_LT(text_of(bytes).size(), 64U * 1024);
  }
}

TEST(utf8, every_length) {
  EXPECT_EQ(utf8(u"a\u00e9\u4f60\U0001f600"), "a\u00e9\u4f60\U0001f600");
  EXPECT_EQ(utf8(u""), "");
}

TEST(utf8, halves_of_pairs_are_replaced) {
  const char16_t halves[] = {0xd83d, u'x', 0xde00, 0xd83d};
  EXPECT_EQ(utf8({halves, 4}), "\ufffdx\ufffd\ufffd");
}

}  // namespace
}  // namespace polytrace::agent::coreclr
