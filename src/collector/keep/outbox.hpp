// SPDX-License-Identifier: Apache-2.0
// Rows on disk until the store has them: numbered batches, each a block of rows of one table, in
// files that are only appended to and go once all of theirs was sent. What it gives is on the
// medium, so that a number never stands for other rows than before a crash. Thread-safe.
#pragma once

#include <filesystem>
#include <memory>
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

class Outbox {
 public:
  // Finds what waits; what a crash tore off at the end is cut off. Errors: open_failed,
  // read_failed, write_failed.
  static base::result<Outbox> open(OutboxOptions options);
  Outbox(Outbox&&) noexcept;
  Outbox& operator=(Outbox&&) noexcept;
  ~Outbox();

  // Its number. Errors: limit_exceeded (it is full), write_failed; nothing was appended then.
  base::result<std::uint64_t> append(const Block& block);
  // Brings what was appended to the medium. After an error all that was appended since the last
  // sync is gone, and its numbers are given again.
  base::result<void> sync();

  struct Batch {
    std::uint64_t number = 0;
    Block block{};
    bool again = false;  // it was there when this began: it may have been sent before
  };
  // The oldest batch on the medium that was not sent, from that number on; nothing: none. What
  // cannot be read is passed over and counted. Errors: read_failed.
  base::result<std::optional<Batch>> next(std::uint64_t from = 0) const;
  // Of what was sent no file stays longer than others of its file wait.
  void sent(std::uint64_t number);

  std::uint64_t bytes() const;    // of its files
  std::uint64_t waiting() const;  // batches
  bool over_high() const;
  std::uint64_t damaged() const;  // batches that could not be read

 private:
  struct State;
  explicit Outbox(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace polytrace::collector
