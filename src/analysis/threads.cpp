// SPDX-License-Identifier: Apache-2.0
#include "analysis/threads.hpp"

#include <fmt/format.h>

#include "analysis/rows.hpp"
#include "analysis/selected.hpp"
#include "analysis/text.hpp"

namespace polytrace::analysis {
namespace {

// Names keeps the threads already: there is nothing to collect.
class Threads : public Analysis {
 public:
  explicit Threads(const Selection& selection) : selection_(selection) {}

  void consume(const Slice&) override {}
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  Selection selection_;
};

std::vector<Table> Threads::tables(const Names& names, const TableOptions& options) const {
  Table table = make_table("threads", "threads", "Threads",
                           {{"thread", "Thread"},
                            {"id", "Id", Unit::address},
                            {"first", "First event", Unit::time},
                            {"last", "Last event", Unit::time},
                            {"alive", "Seen for", Unit::nanoseconds},
                            {"events", "Events", Unit::count},
                            {"ended", "Ended"}});
  for (std::uint32_t i = 0; i < names.threads().size(); ++i) {
    const ThreadInfo& thread = names.threads()[i];
    if (thread.id == base::kNoId) continue;  // what the file's head says is no thread's
    std::string name = names.thread_name(i);
    if (selection_.thread && *selection_.thread != thread.id) continue;
    if (!keeps(selection_, name)) continue;
    table.rows.push_back({std::move(name), thread.id, time_cell(thread.first),
                          time_cell(thread.last), elapsed(thread.first, thread.last), thread.events,
                          std::string(thread.ended ? "yes" : "no")});
  }
  sort_and_limit(table, options, "");
  return {std::move(table)};
}

std::vector<std::string> Threads::headlines(const Names& names) const {
  std::uint64_t count = 0;
  std::uint64_t ended = 0;
  for (const ThreadInfo& thread : names.threads()) {
    if (thread.id == base::kNoId) continue;
    ++count;
    if (thread.ended) ++ended;
  }
  if (count == 0) return {};
  return {fmt::format("{}, {} ended in the trace", count_text(count, "thread", "threads"), ended)};
}

}  // namespace

std::unique_ptr<Analysis> make_threads(const Selection& selection) {
  return std::make_unique<Threads>(selection);
}

}  // namespace polytrace::analysis
