// SPDX-License-Identifier: Apache-2.0
// How far the rows of each stream are, and what must be known to go on from there: one small file
// per stream, written beside it and renamed; beside it the stream's definitions, which are only
// appended to and outlive the spool's ring; and one journal of windows that were closed by the
// clock rather than by what a stream says. Streams are each one thread's at a time; note(), sync()
// and the rest are any thread's.
//
// The order that makes a crash harmless:
//   1. rows and closings of streams come: Outbox::append(), note()
//   2. sync() here, then Outbox::sync()
//   3. keep() what StreamWork::saved() gave before 1.
// What is between 2 and 3 is computed again, gets the same keys and replaces itself.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

// Before that block was taken, windows were closed as if the stream had come to that wall time.
struct Closing {
  std::uint64_t block = 0;
  base::Time until = 0;
};

struct Saved {
  std::uint64_t done = 0;         // the first block to take again
  std::uint64_t offset = 0;       // where it begins
  std::uint64_t definitions = 0;  // bytes of them that belong to it
  std::vector<std::byte> state{};
  std::vector<Closing> closings{};  // noted since: for who has no journal of them
};

class Checkpoint {
 public:
  // Errors: open_failed, read_failed, write_failed.
  static base::result<Checkpoint> open(std::filesystem::path folder);
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;
  ~Checkpoint();

  // Errors: write_failed; what was kept before stays.
  base::result<void> keep(std::uint64_t stream, const Saved& saved);
  // What somebody else knew of a stream that is new here, with its closings. Errors: as above;
  // then it is as new as before.
  base::result<void> adopt(std::uint64_t stream, const Saved& saved);
  // Writes at `offset` of the stream's definitions; keep() brings them to the medium.
  base::result<void> define(std::uint64_t stream, std::uint64_t offset, base::Bytes bytes);
  base::result<void> note(std::uint64_t stream, const Closing& closing);
  base::result<void> sync();  // what was noted

  struct Known {
    Saved saved{};
    std::vector<std::byte> definitions{};
    std::vector<Closing> closings{};  // from `done` on, in order
  };
  // Nothing was kept and nothing noted of it: nothing. A damaged file counts as none (the stream
  // begins anew) and is told by damaged().
  base::result<std::optional<Known>> load(std::uint64_t stream) const;
  std::vector<std::uint64_t> streams() const;  // of which something is kept, in order
  bool has(std::uint64_t stream) const;
  // Where its definitions are, for who only reads them.
  static std::filesystem::path definitions_path(const std::filesystem::path& folder,
                                                std::uint64_t stream);
  void forget(std::uint64_t stream);
  std::uint64_t damaged() const;

 private:
  struct State;
  explicit Checkpoint(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace polytrace::collector
