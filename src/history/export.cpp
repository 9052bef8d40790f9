// SPDX-License-Identifier: Apache-2.0
#include "history/interchange.hpp"

#include <functional>
#include <string>

#include "history/csv/csv_writer.hpp"
#include "history/model/interval_sorter.hpp"

namespace polytrace::history {

using base::result;

namespace {

class Exporter {
 public:
  Exporter(const History& history, base::Sink& sink, const ExportOptions& options)
      : history_(history), options_(options), writer_(sink, options.form) {}

  result<std::uint64_t> run() {
    const bool changes = options_.form == CsvForm::changes;
    for (const Key key : history_.keys()) {
      const Tree::Node node = history_.tree().node(key);
      if (options_.form != CsvForm::keys && node == Tree::kNone) {
        ++left_out_;
        continue;
      }
      auto done = changes ? add_changes(key) : add_intervals(key, node);
      if (!done) return base::Unexpected(done.error());
    }
    auto done = changes ? sorter_.deliver([this](auto some) { return write_changes(some); })
                        : result<void>{};
    if (done) done = writer_.finish();
    if (!done) return base::Unexpected(done.error());
    return left_out_;
  }

 private:
  result<void> each(Key key, const std::function<result<void>(const Interval&)>& take) {
    result<void> state;
    const auto done = history_.range(key, options_.from, options_.to, [&](const Interval& one) {
      state = take(one);
      return state.has_value();
    });
    return done ? state : done;
  }

  result<void> add_intervals(Key key, Tree::Node node) {
    const std::string path = node == Tree::kNone ? "" : history_.tree().path(node);
    return each(key, [&](const Interval& one) {
      return writer_.add(
          {.key = key, .path = path, .start = one.start, .end = one.end, .value = one.value});
    });
  }

  // Where a gap follows, a change to null says so as well as changes can.
  result<void> add_changes(Key key) {
    bool open = false;
    Tick end = 0;
    const auto close = [&](Tick next) -> result<void> {
      if (!open || next == end + 1) return {};
      const Interval gap{.key = key, .start = end + 1, .end = end + 1};
      return sorter_.add(std::span(&gap, 1));
    };
    auto done = each(key, [&](const Interval& one) -> result<void> {
      if (auto closed = close(one.start); !closed) return closed;
      open = true;
      end = one.end;
      return sorter_.add(std::span(&one, 1));
    });
    return !done || end >= history_.facts().end ? done : close(end);
  }

  result<void> write_changes(std::span<const Interval> some) {
    for (const Interval& one : some) {
      const std::string path = history_.tree().path(history_.tree().node(one.key));
      auto done = writer_.add({.path = path, .start = one.start, .value = one.value});
      if (!done) return done;
    }
    return {};
  }

  const History& history_;
  const ExportOptions& options_;
  CsvWriter writer_;
  IntervalSorter sorter_{IntervalOrder::by_time};
  std::uint64_t left_out_ = 0;
};

}  // namespace

result<std::uint64_t> export_rows(const History& history, base::Sink& sink,
                                  const ExportOptions& options) {
  return Exporter(history, sink, options).run();
}

}  // namespace polytrace::history
