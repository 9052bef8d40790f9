// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/handlers.hpp"

#include "agent/jvm/rewriting.hpp"

namespace polytrace::agent::jvm::test {
namespace {

using rewriter::Handler;
using rewriter::handler_at;
using rewriter::HandlerKind;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint8_t kKeep = 0x4c;    // astore_1
constexpr std::uint8_t kLoad = 0x2b;    // aload_1
constexpr std::uint8_t kAthrow = 0xbf;  //
constexpr std::uint8_t kReturn = 0xb1;

void expect(const Bytes& code, HandlerKind kind, const std::vector<std::uint32_t>& exits) {
  const Handler handler = handler_at(code, 0);
  EXPECT_EQ(handler.kind, kind);
  EXPECT_EQ(handler.exits, exits);
}

TEST(rewriter_handlers, one_that_throws_what_it_kept_passes_it_on) {
  expect({kKeep, kLoad, kAthrow}, HandlerKind::passes_on, {2});
  expect({kAthrow}, HandlerKind::passes_on, {0});
  // astore 9; a call; aload 9; checkcast; athrow, also with `wide`.
  expect({0x3a, 9, 0xb8, 0, 1, 0x19, 9, 0xc0, 0, 2, kAthrow}, HandlerKind::passes_on, {10});
  expect({0xc4, 0x3a, 1, 0, 0xc4, 0x19, 1, 0, kAthrow}, HandlerKind::passes_on, {8});
}

TEST(rewriter_handlers, one_that_may_go_on_catches) {
  expect({kKeep, kReturn}, HandlerKind::catches, {});
  expect({0x57, kReturn}, HandlerKind::catches, {});  // pop
  // astore_1; iload_0; ifeq 7; aload_1; athrow; 7: return
  expect({kKeep, 0x1a, 0x99, 0, 5, kLoad, kAthrow, kReturn}, HandlerKind::catches, {6});
  // A switch whose default returns: 2: tableswitch default 20, 0: 22
  expect(
      joined(
          {{kKeep, 0x1a, 0xaa, 0}, u4(18), u4(0), u4(0), u4(20), {kReturn, 0}, {kLoad, kAthrow}}),
      HandlerKind::catches, {23});
}

TEST(rewriter_handlers, every_way_through_may_pass_on) {
  // astore_1; iload_0; ifeq 9; nop; goto 9; nop; 9: aload_1; athrow
  expect({kKeep, 0x1a, 0x99, 0, 7, 0, 0xa7, 0, 3, kLoad, kAthrow}, HandlerKind::passes_on, {10});
}

TEST(rewriter_handlers, another_exception_is_not_what_it_was_given) {
  expect({kKeep, 0x2a, kAthrow}, HandlerKind::catches, {});  // aload_0
  // Kept over before it is thrown, by a reference and by the second half of a long.
  expect({kKeep, 0x01, kKeep, kLoad, kAthrow}, HandlerKind::catches, {});
  expect({kKeep, 0x09, 0x3f, kLoad, kAthrow}, HandlerKind::catches, {});  // lstore_0
}

TEST(rewriter_handlers, what_a_handler_within_it_leads_to_counts) {
  // astore_1; aload_0; athrow; (handler) pop; aload_1; athrow
  expect({kKeep, 0x2a, kAthrow, 0x57, kLoad, kAthrow}, HandlerKind::passes_on, {5});
}

TEST(rewriter_handlers, the_rewriters_own_is_known) {
  for (const std::uint32_t id : {3U, 100U, 1000U, 100000U}) {
    ClassMaker maker;
    const FoundMethod method = rewritten(maker, run({kReturn}), from_id(id)).method();
    const std::uint32_t at = rewriter::load_u2(method.handlers, 4);
    const Handler handler = handler_at(method.code, at);
    EXPECT_EQ(handler.kind, HandlerKind::probe);
    EXPECT_THAT(handler.exits, ElementsAre(method.code.size() - 1));
  }
}

TEST(rewriter_handlers, what_is_no_code_catches) {
  expect({}, HandlerKind::catches, {});
  expect({kKeep, 0xca, kLoad, kAthrow}, HandlerKind::catches, {});  // no such instruction
  expect({kKeep, 0xa7, 0x7f, 0xff}, HandlerKind::catches, {});      // goto beyond the end
  EXPECT_THAT(handler_at(Bytes{kKeep}, 7).exits, IsEmpty());
}

}  // namespace
}  // namespace polytrace::agent::jvm::test
