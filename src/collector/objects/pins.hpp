// SPDX-License-Identifier: Apache-2.0
// What rules keep: looks at each window of each stream when it is closed, holds the spool's files
// with the blocks around those that a rule names (hard links, so that the ring may drop them), and
// hands them on once the stream has passed their end. All of it is on the disk: after a crash it
// goes on. Thread-safe, but for a stream's PinWatch.
#pragma once

#include <map>
#include <set>

#include "collector/config/rules.hpp"
#include "collector/keep/spool.hpp"
#include "collector/objects/pin_sender.hpp"
#include "collector/objects/pin_watch.hpp"

namespace polytrace::collector {

struct PinsOptions {
  PinSender::Options sender{};
  std::vector<Rule> rules{};
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of the files that are held
  std::uint64_t min_free = 0;                    // of their disk: with less no more are
  std::chrono::seconds keep{14 * 86400};         // so long, where they stay here
};

// Counted since the start, but for bytes.
struct PinFigures {
  std::atomic<std::uint64_t> kept{0};     // windows that rules named and that are held
  std::atomic<std::uint64_t> refused{0};  // and that are not: too many, or no room
  std::atomic<std::uint64_t> bytes{0};    // of files that are held
};

class Pins {
 public:
  // Takes up what the folder has. `spool` outlives it. Errors: write_failed, and those of
  // PinSender::open.
  static base::result<std::unique_ptr<Pins>> open(PinsOptions options, const Spool& spool,
                                                  PinSender::Hands hands);
  Pins(const Pins&) = delete;
  Pins& operator=(const Pins&) = delete;
  ~Pins() { stop(); }

  struct Whose {
    std::string service{};
    std::string tenant{};
    std::string database{};
  };

  // --- on the stream's worker ---
  // Before its next block: what was open of it is awaited.
  void begin(PinWatch& watch, std::uint64_t stream, std::uint64_t next);
  // A window was closed. `whose` is asked where a rule names it.
  void look(PinWatch& watch, std::uint64_t stream, const warehouse::Health10s& row, base::Time now,
            const std::function<Whose()>& whose);
  // Behind a block of the stream: up to which wall time it has come.
  void note(PinWatch& watch, std::uint64_t stream, std::uint64_t block, base::Time latest);
  // Its end; `next`: behind its last block.
  void finish(PinWatch& watch, std::uint64_t stream, std::uint64_t next);

  // --- any thread ---
  // Now and then: ends the wait for streams that say nothing, forgets what is old.
  void look_around(base::Time now);
  // Whether blocks of the stream are held here.
  bool holds(std::uint64_t stream) const;
  // No more is handed on; what waits goes on with the next start.
  void stop() {
    if (sender_) sender_->stop();
  }
  const PinFigures& figures() const { return figures_; }
  const PinSender& sender() const { return *sender_; }

 private:
  // Of a stream and the begin of a window.
  using Key = std::pair<std::uint64_t, base::Time>;
  // Windows of a rule, a database and an hour.
  using Hour = std::tuple<std::string, std::string, std::int64_t>;

  Pins(PinsOptions options, const Spool& spool, PinBook book, TellPin tell);

  void restore();
  bool is_covered(const Pin& pin, const std::string& rule) const;
  void admit(Pin& pin, const std::vector<const Rule*>& named);
  void refuse(const Pin& pin, const std::string& rule, const std::string& why);
  base::result<void> hold(Pin& pin, std::uint64_t last);
  void end(Pin& pin, std::uint64_t last);
  void end_passed(PinWatch& watch, std::uint64_t stream, base::Time latest, std::uint64_t last);
  void done(Pin&& pin);
  void release_files();
  std::uint64_t held_bytes() const;
  base::Time kept_behind() const;

  const PinsOptions options_;
  const Spool& spool_;
  const std::filesystem::path pinned_;  // the folder with the links
  PinBook book_;
  TellPin tell_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<Key, Pin> pins_;
  std::map<Hour, std::uint64_t> hours_;
  std::set<Hour> told_;  // that there are too many
  PinFigures figures_;
  base::Time looked_ = 0;
  std::unique_ptr<PinSender> sender_;  // last: its thread uses the rest
};

}  // namespace polytrace::collector
