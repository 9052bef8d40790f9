// SPDX-License-Identifier: Apache-2.0
// Tables of calls from the sums of an index are those of a report that reads the events.
#include "service/ask/calls_from_index.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>

#include "service/ask/report.hpp"
#include "service/example.hpp"
#include "service/index/build.hpp"
#include "service/input/store_of.hpp"
#include "store/calls/paused_trace.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::service::test {
namespace {

using polytrace::test::TemporaryFolder;
using store::calls::PausedTrace;

std::vector<const analysis::Section*> sections_of_calls() {
  std::vector<const analysis::Section*> all;
  for (const analysis::Section& section : analysis::sections())
    if (is_of_calls(section)) all.push_back(&section);
  return all;
}

// Of the events, as a report without an index has them.
std::vector<analysis::Table> streamed(const std::vector<std::unique_ptr<event::Batch>>& batches,
                                      const CallsQuestion& question) {
  analysis::Report report(question.sections, question.selection);
  for (const auto& batch : batches) report.consume(*batch);
  report.finish();
  return report.tables(question.table);
}

std::string text_of(const std::vector<analysis::Table>& tables) {
  return report_json(
      {.reading = {.origin = {"", format::find_format("mlpd"), ""}}, .tables = tables});
}

class RandomQuestions {
 public:
  RandomQuestions(const PausedTrace& trace, std::shared_ptr<const slice::Pauses> pauses,
                  unsigned seed)
      : trace_(trace), pauses_(std::move(pauses)), random_(seed) {}

  CallsQuestion next() {
    CallsQuestion question{.sections = sections_of_calls()};
    if (one_in(4)) question.sections.resize(1);
    const store::Range range = trace_.random_range(random_);
    slice::Selection& selection = question.selection;
    selection.from = range.from;
    selection.to = range.to;
    std::vector<base::Id> threads;
    for (const std::uint32_t thread : range.threads)
      threads.push_back(store::calls::kFirstThread + thread);
    if (one_in(2)) selection.threads = event::ThreadChoice(threads);
    selection.subtract_waits = one_in(2);
    if (one_in(2)) selection.pauses = pauses_;
    if (one_in(3)) selection.method = "0x3";
    if (one_in(4)) selection.name = event::NameChoice("0x2");
    selection.fold_recursion = one_in(4);
    question.table.limit = one_in(2) ? 0 : 7;
    return question;
  }

 private:
  bool one_in(unsigned of) { return random_() % of == 0; }

  const PausedTrace& trace_;
  std::shared_ptr<const slice::Pauses> pauses_;
  std::mt19937_64 random_;
};

TEST(calls_from_index, are_those_of_the_events_in_any_part_of_a_random_trace) {
  const store::calls::StreamShape shape{.events = 7'000,
                                        .methods = 15,
                                        .depth = 10,
                                        .irregular = 10,
                                        .tickets = 20,
                                        .waits = 30,
                                        .unwinds = 10,
                                        .step = 100};
  PausedTrace trace({random_stream(shape, 1), random_stream(shape, 2), random_stream(shape, 3)});
  trace.pause_at_random(store::calls::kStops, 100, 2000, 4);
  const auto batches = trace.told();
  const auto index = store::Store::of(trace.index({.most_open = 4096, .commit_each = 1}));
  RandomQuestions questions(trace, *index->pauses(), 5);
  for (int i = 0; i < 300; ++i) {
    const CallsQuestion question = questions.next();
    const auto answer = calls_from_index(*index, question);
    ASSERT_TRUE(answer) << base::to_text(answer.error());
    ASSERT_TRUE(*answer);
    ASSERT_EQ(text_of((*answer)->tables), text_of(streamed(batches, question))) << i;
  }
}

// With a cache of its own.
class calls_of_recordings : public testing::TestWithParam<const char*> {
 protected:
  calls_of_recordings() { setenv("POLYTRACE_CACHE", folder.file("cache").c_str(), 1); }
  ~calls_of_recordings() override { unsetenv("POLYTRACE_CACHE"); }

  static std::string answer(InputOptions options, const ReportQuestion& question) {
    options.file = recording(GetParam());
    Input input(std::move(options));
    const auto given = ask_report(input, question);
    return given ? report_json(*given) : base::to_text(given.error().error);
  }
  TemporaryFolder folder;
};

TEST_P(calls_of_recordings, are_the_same_from_their_sums_byte_for_byte) {
  const std::string file = recording(GetParam());
  ASSERT_TRUE(build_index(Input({.file = file})));
  const Input input({.file = file, .index = {.offered = true}});
  const auto store = store_of(*input.open());
  ASSERT_NE(store, nullptr);
  const CallsQuestion all{.sections = sections_of_calls()};
  const auto from_sums = calls_from_index(*store, all);
  ASSERT_TRUE(from_sums && *from_sums);
  EXPECT_GT((*from_sums)->tables.at(0).rows.size(), 3U);
  const store::Totals totals = store->facts().totals;
  std::mt19937_64 random(1);
  const auto time = [&] {
    const auto span = static_cast<std::uint64_t>(totals.last - totals.first) + 1;
    return totals.first + static_cast<base::Time>(random() % span);
  };
  for (int i = 0; i < 24; ++i) {
    ReportQuestion question{.sections = i % 3 == 0 ? "calls" : "calls,tree,callers,sandwich"};
    base::Time from = time(), to = time();
    if (from >= to) std::swap(from, to);
    if (i > 3 && from != to) {
      question.selection.from = std::to_string(from);
      question.selection.to = std::to_string(to);
    }
    if (i < 2) {  // figures of the whole
      EXPECT_EQ(answer({.index = {.offered = true}}, question), answer({}, question)) << i;
      continue;
    }
    const auto thread = static_cast<std::uint32_t>(random() % totals.threads);
    const base::Id id = store->entities().of(store::EntitySort::thread, thread).id;
    if (random() % 2 == 0 && id != base::kNoId)
      question.selection.thread = "0x" + fmt::format("{:x}", id);
    constexpr std::array kSubtracted{"", "gc", "waits", "gc,waits"};
    question.selection.subtract = kSubtracted[random() % kSubtracted.size()];
    question.show_helpers = random() % 2 == 0;
    question.fold_recursion = random() % 3 == 0;
    question.table.limit = random() % 2 == 0 ? 0 : 5;
    EXPECT_EQ(answer({.index = {.offered = true}}, question), answer({}, question)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, calls_of_recordings,
                         testing::Values("mlpd/calls.mlpd", "mlpd/everything.mlpd.gz",
                                         "mlpd/exceptions_calls.mlpd"));

}  // namespace
}  // namespace polytrace::service::test
