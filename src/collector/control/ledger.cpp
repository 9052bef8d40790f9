// SPDX-License-Identifier: Apache-2.0
#include "collector/control/ledger.hpp"

#include <map>

namespace polytrace::collector {
namespace {

constexpr std::uint32_t kLedgerDay = 86'400;

}  // namespace

Ledger::Ledger(Outbox& outbox, std::function<void()> more, Figures& figures, Tell tell)
    : outbox_(outbox), more_(std::move(more)), figures_(figures), tell_(std::move(tell)) {
  thread_ = std::thread([this] { run(); });
}

Ledger::~Ledger() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    come_.notify_one();
  }
  thread_.join();
}

void Ledger::write(warehouse::CommandDone row, const std::string& database,
                   std::function<void(bool)> kept) {
  const std::scoped_lock lock(mutex_);
  entries_.push_back({std::move(row), database, std::move(kept)});
  come_.notify_one();
}

void Ledger::run() {
  for (;;) {
    std::vector<Entry> entries;
    bool stops = false;
    {
      std::unique_lock lock(mutex_);
      come_.wait(lock, [&] { return stopping_ || !entries_.empty(); });
      entries.swap(entries_);
      stops = stopping_;
    }
    const bool done = entries.empty() || put(entries);
    if (stops) return;
    for (const Entry& entry : entries) entry.kept(done);
  }
}

bool Ledger::put(const std::vector<Entry>& entries) {
  // A block is of one database and one month: a day does, and is never of two.
  std::map<std::pair<std::string, std::uint32_t>, std::vector<warehouse::CommandDone>> parts;
  for (const Entry& entry : entries)
    parts[{entry.database, entry.row.at / kLedgerDay}].push_back(entry.row);
  const auto done = [&]() -> base::result<void> {
    const auto turn = outbox_.turn();
    for (const auto& [place, rows] : parts) {
      Block block = block_of(rows);
      block.database = place.first;
      if (const auto number = outbox_.append(block); !number)
        return base::Unexpected(number.error());
    }
    return outbox_.sync();
  }();
  figures_.outbox_bytes = outbox_.bytes();
  if (!done) {
    tell_({Weight::warning,
           "outbox",
           {},
           0,
           "rows of commands cannot be kept: " + base::to_text(done.error())});
    return false;
  }
  for (const Entry& entry : entries) ++figures_.commands_total[entry.row.outcome];
  more_();
  return true;
}

}  // namespace polytrace::collector
