// SPDX-License-Identifier: Apache-2.0
// An opened index as its questions and its reader use it: which frame has what, what indexes and
// numbers stand for, and decoded blocks. Immutable once it is open; any number of threads.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "store/file/commits.hpp"
#include "store/file/directory.hpp"
#include "store/file/notes.hpp"
#include "store/file/order.hpp"
#include "store/file/whole_layout.hpp"
#include "store/read/call_ends.hpp"
#include "store/read/call_frames.hpp"
#include "store/read/entities.hpp"
#include "store/read/paths.hpp"
#include "store/read/row_frames.hpp"
#include "store/read/row_view.hpp"

namespace polytrace::store {

// Decoded blocks, kept while there is room: those that were used last. Any thread.
class BlockCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  explicit BlockCache(std::size_t most = kMostBytes) : most_(most) {}

  // Null when it is not there.
  std::shared_ptr<const CallBlock> find(std::size_t key);
  void keep(std::size_t key, std::shared_ptr<const CallBlock> block);

 private:
  struct Kept {
    std::size_t key;
    std::shared_ptr<const CallBlock> block;
  };

  std::size_t most_;
  std::mutex mutex_;  // guards what follows
  std::size_t bytes_ = 0;
  std::list<Kept> blocks_;  // the last used first
  std::unordered_map<std::size_t, std::list<Kept>::iterator> places_;
};

class IndexFrames final : public CallFrames, public RowFrames, public RowMeanings {
 public:
  // Errors: those of frames; value_unexpected where entries do not fit together.
  static base::result<std::shared_ptr<const IndexFrames>> open(
      std::shared_ptr<const IndexView> view);

  const IndexView& view() const { return *view_; }
  const Entities& entities() const { return entities_; }
  const Texts& texts() const { return texts_; }
  const Notes& notes() const { return notes_; }
  // By index; empty before the trace was read to its end.
  const std::vector<ThreadWhole>& thread_wholes() const { return thread_wholes_; }
  // By index; empty as well where the builder had no room for them.
  const std::vector<MethodWhole>& method_wholes() const { return method_wholes_; }
  // Of a lock whose row tells none; kNoIndex: nothing else does.
  std::uint32_t lock_class(base::Id object) const;
  base::Id method_id(std::uint32_t method) const {
    return method < method_ids_.size() ? method_ids_[method] : base::kNoId;
  }

  // --- of calls ---
  std::uint32_t threads() const override { return static_cast<std::uint32_t>(threads_.size()); }
  const Paths& paths() const override { return paths_; }
  std::span<const Block> blocks(std::uint32_t thread) const override;
  std::span<const CallFrames::Sums> sums(std::uint32_t thread) const override;
  base::result<std::shared_ptr<const slice::Pauses>> pauses() const override;
  std::span<const CallFrames::Sums> pause_sums(std::uint32_t thread) const override;
  std::span<const CallFrames::Sums> pause_parts(std::uint32_t thread) const override;
  std::span<const Cells> cells(std::uint32_t thread) const override;
  std::span<const Cells> series(std::uint32_t thread) const override;
  base::result<At> find(std::uint64_t number) const override;
  base::result<base::Bytes> payload(std::uint32_t thread, std::uint32_t place) const override;
  base::result<base::Bytes> payload(const CallFrames::Sums& sums) const override;
  base::result<base::Bytes> payload(const Cells& cells) const override;
  base::result<CallEnds::Ends> ends(std::uint32_t thread) const override;
  base::result<std::shared_ptr<const CallBlock>> block(std::uint32_t thread,
                                                       std::uint32_t place) const override;
  // How many of the thread's events are before each of its blocks, and, last, in all.
  std::span<const std::uint64_t> events_before(std::uint32_t thread) const;

  // --- of rows ---
  std::span<const RowFrames::Sums> sums(SumKind kind) const override;
  base::result<base::Bytes> payload(const RowFrames::Sums& sums) const override;
  base::result<base::Bytes> segment(event::Kind kind, u64 first_row) const override;
  struct Segment {
    std::uint64_t first_row;
    std::uint32_t rows;
    std::size_t entry;
  };
  std::span<const Segment> segments(event::Kind kind) const;
  // Whether a row tells at least that of a field that holds numbers.
  base::result<bool> has_rows(event::Kind kind, std::string_view field, u64 least) const;

  // --- of the order: parts one after the other ---
  struct OrderPart {
    std::uint64_t first;  // ordinal
    std::uint32_t events;
    std::size_t entry;
  };
  std::span<const OrderPart> order() const { return order_; }

  // --- what numbers in rows stand for ---
  base::Id thread(u64 index) const override;
  base::Id subject(event::Kind kind, u64 number) const override;
  base::Id class_id(u64 index) const override;
  std::string_view text(u64 id) const override { return texts_.text(id); }
  void frames(u64 path, std::vector<base::Id>& to) const override;

 private:
  struct Thread {
    std::vector<Block> blocks;
    std::vector<std::size_t> entries;  // of each block
    std::vector<std::uint64_t> before;
    std::vector<CallFrames::Sums> sums;
    std::vector<CallFrames::Sums> pause_sums;
    std::vector<CallFrames::Sums> pause_parts;
    std::vector<Cells> cells;
    std::vector<Cells> series;
  };
  struct Numbered {
    std::uint64_t number;
    At at;
  };

  explicit IndexFrames(std::shared_ptr<const IndexView> view) : view_(std::move(view)) {}
  base::result<void> read_meanings();
  base::result<void> read_streams();
  base::result<void> take_meaning(std::size_t entry);
  base::result<void> take_whole(std::size_t entry, base::Bytes content);
  base::result<void> take_stream(std::size_t entry);
  base::result<void> take_block(std::size_t entry);
  base::result<void> take_call_sums(std::size_t entry);
  base::result<void> take_cells(std::size_t entry);
  base::result<void> take_series(std::size_t entry);
  base::result<std::uint32_t> first_of(std::uint32_t thread, std::size_t entry) const;
  base::result<void> take_rows(std::size_t entry);
  base::result<void> take_row_sums(std::size_t entry);
  base::result<slice::Pauses> read_pauses() const;
  base::Unexpected misfit(std::size_t entry) const;

  std::shared_ptr<const IndexView> view_;
  Texts texts_;
  Entities entities_;
  Paths paths_;
  Notes notes_;
  std::vector<ThreadWhole> thread_wholes_;
  std::vector<MethodWhole> method_wholes_;
  std::vector<LockWhole> lock_wholes_;  // in order of their objects
  std::vector<base::Id> method_ids_;
  std::vector<Thread> threads_;    // by index
  std::vector<Numbered> numbers_;  // of blocks, in order
  std::array<std::vector<Segment>, event::kKindCount> segments_;
  std::array<std::vector<RowFrames::Sums>, kSumKinds.size()> row_sums_;
  std::vector<OrderPart> order_;
  CallEnds ends_;
  mutable std::mutex pauses_mutex_;  // guards what follows
  mutable std::shared_ptr<const slice::Pauses> pauses_;
  mutable BlockCache cache_;
};

}  // namespace polytrace::store
