// SPDX-License-Identifier: Apache-2.0
#include "transform/resolve.hpp"

#include "transform/lines.hpp"

namespace polytrace::transform {
namespace {

using test::Lines;

Lines resolved(const Lines& lines) {
  event::Batch batch;
  test::parse(batch, lines);
  auto definitions = std::make_shared<Definitions>();
  definitions->consume(batch);
  Lines written;
  auto writer = resolve(std::make_unique<test::LineWriter>(written), definitions);
  EXPECT_TRUE(writer->write(batch));
  return written;
}

TEST(resolve, tells_on_which_thread_of_the_system_one_runs_as_often_as_that_changes) {
  const Lines lines{"1 - thread thread=0x0 life=begin object=0x1",
                    "2 - thread thread=0x0 life=name os_thread=0x1267",
                    "3 - thread thread=0x0 life=name os_thread=0x1268",
                    "4 - thread thread=0x0 life=name os_thread=0x1267",
                    "5 - thread thread=0x0 life=end"};
  EXPECT_EQ(resolved(lines), lines);
}

TEST(resolve, tells_a_thread_once_with_all_that_is_told_of_it) {
  const Lines lines{"1 0x7 enter method=0x1",
                    "2 0x7 thread thread=0x7 life=begin name=\"a\" os_thread=0x9",
                    "3 0x7 thread thread=0x7 life=name name=\"b\" group=\"g\" parent_group=\"p\" "
                    "object=0x2 os_thread=0x9 is_virtual=1"};
  EXPECT_EQ(resolved(lines), (Lines{"1 0x7 thread thread=0x7 life=begin name=\"b\" group=\"g\" "
                                    "parent_group=\"p\" object=0x2 os_thread=0x9 is_virtual=1",
                                    "1 0x7 enter method=0x1"}));
}

TEST(resolve, another_thread_with_the_id_runs_somewhere_of_its_own) {
  const Lines lines{"1 - thread thread=0x0 life=begin os_thread=0x9",
                    "2 - thread thread=0x0 life=end", "3 - thread thread=0x0 life=begin",
                    "4 - thread thread=0x0 life=name os_thread=0x9"};
  EXPECT_EQ(resolved(lines), lines);
}

}  // namespace
}  // namespace polytrace::transform
