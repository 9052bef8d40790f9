// SPDX-License-Identifier: Apache-2.0
// No bytes may harm the rewriter, and what it rewrites it can read.
#include <random>

#include "agent/jvm/rewriter/probe_class.hpp"
#include "agent/jvm/rewriting.hpp"

namespace polytrace::agent::jvm::test {
namespace {

// A class with everything that is relocated.
Bytes rich_class() {
  ClassMaker maker;
  maker.source("Main.java");
  const std::size_t type = maker.class_entry("demo/Thing");
  const Bytes table = joined({{0x03, 0xaa}, {0, 0}, u4(19), u4(0), u4(0), u4(20), {0, 0xb1}});
  MadeMethod switching = run(table, 1);
  maker.lines(switching, {{0, 1}, {21, 2}});
  maker.frames(switching, 2, {20, 0});
  MadeMethod making = run(joined({{0x03, 0xbb}, u2(type), {0x5f, 0x99, 0, 3, 0x57, 0xb1}}), 2);
  maker.frames(making, 1, joined({{72}, {8}, u2(1)}));
  making.handlers = joined({u2(0), u2(4), u2(8), u2(type)});
  return maker.make({switching, making});
}

void rewrite_unharmed(const Bytes& file) {
  EveryMethod judge;
  judge.sites = true;
  const rewriter::Outcome outcome = rewriter::rewrite(file, judge);
  EXPECT_EQ(outcome.bytes.empty(), outcome.reason != Reason::none);
  if (outcome.reason != Reason::none) return;
  const rewriter::Outcome again = rewriter::rewrite(outcome.bytes, judge);
  EXPECT_EQ(again.reason, Reason::none);
}

TEST(rewriter_damage, a_file_cut_anywhere_is_left_alone) {
  const Bytes whole = rich_class();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EveryMethod judge;
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(rewriter::rewrite(cut, judge).reason, Reason::none) << size;
  }
  rewrite_unharmed(whole);
}

TEST(rewriter_damage, every_byte_may_be_any_other) {
  const Bytes whole = rich_class();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xaa, 0xab, 0xc4, 0xfe, 0xff}) {
      Bytes damaged = whole;
      damaged[at] = static_cast<std::uint8_t>(value);
      rewrite_unharmed(damaged);
    }
  }
}

TEST(rewriter_damage, several_bytes_at_once) {
  const Bytes whole = rich_class();
  std::mt19937 random(17);
  for (int round = 0; round < 20000; ++round) {
    Bytes damaged = whole;
    for (int i = 0; i < 4; ++i)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    rewrite_unharmed(damaged);
  }
}

TEST(rewriter_damage, the_probe_is_a_class_file_like_others) {
  const Bytes probe = rewriter::probe_class();
  const ClassReader file(probe);
  EveryMethod judge;
  EXPECT_EQ(rewriter::rewrite(probe, judge).reason, Reason::excluded);
  EXPECT_EQ(file.method("enter0").code, Bytes{});
  // getstatic on; ifeq to the return; iload_0; iload_1; invokestatic array0; return
  const Bytes code = file.method("array").code;
  ASSERT_EQ(code.size(), 12U);
  EXPECT_EQ(Bytes(code.begin() + 3, code.begin() + 8), (Bytes{0x99, 0, 8, 0x1a, 0x1b}));
  EXPECT_EQ(file.constant(static_cast<std::size_t>(code[9] << 8 | code[10])),
            "java/lang/$TraceProbe.array0(II)V");
  const Bytes grid = file.method("grid").code;
  EXPECT_EQ(Bytes(grid.begin() + 6, grid.begin() + 8), (Bytes{0x2a, 0x1b}));  // aload_0, iload_1
}

}  // namespace
}  // namespace polytrace::agent::jvm::test
