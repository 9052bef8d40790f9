// SPDX-License-Identifier: Apache-2.0
// Calls one by one in columns: thread after thread as they are asked for, of a thread in the order
// of their starts, of one start the caller first.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/ask/calls/open_calls.hpp"
#include "store/ask/calls/range.hpp"
#include "store/ask/method_blocks.hpp"

namespace polytrace::store {

// Of one thread, by call, at most kPageCalls.
inline constexpr std::size_t kPageCalls = 4096;
struct SlicePage {
  std::uint32_t thread = 0;  // index
  std::span<const SliceId> calls{};
  std::span<const base::Time> starts{};
  std::span<const base::Time> ends{};  // of a call that no leave ended, its thread's last event
  std::span<const std::uint32_t> paths{};
  std::span<const std::uint32_t> depths{};  // callers
  std::span<const SliceId> callers{};       // kNoSlice: none
  std::span<const EndKind> hows{};
  // ns without the calls that it made; kNoSelf: not known, the path is one of several. Empty where
  // they were not asked for.
  std::span<const std::uint64_t> selfs{};
};
inline constexpr std::uint64_t kNoSelf = ~std::uint64_t{0};

enum class SelfTimes : std::uint8_t { left_out, told };

// One thread at a time; others may scan the same index.
class SliceScan {
 public:
  // Calls that begin before the range's end and end in it or behind; of `methods`, null for all.
  // The frames must outlive it; so must what the range points to.
  SliceScan(const CallFrames& frames, Range range, const MethodSet* methods = nullptr,
            SelfTimes selfs = SelfTimes::left_out);

  // Null: there are no more. What it gives lives until it is called again. Errors: those of frames;
  // value_unexpected where they do not fit together; limit_exceeded when asked to stop.
  base::result<const SlicePage*> next();

 private:
  struct Slice {
    SliceId call;
    base::Time start, end;
    std::uint32_t path, depth;
    SliceId caller;
    EndKind how;
    std::uint64_t self;
  };

  base::result<bool> next_slices();
  bool next_thread();
  base::result<void> add_open_before();
  base::result<void> scan_block(std::uint32_t place);
  base::result<void> know_stack(std::uint32_t place);
  void walk(const CallBlock& block, std::uint64_t number);
  void find_hows(const CallBlock& block);
  base::result<void> end_late(std::size_t left);
  base::result<void> tell_self(Slice& slice) const;
  void keep_asked();
  bool is_asked(std::uint32_t path) const { return !methods_ || methods_->has(path); }
  void fill_page();

  const CallFrames& frames_;
  Range range_;
  std::optional<MethodBlocks> methods_;
  SelfTimes selfs_;

  std::size_t next_thread_ = 0;
  std::uint32_t thread_ = 0;
  std::uint32_t at_ = 0, end_ = 0;                    // blocks of the thread that are left
  std::optional<std::uint32_t> known_{};              // block that stack_ is the beginning of
  std::vector<SliceId> stack_;                        // open calls, outermost first
  std::shared_ptr<const std::vector<CallEnd>> ends_;  // of the thread; null: nobody asked yet

  std::vector<Slice> slices_;
  std::vector<std::size_t> entered_;  // of slices_, by depth above what the block began with
  std::vector<EndKind> hows_;         // by event; empty: all are leaves
  std::size_t done_ = 0;              // of slices_

  std::vector<SliceId> calls_, callers_;
  std::vector<base::Time> starts_, stops_;
  std::vector<std::uint32_t> paths_, depths_;
  std::vector<EndKind> ended_;
  std::vector<std::uint64_t> own_;
  SlicePage page_;
};

using SliceVisitor = std::function<void(const SlicePage&)>;
// All of a scan. Errors: as SliceScan::next().
base::result<void> scan_slices(const CallFrames& frames, const Range& range,
                               const MethodSet* methods, const SliceVisitor& visit);

}  // namespace polytrace::store
