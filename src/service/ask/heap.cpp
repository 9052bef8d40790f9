// SPDX-License-Identifier: Apache-2.0
#include "service/ask/heap.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "analysis/heap/graph/weak.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/heap/tables.hpp"
#include "base/codes.hpp"
#include "exports/snapshots/heap_dump.hpp"

namespace polytrace::service {
namespace {

using analysis::HeapGraph;
using analysis::HeapStudy;
using analysis::HeapView;
using analysis::Table;
using base::Code;

// Out of a study that has read everything.
class HeapAnswers {
 public:
  using ReadAgain = std::function<void(event::Consumer&)>;

  HeapAnswers(const HeapStudy& study, const HeapQuestion& question, ReadAgain read_again)
      : study_(study),
        question_(question),
        options_(question.table),
        read_again_(std::move(read_again)),
        dominators_(analysis::Dominators::of(study.graph())),
        fields_(study.fields(), study.names(), study.chosen().value_or(0)),
        view_{study.graph(), dominators_, study.names(), &fields_, &study.stacks()} {}

  base::result<std::vector<Table>> take() {
    if (auto done = answer(); !done) return base::Unexpected(done.error());
    return std::move(tables_);
  }

 private:
  base::result<void> answer() {
    using What = HeapQuestion::What;
    switch (question_.what) {
      case What::classes: tables_.push_back(class_table(view_, options_)); return {};
      case What::dominators: tables_.push_back(dominator_table(view_, options_)); return {};
      case What::suspects: add_suspects(options_); return {};
      case What::unreachable: tables_.push_back(unreachable_table(view_, options_)); return {};
      case What::referrers: return referrers(question_.subject);
      case What::path: return path(question_.subject);
      case What::summary: break;
    }
    summary();
    return {};
  }
  // Asked again once the fields are known that the answer is made of.
  template <class Ask>
  Table with_fields(const Ask& ask) {
    Table table = ask();
    if (!fields_.wants_pass()) return table;
    read_again_(fields_);
    return ask();
  }
  void add_suspects(const analysis::TableOptions& options) {
    Table table = with_fields([&] { return suspect_table(view_, study_.snapshots(), options); });
    if (table.rows.empty() && dominators_.reached_objects() != 0) {
      table.rows.push_back({std::string("(none)"), analysis::Cell{}, analysis::Cell{},
                            analysis::Cell{},
                            std::string("no object, class or growth makes up a tenth of it")});
    }
    tables_.push_back(std::move(table));
  }
  void summary() {
    constexpr std::uint64_t kMostSuspects = 5;
    add_suspects({"", options_.limit == 0 ? 0 : kMostSuspects});
    tables_.push_back(class_table(view_, options_));
    tables_.push_back(snapshot_table(study_.snapshots(), options_));
    Table& list = tables_.back();
    const auto left = study_.graph().objects() - dominators_.reached_objects();
    if (left == 0) return;
    const auto weakly =
        std::ranges::count(analysis::reached_only_weakly(study_.graph(), dominators_), true);
    list.notes.push_back(fmt::format(
        "No root of snapshot {} reaches {} of its objects{} (--unreachable).",
        study_.chosen().value_or(0), left,
        weakly == 0 ? "" : fmt::format(", {} of them only by weak references", weakly)));
  }
  base::result<HeapGraph::Index> object(std::string_view text) const {
    const HeapGraph::Index found = view_.find(text);
    if (found == HeapGraph::kNone)
      return base::fail(Code::usage, fmt::format("snapshot {} has no object and no class \"{}\"",
                                                 study_.chosen().value_or(0), text));
    return found;
  }
  // By its id, or as the class that it is itself: not by the class of it.
  bool names_object(std::string_view text, HeapGraph::Index found) const {
    return text.starts_with("0x") ||
           (text.starts_with("class ") && view_.class_name(found) == text);
  }
  base::result<void> referrers(std::string_view text) {
    const auto found = object(text);
    if (!found) return base::Unexpected(found.error());
    tables_.push_back(
        names_object(text, *found)
            ? object_referrers(view_, *found, options_)
            : class_referrers(view_, study_.names().class_name(view_.type(*found)), options_));
    note_others(text, *found);
    return {};
  }
  base::result<void> path(std::string_view text) {
    const auto found = object(text);
    if (!found) return base::Unexpected(found.error());
    tables_.push_back(with_fields([&] { return path_table(view_, *found, options_); }));
    note_others(text, *found);
    return {};
  }
  // A part of several names: which of them was meant, and how to ask for another.
  void note_others(std::string_view text, HeapGraph::Index found) {
    constexpr std::size_t kMostNames = 5;
    const std::string taken = study_.names().class_name(view_.type(found));
    if (names_object(text, found) || taken == text) return;
    std::vector<std::string> others = view_.classes_with(text);
    std::erase(others, taken);
    if (others.empty()) return;
    const std::size_t left = others.size() - std::min(others.size(), kMostNames);
    others.resize(others.size() - left);
    std::string note =
        fmt::format("No class is named \"{}\"; taken for {}. Others with it: {}{}.", text, taken,
                    fmt::join(others, ", "), left == 0 ? "" : fmt::format(" and {} more", left));
    if (question_.ask_other) note += ' ' + question_.ask_other(others.front());
    tables_.back().notes.push_back(std::move(note));
  }

