// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/rewriter.hpp"

#include "agent/jvm/rewriting.hpp"

namespace polytrace::agent::jvm::test {
namespace {

using testing::ElementsAre;

constexpr std::uint8_t kReturn = 0xb1;

std::uint32_t count(const rewriter::Outcome& outcome, Reason reason) {
  return outcome.methods[static_cast<std::size_t>(reason)];
}

TEST(rewriter, a_method_tells_entry_return_and_exception) {
  ClassMaker maker;
  const Rewritten result = rewritten(maker, run({kReturn}), from_id(3));
  ASSERT_EQ(result.outcome.reason, Reason::none);
  EXPECT_EQ(result.code(), "enter(3) exit(3) b1 unwind(3) bf");
  // The handler covers what lies between the entry's probe and itself, and catches all.
  EXPECT_EQ(result.method().handlers, joined({u2(4), u2(9), u2(9), u2(0)}));
  EXPECT_EQ(result.method().max_stack, 2);
  EXPECT_EQ(count(result.outcome, Reason::none), 1U);
  EXPECT_EQ(result.outcome.without_handler, 0U);
}

TEST(rewriter, ids_of_every_size) {
  for (const std::uint32_t id : {1U, 5U, 6U, 127U, 128U, 32767U, 32768U, 16777215U}) {
    ClassMaker maker;
    const Rewritten result = rewritten(maker, run({kReturn}), from_id(id));
    const std::string number = "(" + std::to_string(id) + ")";
    EXPECT_EQ(result.code(), "enter" + number + " exit" + number + " b1 unwind" + number + " bf");
  }
}

TEST(rewriter, a_branch_to_the_start_goes_behind_the_entry) {
  ClassMaker maker;
  MadeMethod method = run({0x03, 0x9a, 0xff, 0xff, kReturn}, 1);  // iconst_0; ifne 0; return
  maker.frames(method, 2, {0, 3});                                // at 0 and at 4
  const Rewritten result = rewritten(maker, method);
  EXPECT_EQ(result.code(), "enter(1) 03 9a ff ff exit(1) b1 unwind(1) bf");
  // Frames at 4 (the first tells its place), 8 (4 - 1 further on) and the handler's at 13.
  const Bytes frames = result.method().attributes.at("StackMapTable");
  ASSERT_EQ(frames.size(), 14U);
  EXPECT_EQ(Bytes(frames.begin(), frames.end() - 2),
            joined({u2(3), {4}, {3}, {255}, u2(4), u2(0), u2(1), {7}}));
  EXPECT_EQ(result.file().constant(frames.back()), "java/lang/Throwable");
}

TEST(rewriter, a_branch_to_a_return_goes_before_its_probe) {
  ClassMaker maker;
  // iconst_0; ifeq 7; nop; nop; nop; return
  MadeMethod method = run({0x03, 0x99, 0x00, 0x06, 0, 0, 0, kReturn}, 1);
  maker.frames(method, 1, {7});
  const Rewritten result = rewritten(maker, method);
  EXPECT_EQ(result.code(), "enter(1) 03 99 00 06 00 00 00 exit(1) b1 unwind(1) bf");
}

TEST(rewriter, a_switch_keeps_its_alignment) {
  ClassMaker maker;
  // 0: iconst_0; 1: tableswitch 0..0 default 20, 0: 21; 20: nop; 21: return
  const Bytes table = joined({{0x03, 0xaa}, {0, 0}, u4(19), u4(0), u4(0), u4(20), {0, kReturn}});
  const Rewritten result = rewritten(maker, run(table, 1), from_id(200));
  const FoundMethod method = result.method();
  // The entry takes 6 bytes, so the opcode comes to lie at 7 and needs no padding.
  ASSERT_EQ(method.code[7], 0xaa);
  EXPECT_EQ(Bytes(method.code.begin() + 8, method.code.begin() + 24),
            joined({u4(17), u4(0), u4(0), u4(18)}));
}

TEST(rewriter, a_switch_by_keys_keeps_the_keys) {
  ClassMaker maker;
  // 0: iconst_0; 1: lookupswitch default 28, -1: 28, 9: 29; 28: nop; 29: return
  const Bytes table = joined(
      {{0x03, 0xab}, {0, 0}, u4(27), u4(2), u4(0xffffffff), u4(27), u4(9), u4(28), {0, kReturn}});
  const FoundMethod method = rewritten(maker, run(table, 1)).method();
  ASSERT_EQ(method.code[5], 0xab);
  EXPECT_EQ(Bytes(method.code.begin() + 6, method.code.begin() + 32),
            joined({{0, 0}, u4(27), u4(2), u4(0xffffffff), u4(27), u4(9), u4(28)}));
}

TEST(rewriter, handlers_move_and_ours_comes_last) {
  ClassMaker maker;
  // 0: nop; 1: goto 5; 4: pop (handler); 5: return
  MadeMethod method = run({0x00, 0xa7, 0x00, 0x04, 0x57, kReturn}, 1);
  method.handlers = joined({u2(0), u2(4), u2(4), u2(0)});
  const FoundMethod found = rewritten(maker, method).method();
  EXPECT_EQ(found.handlers, joined({u2(4), u2(8), u2(8), u2(0), u2(4), u2(14), u2(14), u2(0)}));
}

TEST(rewriter, lines_move_and_the_first_stays) {
  ClassMaker maker;
  MadeMethod method = run({0x00, 0x00, kReturn});
  maker.lines(method, {{0, 10}, {1, 8}, {2, 12}});
  const Rewritten result = rewritten(maker, method);
  EXPECT_EQ(result.method().attributes.at("LineNumberTable"),
            joined({u2(3), u2(0), u2(10), u2(5), u2(8), u2(6), u2(12)}));
  EXPECT_EQ(result.judge.methods.at(0).first_line, 8U);
  EXPECT_EQ(result.judge.methods.at(0).last_line, 12U);
}

TEST(rewriter, variables_move_and_parameters_still_begin_at_the_start) {
  ClassMaker maker;
  MadeMethod method = run({0x00, 0x00, kReturn});
  const auto variable = [](std::size_t start, std::size_t length) {
    return joined({u2(start), u2(length), u2(1), u2(2), u2(3)});
  };
  method.attribute(u2(maker.utf8("LocalVariableTable")),
                   joined({u2(2), variable(0, 3), variable(1, 1)}));
  const FoundMethod found = rewritten(maker, method).method();
  EXPECT_EQ(found.attributes.at("LocalVariableTable"),
            joined({u2(2), variable(0, 11), variable(5, 1)}));
}

TEST(rewriter, type_annotations_of_code_are_dropped) {
  ClassMaker maker;
  MadeMethod method = run({kReturn});
  method.attribute(u2(maker.utf8("RuntimeVisibleTypeAnnotations")), u2(0));
  const FoundMethod found = rewritten(maker, method).method();
  EXPECT_EQ(found.attributes.count("RuntimeVisibleTypeAnnotations"), 0U);
}

TEST(rewriter, a_frame_takes_its_long_form_when_it_moves_too_far) {
  ClassMaker maker;
  MadeMethod method = run(joined({Bytes(62, 0x00), {kReturn}}));
  maker.frames(method, 1, {62});
  const FoundMethod found = rewritten(maker, method).method();
  const Bytes& frames = found.attributes.at("StackMapTable");
  EXPECT_EQ(Bytes(frames.begin(), frames.begin() + 5), joined({u2(2), {251}, u2(66)}));
}

TEST(rewriter, old_class_files_get_no_frames) {
  ClassMaker maker("demo/Old", 49);
  const Rewritten result = rewritten(maker, run({kReturn}));
  EXPECT_EQ(result.code(), "enter(1) exit(1) b1 unwind(1) bf");
  EXPECT_TRUE(result.method().attributes.empty());
}

TEST(rewriter, wide_instructions_keep_their_length) {
  ClassMaker maker;
  // wide iinc 1 by 300; wide iload 1; pop; return
  const Bytes code = {0xc4, 0x84, 0, 1, 1, 44, 0xc4, 0x15, 0, 1, 0x57, kReturn};
  const Rewritten result = rewritten(maker, run(code, 1));
  EXPECT_EQ(result.code(), "enter(1) c4 84 00 01 01 2c c4 15 00 01 57 exit(1) b1 unwind(1) bf");
}

TEST(rewriter, subroutines_of_old_code_move) {
  ClassMaker maker("demo/Old", 48);
  // 0: jsr 4; 3: return; 4: astore_0; 5: ret 0
  const Rewritten result = rewritten(maker, run({0xa8, 0, 4, kReturn, 0x4b, 0xa9, 0}, 1));
  EXPECT_EQ(result.code(), "enter(1) a8 00 08 exit(1) b1 4b a9 00 unwind(1) bf");
}

TEST(rewriter, facts_of_class_and_method) {
  ClassMaker maker("demo/Facts", 61);
  maker.source("Facts.java");
  maker.interface("java/lang/Runnable");
  const std::size_t called = maker.method_entry("demo/Other", "go", "()V");
  MadeMethod method = run(joined({{0xb8}, u2(called), {0xa7, 0xff, 0xfd}}));
  method.descriptor = "(JLjava/lang/String;)V";
  const Rewritten result = rewritten(maker, method);
  EXPECT_EQ(result.judge.type.name, "demo/Facts");
  EXPECT_EQ(result.judge.type.super, "java/lang/Object");
  EXPECT_EQ(result.judge.type.source, "Facts.java");
  EXPECT_EQ(result.judge.type.version, 61);
  EXPECT_THAT(result.judge.type.interfaces, ElementsAre("java/lang/Runnable"));
  const rewriter::MethodFacts& facts = result.judge.methods.at(0);
  EXPECT_EQ(facts.name, "run");
  EXPECT_EQ(facts.descriptor, "(JLjava/lang/String;)V");
  EXPECT_EQ(facts.access, 0x0009);
  EXPECT_EQ(facts.code_length, 6U);
  EXPECT_TRUE(facts.calls);
  EXPECT_TRUE(facts.loops);
}

TEST(rewriter, wide_constants_take_two_entries) {
  ClassMaker maker;
  const std::size_t number = maker.long_entry(5);
  const Rewritten result = rewritten(maker, run(joined({{0x14}, u2(number), {0x58, kReturn}}), 2));
  ASSERT_EQ(result.outcome.reason, Reason::none);
  EXPECT_EQ(result.method().max_stack, 3);
}

TEST(rewriter, methods_without_code_and_unwanted_ones_stay) {
  ClassMaker maker;
  MadeMethod native = run({});
  native.access = 0x0109;
  const Bytes file = maker.make({native});
  EveryMethod judge;
  const rewriter::Outcome none = rewriter::rewrite(file, judge);
  EXPECT_EQ(none.reason, Reason::nothing_to_do);
  EXPECT_TRUE(none.bytes.empty());
  EXPECT_EQ(count(none, Reason::without_code), 1U);

  ClassMaker other;
  EveryMethod no_calls;
  no_calls.calls = false;
  const Rewritten unwanted = rewritten(other, run({kReturn}), no_calls);
  EXPECT_EQ(unwanted.outcome.reason, Reason::nothing_to_do);
  EXPECT_EQ(count(unwanted.outcome, Reason::method_not_chosen), 1U);
}

TEST(rewriter, what_must_never_be_touched) {
  for (const std::string_view name :
       {std::string_view("java/lang/Object"), rewriter::kProbeClass}) {
    ClassMaker maker(name);
    EXPECT_EQ(rewritten(maker, run({kReturn})).outcome.reason, Reason::excluded) << name;
  }
  for (const auto version : {std::uint16_t{44}, std::uint16_t{70}}) {
    ClassMaker maker("demo/Main", version);
    EXPECT_EQ(rewritten(maker, run({kReturn})).outcome.reason, Reason::version_unknown);
  }
  EveryMethod judge;
  EXPECT_EQ(rewriter::rewrite(Bytes{1, 2, 3, 4}, judge).reason, Reason::not_a_class_file);
  EXPECT_EQ(rewriter::rewrite({}, judge).reason, Reason::not_a_class_file);
}

TEST(rewriter, limits_of_the_class_file) {
  ClassMaker full;
  full.fill_constants(65530);
  EXPECT_EQ(rewritten(full, run({kReturn})).judge.refused.at(0).second, Reason::constants_full);

  ClassMaker large;
  const Bytes most = joined({Bytes(65534, 0x00), {kReturn}});
  EXPECT_EQ(rewritten(large, run(most)).judge.refused.at(0).second, Reason::code_too_large);

  // The handler counts: its five bytes do not fit, the others do.
  ClassMaker handler;
  const Bytes almost = joined({Bytes(65535 - 9, 0x00), {kReturn}});
  EXPECT_EQ(rewritten(handler, run(almost)).judge.refused.at(0).second, Reason::code_too_large);
  ClassMaker fits;
  const Bytes just = joined({Bytes(65535 - 9 - 5, 0x00), {kReturn}});
  EXPECT_EQ(rewritten(fits, run(just)).outcome.reason, Reason::none);

  // goto over 32767 bytes with a return in between
  ClassMaker far;
  const Bytes skip = joined({{0xa7, 0x7f, 0xff}, Bytes(32763, 0x00), {kReturn, kReturn}});
  EXPECT_EQ(rewritten(far, run(skip)).judge.refused.at(0).second, Reason::branch_too_far);

  ClassMaker deep;
  EXPECT_EQ(rewritten(deep, run({kReturn}, 65535)).judge.refused.at(0).second,
            Reason::stack_too_deep);
}

TEST(rewriter, code_that_is_no_code_stays) {
  const Bytes bad[] = {
      {0xff},                          // no such instruction
      {0x11, 0x00},                    // ends within one
      {0xa7, 0x00, 0x02, kReturn},     // branch into the middle of itself
      {0xa7, 0x7f, 0x00, kReturn},     // branch out of the code
      {0xa7, 0xff, 0x00, kReturn},     // before it
      {0xaa, 0, 0, 0, 0, 0, 0, 0},     // switch without operands
      {0xc4, 0x00, kReturn, kReturn},  // wide of what cannot be
  };
  for (const Bytes& code : bad) {
    ClassMaker maker;
    const Rewritten result = rewritten(maker, run(code));
    EXPECT_EQ(result.outcome.reason, Reason::nothing_to_do);
    EXPECT_EQ(count(result.outcome, Reason::code_malformed), 1U);
  }
}

TEST(rewriter, tables_that_point_nowhere_leave_the_method_alone) {
  ClassMaker maker;
  MadeMethod handlers = run({kReturn});
  handlers.handlers = joined({u2(0), u2(2), u2(0), u2(0)});
  EXPECT_EQ(rewritten(maker, handlers).judge.refused.at(0).second, Reason::code_malformed);
  for (const Bytes& frame : {Bytes{1}, Bytes{200}, Bytes{250, 0, 0}, Bytes{64, 9}, Bytes{255}}) {
    ClassMaker other;
    MadeMethod frames = run({kReturn});
    other.frames(frames, 1, frame);
    EXPECT_EQ(rewritten(other, frames).judge.refused.at(0).second, Reason::code_malformed);
  }
}

}  // namespace
}  // namespace polytrace::agent::jvm::test
