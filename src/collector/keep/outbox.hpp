// SPDX-License-Identifier: Apache-2.0
// Rows on disk until the store has them: numbered batches, each a block of rows of one table, in
// files that are only appended to and go once all of theirs was sent. What it gives is on the
// medium, so that a number never stands for other rows than before a crash. Thread-safe.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.hpp"
#include "collector/send/blocks.hpp"

namespace polytrace::collector {

struct OutboxOptions {
  std::filesystem::path folder;
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of all files
  double high = 0.8;                             // of these
  std::uint64_t file_bytes = std::uint64_t{16} << 20;
};

// The batches of one shard of so many. What waits for a shard that there is no more goes to one
// that is left: nobody can ask whether the old one had it.
struct OfShard {
  std::uint32_t shard = 0, shards = 1;
  bool has(std::uint32_t number) const { return number % shards == shard; }
};

class Outbox {
 public:
  // Finds what waits; what a crash tore off at the end is cut off. Errors: open_failed,
  // read_failed, write_failed.
  static base::result<Outbox> open(OutboxOptions options);
  Outbox(Outbox&&) noexcept;
  Outbox& operator=(Outbox&&) noexcept;
  ~Outbox();

  // Whoever appends holds it until what was appended is synced: where syncing fails, what others
  // appended would be gone, too.
  std::unique_lock<std::mutex> turn();
  // Its number. Errors: limit_exceeded (it is full), write_failed; nothing was appended then.
  base::result<std::uint64_t> append(const Block& block);
  // Brings what was appended to the medium. After an error all that was appended since the last
  // sync is gone, and its numbers are given again.
  base::result<void> sync();

  struct Batch {
    std::uint64_t number = 0;
    Block block{};
    bool again = false;               // it was there when this began: it may have been sent before
    std::vector<std::byte> packed{};  // the block as it lies there
  };
  // The oldest batch on the medium that was not sent and nobody has, and those behind it that are
  // of the same table, database and day, while their rows together take no more than so many bytes;
  // 0: the oldest alone. Whoever takes them has them until they were sent or are given back.
  // Positions of streams overtake nothing: they come when all before them was sent, and of them
  // those that follow at once. Empty: none. What cannot be read is passed over and counted. Errors:
  // read_failed.
  base::result<std::vector<Batch>> take_alike(OfShard of, std::size_t most_bytes);
  void give_back(std::uint64_t number);
  // Given back, and passed over from now on, until take_up() of that shard, which tells how many.
  void set_aside(std::uint64_t number);
  std::uint64_t take_up(OfShard of);
  bool has_aside(OfShard of) const;
  // Of what was sent no file stays longer than others of its file wait.
  void sent(std::uint64_t number);

  std::uint64_t bytes() const;                   // of its files
  std::uint64_t waiting(OfShard of = {}) const;  // batches
  // Of a batch that was appended later; and of the oldest that waits and is not set aside, or the
  // same where none does.
  std::uint64_t end() const;
  std::uint64_t first_waiting() const;
  bool over_high() const;
  bool over_most() const;         // above the middle between that and full
  std::uint64_t damaged() const;  // batches that could not be read

 private:
  struct State;
  explicit Outbox(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace polytrace::collector
