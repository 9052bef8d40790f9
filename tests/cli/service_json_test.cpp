// SPDX-License-Identifier: Apache-2.0
// What a command prints with --json is what the service says, letter by letter: front ends cannot
// differ. The command is the finished program ($POLYTRACE).
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "service/ask/contents.hpp"
#include "service/ask/diff.hpp"
#include "service/ask/heap.hpp"
#include "service/ask/report.hpp"
#include "service/states/ask_state.hpp"

namespace polytrace::service::test {
namespace {

// What the program prints; it is asked about files whose names need no quotes.
std::string printed(const std::string& words) {
  const std::string line = std::string(std::getenv("POLYTRACE")) + " " + words + " 2>/dev/null";
  FILE* const pipe = popen(line.c_str(), "r");
  std::string text;
  std::array<char, 65536> piece{};
  while (const std::size_t got = fread(piece.data(), 1, piece.size(), pipe))
    text.append(piece.data(), got);
  pclose(pipe);
  return text;
}

class service_json : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (std::getenv("POLYTRACE") == nullptr) GTEST_SKIP() << "POLYTRACE names no program";
  }
  std::string file() const { return std::string(POLYTRACE_TEST_DATA "/") + GetParam(); }
};

TEST_P(service_json, is_what_info_prints) {
  const Input input({.file = file()});
  EXPECT_EQ(info_json(*ask_contents(input)), printed("info --json " + file()));
}

TEST_P(service_json, is_what_check_prints) {
  const Input input({.file = file()});
  EXPECT_EQ(check_json(*ask_contents(input), Strictness::lenient),
            printed("check --json " + file()));
}

TEST_P(service_json, is_what_report_prints) {
  Input input({.file = file()});
  const ReportQuestion question{.selection = {.from = "10%"}, .table = {"", 20}};
  EXPECT_EQ(report_json(*ask_report(input, question)),
            printed("report --json --from 10% " + file()));
}

TEST_P(service_json, is_what_heap_prints) {
  const Input input({.file = file()});
  HeapQuestion question;
  question.what = HeapQuestion::What::classes;
  question.table = {"", 20};
  const auto answer = ask_heap(input, question);
  EXPECT_EQ(answer ? report_json(*answer) : "", printed("heap --classes --json " + file()));
}

TEST_P(service_json, is_what_diff_prints) {
  DiffQuestion question{.before = {file()}, .after = {file()}};
  question.options.table = {"", 20};
  EXPECT_EQ(diff_json(*ask_diff(question, Asking{})),
            printed("diff --json " + file() + " " + file()));
}

TEST_P(service_json, is_what_state_prints) {
  const Input input({.file = file()});
  const StateAnswer answer = ask_state(input, {.at = "50%", .keep = false});
  EXPECT_EQ(answer.moment ? state_json(file(), *answer.moment, false) : "",
            printed("state --no-cache --at 50% --json " + file()));
}

INSTANTIATE_TEST_SUITE_P(sample, service_json,
                         testing::Values("../../examples/everything.mlpd",
                                         "../../examples/shop.trcxml", "mlpd/heapshot.mlpd.gz",
                                         "mlpd/bad_event.mlpd", "mlpd/locks.mlpd"),
                         [](const auto& of) { return "n" + std::to_string(of.index); });

}  // namespace
}  // namespace polytrace::service::test
