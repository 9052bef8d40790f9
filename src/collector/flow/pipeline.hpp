// SPDX-License-Identifier: Apache-2.0
// Everything behind the sockets: bytes of streams go in, rows go to the store. Its threads are a
// keeper, workers, a packer and couriers; between them lies, in bytes, no more than what agents
// have credit for, and the outbox. After a crash it goes on where the disk says.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "collector/aggregate/novelty.hpp"
#include "collector/config/config.hpp"
#include "collector/flow/courier.hpp"
#include "collector/flow/keeper.hpp"
#include "collector/flow/owner_book.hpp"
#include "collector/flow/packer.hpp"
#include "collector/objects/pins.hpp"

namespace polytrace::collector {

class Pipeline {
 public:
  // Takes up what the folder holds. `news`: something of a stream has changed: take_news(); any
  // thread calls it. Errors: of the folder's files.
  static base::result<std::unique_ptr<Pipeline>> open(const Config& config, Targets targets,
                                                      Figures& figures, Tell tell,
                                                      std::function<void()> news);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  // --- the loop's thread ---
  // Of that process, from now on by that connection; refused where `why` says so.
  StreamPtr begin(std::uint64_t id, const Owner& owner, std::uint64_t connection, Refused& why);
  // Bytes of the stream that need not come again.
  std::uint64_t resume_offset(std::uint64_t id, const Owner& owner);
  // Whether the store may have rows of it and nothing here tells: this folder is younger.
  bool may_be_known_elsewhere(std::uint64_t id, const Owner& owner) const;
  // Of a stream that was adopted: whose it is from now on.
  void note_owner(std::uint64_t id, const Owner& owner);
  // Where the rows of that stream go; null: nothing is known of it here, or it is no tenant's.
  const std::string* database_of_stream(std::uint64_t id);
  void come(const StreamPtr& stream, std::uint64_t connection, std::uint64_t offset);
  void take(const StreamPtr& stream, std::uint64_t connection, std::vector<std::byte> bytes);
  void end(const StreamPtr& stream, std::uint64_t connection);
  void leave(const StreamPtr& stream, std::uint64_t connection);
  std::vector<StreamPtr> take_news();
  // About once a second: closes windows of who says nothing, forgets who is gone.
  void look_around();
  // Keeps what came, closes windows, sends rows, for about so long. Whether the store has all.
  bool drain(std::chrono::seconds patience);

  void set_labels(const LabelList& labels);

  // --- any thread ---
  // A stream of which nothing is known here goes on where the row says, once its blocks come;
  // false: not with this program. Errors: write_failed.
  base::result<bool> adopt(const warehouse::Stream& row);
  // Where rows of that user's programs go; null: they are no tenant's.
  const std::string* database_of(uid_t user) const;
  // For rows that others made: what is in it goes the same way.
  Outbox& outbox() { return outbox_; }
  void outbox_has_more() { couriers_.wake(); }

 private:
  // What the folder holds.
  struct Kept {
    Spool spool;
    Outbox outbox;
    ThinMarks marks;
    Checkpoint checkpoint;
    OwnerBook book;
    std::string name;
  };
  static base::result<Kept> open_folder(const Config& config);
  Pipeline(const Config& config, Kept kept, Targets targets, Figures& figures, Tell tell,
           std::function<void()> news);

  static constexpr base::Time kBehindEvents = 2 * kSecond;  // a window is open behind its end

  void restore();
  std::vector<std::uint64_t> known_streams();
  std::size_t replay();
  Keeper::Hands hands();
  StreamPtr find(std::uint64_t id);
  std::vector<StreamPtr> all();
  void add_news(const StreamPtr& stream);
  void give(KeptBlock&& block);

  // On the stream's worker.
  bool open_work(Stream& stream);
  void read_spool(Stream& stream);
  void work_on(const StreamPtr& stream, const BlockCutter::Block& block);
  void close_until(const StreamPtr& stream, base::Time wall);
  void finish(const StreamPtr& stream);
  void account(Stream& stream);
  void save(Stream& stream, Saved&& saved);
  void put_away(Stream& stream);
  void refuse(const StreamPtr& stream, Refused why, const std::string& text);
  AggregatorOptions how(const Stream& stream);
  base::result<void> open_pins(const std::string& name);
  void look_at_rows(Stream& stream, const std::string& database, const Rows& rows);
  base::result<void> put_rows(const Rows& rows, const std::string& database);
  void count_pins();

  void look_at(const StreamPtr& stream, base::Time now);
  void look_at_memory(const std::vector<StreamPtr>& streams);
  void forget_dropped();

  const Config config_;
  Figures& figures_;
  Tell tell_;
  std::function<void()> news_;
  Spool spool_;
  Outbox outbox_;
  ThinMarks marks_;
  Checkpoint checkpoint_;
  OwnerBook book_;
  const std::string name_;
  const base::Time begun_;  // wall time: the folder
  Novelty novelty_;

  std::unordered_map<uid_t, std::string> databases_;  // by user; empty: there are no tenants
  const std::string own_database_;                    // the store's

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, StreamPtr> streams_;
  std::vector<StreamPtr> changed_;
  LabelList labels_;
  unsigned looks_ = 0;

  Couriers couriers_;
  std::unique_ptr<Pins> pins_;
  Packer packer_;
  Workers workers_;
  std::unique_ptr<Keeper> keeper_;  // begins when all is restored
};

}  // namespace polytrace::collector
