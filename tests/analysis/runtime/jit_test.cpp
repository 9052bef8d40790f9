// SPDX-License-Identifier: Apache-2.0
// What was compiled, and code of which a recorder told what cannot be.
#include "analysis/asked.hpp"
#include "analysis/sections.hpp"

namespace polytrace::test {
namespace {

constexpr base::Id kNowhere = 0x30, kSomewhere = 0x7f0b43647420;

event::Batch compiled() {
  event::Batch batch;
  Stream main(batch, kMain);
  const auto method = [&](base::Id id, const char* name, base::Id code, std::uint64_t size) {
    event::Method method;
    method.name = name;
    method.code = code;
    method.code_size = size;
    main.add(10, id, method);
  };
  method(1, "Shop:Work", kSomewhere, 100);
  method(2, "Shop:Gone", kNowhere, 21'858);
  method(3, "Shop:Large", kSomewhere + 4096, 4'294'967'295);
  method(4, "Shop:Beyond", ~base::Id{0} - 10, 100);
  return batch;
}

TEST(jit, places_where_no_code_can_be_have_no_size) {
  Asked asked(analysis::make_jit({}));
  const Table table = asked.feed(compiled()).finish().table("compiled_methods");
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(number(table, 0, "code_size"), 100U);
  for (std::size_t row = 1; row < 4; ++row) EXPECT_TRUE(unknown(table, row, "code_size")) << row;
  EXPECT_EQ(table.notes.at(1),
            "The recorder told places where no code can be of 3 methods: their sizes are unknown.");
  EXPECT_EQ(asked.headlines().at(0), "4 methods compiled, 100 B of code; the size of 3 is unknown");
}

}  // namespace
}  // namespace polytrace::test