  const HeapStudy& study_;
  const HeapQuestion& question_;
  const analysis::TableOptions& options_;
  ReadAgain read_again_;
  analysis::Dominators dominators_;
  analysis::ReferenceFields fields_;
  HeapView view_;
  std::vector<Table> tables_{};
};

// What a table refers to whose rows come later.
struct KeptView {
  explicit KeptView(std::shared_ptr<const HeapStudy> of)
      : study(std::move(of)),
        dominators(analysis::Dominators::of(study->graph())),
        view{study->graph(), dominators, study->names(), nullptr, &study->stacks()} {}

  std::shared_ptr<const HeapStudy> study;
  analysis::Dominators dominators;
  HeapView view;
};

Table dominators_later(std::shared_ptr<const HeapStudy> study) {
  const auto kept = std::make_shared<const KeptView>(std::move(study));
  return analysis::dominator_table_later({kept, &kept->view});
}

// What the first pass did not keep; it told the faults already. A pipe is gone by then.
void read_again(const Input& input, event::Consumer& consumer) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(input.name(), fault)) return;
  if (auto opened = input.open()) static_cast<void>(pass(input, *opened->reader, consumer));
}

struct Studied {
  Reading reading;
  std::unique_ptr<HeapStudy> study;
};
// Refused where nothing can be said of a snapshot that is `needed`.
Asked<Studied> study_heap(const Input& input, WantedSnapshot snapshot, event::RefStrength keeps,
                          bool needed) {
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  // A dump has its classes in the order of `export --to hprof`, which knows no format.
  const auto objects =
      needed ? analysis::HeapObjects::may_be_bare : analysis::objects_of(*opened->format);
  Studied studied{{}, std::make_unique<HeapStudy>(snapshot, keeps, objects)};
  studied.reading.passed = pass(input, *opened->reader, *studied.study);
  studied.reading.origin = origin_of(input, *opened);
  studied.study->finish();
  const bool has_none = studied.study->snapshots().empty() && !studied.reading.passed.is_partial();
  if (!studied.study->chosen() && (snapshot || has_none || needed))
    return refuse(exports::find_snapshot(*studied.study, snapshot).error(), input.name());
  return studied;
}

base::result<void> write_dump(const HeapView& view, const DumpTarget& target) {
  auto sink = base::create_sink(target.file, target.force);
  if (!sink) return base::Unexpected(sink.error());
  if (auto done = exports::write_heap_dump(view, **sink); !done) return done;
  return (*sink)->commit();
}

}  // namespace

Asked<TableAnswer> ask_heap(const Input& input, const HeapQuestion& question) {
  using event::RefStrength;
  auto studied =
      study_heap(input, question.snapshot,
                 question.soft_is_weak ? RefStrength::unknown : RefStrength::soft, false);
  if (!studied) return tl::unexpected(studied.error());
  TableAnswer answer;
  answer.reading = std::move(studied->reading);
  answer.start = studied->study->names().first_time();
  if (question.what == HeapQuestion::What::dominators && question.rows_later) {
    answer.tables.push_back(dominators_later(std::move(studied->study)));
    return answer;
  }
  HeapAnswers answers(*studied->study, question,
                      [&](event::Consumer& consumer) { read_again(input, consumer); });
  auto tables = answers.take();
  if (!tables) return refuse(tables.error(), input.name());
  answer.tables = std::move(*tables);
  return answer;
}

// What is written for other tools has all references: they judge themselves.
Asked<Dumped> dump_heap(const Input& input, WantedSnapshot snapshot, const DumpTarget& target) {
  auto studied = study_heap(input, snapshot, event::RefStrength::phantom, true);
  if (!studied) return tl::unexpected(studied.error());
  if (keeps_old(studied->reading.passed, target.file)) return Dumped{std::move(studied->reading)};
  const HeapStudy& study = *studied->study;
  const auto dominators = analysis::Dominators::of(study.graph());
  analysis::ReferenceFields fields(study.fields(), study.names(), study.chosen().value_or(0));
  if (auto done = write_dump({study.graph(), dominators, study.names(), &fields}, target); !done)
    return refuse(done.error(), target.file);
  return Dumped{std::move(studied->reading), true};
}

}  // namespace polytrace::service
