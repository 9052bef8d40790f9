// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriting.hpp"

namespace polytrace::agent::jvm::test {
namespace {

constexpr std::uint8_t kReturn = 0xb1;
constexpr std::uint8_t kThis = 0x2a;  // aload_0

MadeMethod constructor(Bytes code, std::uint16_t max_stack) {
  MadeMethod method = run(std::move(code), max_stack);
  method.name = "<init>";
  method.access = 0x0001;
  method.max_locals = 1;
  return method;
}

Bytes call_init(ClassMaker& maker, std::string_view type) {
  return joined({{0xb7}, u2(maker.method_entry(type, "<init>", "()V"))});
}

TEST(rewriter_constructors, the_handler_begins_behind_the_super_constructor) {
  ClassMaker maker;
  const Bytes super = call_init(maker, "java/lang/Object");
  const Rewritten result =
      rewritten(maker, constructor(joined({{kThis}, super, {0x00, kReturn}}), 1));
  ASSERT_EQ(result.outcome.reason, Reason::none);
  EXPECT_EQ(result.method().handlers, joined({u2(8), u2(14), u2(14), u2(0)}));
}

TEST(rewriter_constructors, objects_made_for_the_arguments_do_not_count) {
  ClassMaker maker;
  const std::size_t thing = maker.class_entry("java/lang/Object");
  const Bytes made = call_init(maker, "java/lang/Object");
  const Bytes super = call_init(maker, "java/lang/Object");
  const Bytes code = joined({{kThis, 0xbb}, u2(thing), {0x59}, made, {0x57}, super, {kReturn}});
  const FoundMethod method = rewritten(maker, constructor(code, 3)).method();
  EXPECT_EQ(Bytes(method.handlers.begin(), method.handlers.begin() + 2), u2(4 + 12));
}

TEST(rewriter_constructors, no_handler_where_this_may_still_be_no_object) {
  ClassMaker maker;
  const Bytes super = call_init(maker, "java/lang/Object");
  // aload_0; super(); goto 11; nop; nop; nop; [frame] return, by a frame that says it is none yet
  MadeMethod method = constructor(joined({{kThis}, super, {0xa7, 0, 6, 0, 0, 0xbf, kReturn}}), 1);
  maker.frames(method, 1, joined({{255}, u2(10), u2(1), {6}, u2(0)}));
  const Rewritten result = rewritten(maker, method);
  ASSERT_EQ(result.outcome.reason, Reason::none);
  EXPECT_TRUE(result.method().handlers.empty());
  EXPECT_EQ(result.outcome.without_handler, 1U);

  // A frame "as before" still has what the constructor began with.
  ClassMaker again;
  const Bytes other = call_init(again, "java/lang/Object");
  MadeMethod same = constructor(joined({{kThis}, other, {0xa7, 0, 6, 0, 0, 0xbf, kReturn}}), 1);
  again.frames(same, 1, {10});
  EXPECT_EQ(rewritten(again, same).outcome.without_handler, 1U);
}

TEST(rewriter_constructors, a_handler_where_frames_say_that_this_is_an_object) {
  ClassMaker maker;
  const std::size_t own = maker.class_entry("demo/Main");
  const Bytes super = call_init(maker, "java/lang/Object");
  MadeMethod method = constructor(joined({{kThis}, super, {0xa7, 0, 6, 0, 0, 0xbf, kReturn}}), 1);
  maker.frames(method, 1, joined({{255}, u2(10), u2(1), {7}, u2(own), u2(0)}));
  const Rewritten result = rewritten(maker, method);
  EXPECT_EQ(result.outcome.without_handler, 0U);
  EXPECT_FALSE(result.method().handlers.empty());
}

TEST(rewriter_constructors, no_handler_where_no_constructor_is_called) {
  ClassMaker maker;
  const Bytes stranger = call_init(maker, "demo/Stranger");
  const Rewritten result = rewritten(maker, constructor(joined({{kThis}, stranger, {kReturn}}), 1));
  EXPECT_EQ(result.outcome.without_handler, 1U);
}

}  // namespace
}  // namespace polytrace::agent::jvm::test
