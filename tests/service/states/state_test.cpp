// SPDX-License-Identifier: Apache-2.0
#include "service/states/ask_state.hpp"

#include <gtest/gtest.h>

#include "base/codes.hpp"
#include "service/example.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::service::test {
namespace {

using polytrace::test::TemporaryFolder;

TEST(state, is_told_of_a_moment) {
  const Input input({.file = example()});
  const StateAnswer answer = ask_state(input, {.at = "50%", .keep = false});
  ASSERT_TRUE(answer.moment.has_value());
  EXPECT_TRUE(answer.built.has_value());
  const auto json = parsed(state_json(input.name(), *answer.moment, true));
  EXPECT_EQ(json["time"], answer.moment->at);
  EXPECT_EQ(json["states"].size(), answer.moment->states.states().size());
}

TEST(state, is_answered_by_the_history_that_was_kept) {
  const TemporaryFolder cache;
  const Input input({.file = example()});
  const StateQuestion question{.at = "1ms", .cache = cache.file("")};
  const StateAnswer first = ask_state(input, question);
  const StateAnswer second = ask_state(input, question);
  EXPECT_TRUE(first.built.has_value());
  EXPECT_FALSE(second.built.has_value());
  ASSERT_TRUE(first.moment.has_value());
  ASSERT_TRUE(second.moment.has_value());
  EXPECT_EQ(state_json("", *first.moment, true), state_json("", *second.moment, true));
}

TEST(state, refuses_timelines_that_are_not_there) {
  const Input input({.file = example()});
  const StateAnswer answer =
      ask_state(input, {.at = "50%", .keys = {.paths = {"No/Such/Place"}}, .keep = false});
  ASSERT_FALSE(answer.moment.has_value());
  EXPECT_EQ(answer.moment.error().error.code, base::Code::key_unknown);
  EXPECT_EQ(answer.moment.error().file, input.name());
}

}  // namespace
}  // namespace polytrace::service::test
