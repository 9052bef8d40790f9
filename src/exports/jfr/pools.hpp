// SPDX-License-Identifier: Apache-2.0
// The constant pools of a JFR chunk: what its events refer to. Each chunk stands alone, so each has
// pools of its own; names are asked for at its end. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "exports/jfr/bytes.hpp"
#include "exports/timelines/names.hpp"
#include "slice/stacks.hpp"

namespace polytrace::exports::jfr {

// Numbers begin with 1: 0 refers to nothing.
class Pools {
 public:
  explicit Pools(MethodTexts& texts) : texts_(texts) {}
  std::vector<std::string> limits() const { return stacks_.limits(); }

  // Marks as used in this chunk; the number to refer to.
  std::uint64_t method(std::uint32_t index) {
    if (index < methods_.stamps.size() && methods_.stamps[index] == chunk_) [[likely]]
      return index + std::uint64_t{1};
    return methods_.use(index, chunk_);
  }
  std::uint64_t thread(std::uint32_t index) { return threads_.use(index, chunk_); }
  std::uint64_t stranger(base::Id thread) {  // one without a stream
    return kFirstStranger + strangers_.use(strange_ids_.index(thread), chunk_);
  }
  std::uint64_t class_of(std::uint32_t index) {
    return index == slice::Names::kNone ? 0 : 2 * classes_.use(index, chunk_);
  }
  // A stack's node, which holds for all chunks, and the number of one.
  std::uint32_t node(const slice::Slice& slice, const event::Stack& recorded);
  std::uint64_t known(std::uint32_t node) {
    return node == slice::StackTree::kRoot ? 0 : stacks_used_.use(node, chunk_);
  }
  // A stack that ends in native code gets a frame saying so, if wanted.
  std::uint64_t stack(const slice::Slice& slice, const event::Stack& recorded, bool with_unmanaged);
  // The checkpoint event.
  void write(Bytes& out, base::Time start, const slice::Names& names);
  void begin_chunk();

 private:
  // Which things of a dense numbering a chunk uses.
  struct Used {
    std::vector<std::uint32_t> stamps;  // by index: the chunk that used it last
    std::vector<std::uint32_t> list;
    std::uint64_t use(std::uint32_t index, std::uint32_t chunk) {
      if (std::uint32_t& stamp = base::slot(stamps, index); stamp != chunk) {
        stamp = chunk;
        list.push_back(index);
      }
      return index + std::uint64_t{1};
    }
  };
  static constexpr std::uint64_t kFirstStranger = std::uint64_t{1} << 32;

  std::uint64_t symbol(std::string text);
  std::uint64_t class_named(std::string text);
  void write_threads(Bytes& out, const slice::Names& names) const;
  void write_stacks(Bytes& out, const slice::Names& names);
  void write_methods(Bytes& out, const slice::Names& names);
  void write_classes(Bytes& out, const slice::Names& names);
  void write_symbols(Bytes& out) const;

  MethodTexts& texts_;
  std::uint32_t chunk_ = 1;
  Used methods_, threads_, strangers_, classes_, stacks_used_;
  base::IdTable strange_ids_;
  slice::StackTree stacks_;
  std::map<std::string, std::uint64_t> class_names_;  // of methods: odd numbers
  std::map<std::string, std::uint64_t> symbols_;
};

}  // namespace polytrace::exports::jfr
