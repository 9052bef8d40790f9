// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/heap_growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/heap/growth.hpp"
#include "analysis/heap/study.hpp"
#include "cli/frame/notices_view.hpp"
#include "service/words/numbers.hpp"
#include "exports/snapshots/heap_dump.hpp"

namespace polytrace::cli {
namespace {

using analysis::HeapStudy;
using analysis::Table;

using WantedSnapshot = std::optional<std::uint64_t>;  // absent: the last complete one

// A file, and its figures by class at one snapshot.
struct HeapSide {
  InputOptions options;
  WantedSnapshot wanted;
  std::unique_ptr<Input> input{};
  std::optional<format::Opened> opened{};
  Passed passed{};
  std::size_t snapshot = 0;
  std::vector<analysis::NamedFigures> figures{};
  std::vector<std::string> notes{};
  base::Time start = base::kNoTime;
};

class BothStudies final : public event::Consumer {
 public:
  BothStudies(HeapStudy& one, HeapStudy& other) : one_(one), other_(other) {}
  bool consume(const event::Batch& batch) override {
    return one_.consume(batch) && other_.consume(batch);
  }

 private:
  HeapStudy& one_;
  HeapStudy& other_;
};

// These give 0, or tell what is wrong and give the exit code.

int open_heap(const Session& session, HeapSide& side) {
  side.input = std::make_unique<Input>(side.options);
  auto opened = side.input->open();
  if (!opened) return session.fail(opened.error(), side.input->name());
  side.opened.emplace(std::move(*opened));
  return 0;
}

// `read`: the side whose file the study is of.
int take_figures(const Session& session, const HeapSide& read, const HeapStudy& study,
                 HeapSide& side) {
  const std::string& file = read.input->name();
  if (!study.chosen()) {
    tell_notices(session, file, read.passed.notices);
    const int code = session.fail(exports::find_snapshot(study, side.wanted).error(), file);
    return read.passed.is_partial() ? read.passed.exit_code() : code;
  }
  const auto dominators = analysis::Dominators::of(study.graph());
  side.snapshot = *study.chosen();
  side.start = study.names().first_time();
  side.figures =
      named_figures(study.snapshots()[side.snapshot], {study.graph(), dominators, study.names()});
  if (!dominators.roots_told())
    side.notes.push_back(
        fmt::format("Snapshot {} of {} has no roots: what nothing refers to was taken for one.",
                    side.snapshot, file));
  return 0;
}

int read_heap(const Session& session, HeapSide& side) {
  if (const int code = open_heap(session, side); code != 0) return code;
  HeapStudy study(side.wanted);
  side.passed = pass(session, *side.input, *side.opened->reader, study);
  study.finish();
  return take_figures(session, side, study, side);
}

// Two snapshots of one file in one pass; `before` has none of its own.
int read_both(const Session& session, HeapSide& before, HeapSide& after,
              const analysis::TableOptions& options, Table& sites) {
  if (const int code = open_heap(session, after); code != 0) return code;
  HeapStudy first(before.wanted), second(after.wanted);
  second.follow_sites();
  BothStudies both(first, second);
  after.passed = pass(session, *after.input, *after.opened->reader, both);
  first.finish();
  second.finish();
  if (const int code = take_figures(session, after, first, before); code != 0) return code;
  if (const int code = take_figures(session, after, second, after); code != 0) return code;
  sites = second.sites()->growth(before.snapshot, after.snapshot, second.names(), options);
  return 0;
}

base::result<void> parse_ends(std::string_view text, WantedSnapshot& from, WantedSnapshot& to) {
  if (text.empty()) return {};
  const std::size_t comma = std::min(text.find(','), text.size());
  from = service::parse_number<std::uint64_t>(text.substr(0, comma));
  to = service::parse_number<std::uint64_t>(text.substr(std::min(comma + 1, text.size())));
  if (from && to) return {};
  return base::fail(base::Code::usage, "--growth takes two numbers of snapshots, as in 0,3");
}

}  // namespace

int answer_growth(Session& session, const GrowthQuestion& question) {
  const analysis::TableOptions options = question.output.options();
  HeapSide before{question.reading, {}}, after{question.reading, {}};
  if (auto good = parse_ends(question.ends, before.wanted, after.wanted); !good)
    return session.fail(good.error());
  before.options.file = question.files.front();
  after.options.file = question.files.back();
  const bool two = question.files.size() == 2;
  Table sites;
  int code = two ? read_heap(session, before) : read_both(session, before, after, options, sites);
  if (two && code == 0) code = read_heap(session, after);
  if (code != 0) return code;
  Table table = growth_table(analysis::growth_between(before.figures, after.figures), options);
  const auto name = [&](const HeapSide& side) {
    return two ? fmt::format("{} of {}", side.snapshot, side.input->name())
               : fmt::format("{}", side.snapshot);
  };
  table.title = fmt::format("Growth by class from snapshot {} to {}", name(before), name(after));
  for (HeapSide* side : {&before, &after})
    std::ranges::move(side->notes, std::back_inserter(table.notes));
  if (sites.rows.empty()) std::ranges::move(sites.notes, std::back_inserter(table.notes));
  std::vector<Table> tables{std::move(table)};
  if (!sites.rows.empty()) tables.push_back(std::move(sites));
  const slice::Selection everything;
  ReportResult result{*after.input, *after.opened, after.passed,
                      everything,   after.start,   std::move(tables)};
  std::optional<ReportSource> source;
  if (two) result.before = &source.emplace(*before.input, *before.opened, before.passed);
  return answer(session, std::move(result), question.output);
}

}  // namespace polytrace::cli
