// SPDX-License-Identifier: Apache-2.0
// All objects of one heap snapshot with who refers to whom, in flat arrays: 20 bytes an object and
// 4 a reference. Objects are numbered in the order of the trace, with 32 bits: a snapshot of more
// than 2^32 - 2 objects would take 90 GiB, and wider numbers would make every other one slower;
// what lies beyond is counted as left out. A value; const use is thread-safe.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/heap/graph/block_log.hpp"
#include "analysis/heap/graph/object_types.hpp"
#include "event/details.hpp"

namespace polytrace::analysis {

// Whose variable a root is, as far as it is told.
struct RootOwner {
  base::Id thread = base::kNoId;
  std::uint64_t frame = base::kNoId;  // of its stack, 0 the innermost
};

class HeapGraph {
 public:
  using Index = std::uint32_t;  // of an object
  static constexpr Index kNone = ~Index{0};

  struct Root {
    Index object;
    std::uint32_t kind;  // index in root_kinds()
    RootOwner owner{};
  };

  // A reference that does not keep its target alive.
  struct WeakReference {
    Index from;  // kNone: a handle of the runtime
    Index to;
    event::RefStrength strength;
  };

  Index objects() const { return static_cast<Index>(ids_.size()); }
  std::uint64_t reference_count() const { return references_.size(); }
  base::Id id(Index object) const { return ids_[object]; }
  // Class index of Names.
  std::uint32_t type(Index object) const { return types_[object]; }
  std::uint64_t size(Index object) const {
    const std::uint32_t size = sizes_[object];
    return size == kLarge ? large_size(object) : size;
  }
  // The objects that it refers to and so keeps alive, those of the snapshot alone, as often as it
  // does.
  std::span<const Index> references(Index object) const {
    const std::uint64_t begin = first_reference(object);
    return {references_.data() + begin, first_reference(object + std::size_t{1}) - begin};
  }
  // Says that references() of the object will be asked for.
  void prefetch(Index object) const {
    if (!firsts_.empty()) __builtin_prefetch(&firsts_[object]);
  }
  // Sorted by `from`.
  std::span<const WeakReference> weak_references() const { return weak_; }
  // In the order of the trace; an object can be one more than once.
  std::span<const Root> roots() const { return roots_; }
  const std::vector<std::string>& root_kinds() const { return root_kinds_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t outside() const { return outside_; }  // references to what is not there
  std::uint64_t roots_outside() const { return lost_roots_; }
  // Objects beyond what numbers hold.
  std::uint64_t left_out() const { return left_out_; }

  // The object with that id, kNone if there is none. Looks at all.
  Index find(base::Id id) const;
  // What the arrays take.
  std::uint64_t memory() const;

 private:
  friend class HeapGraphBuilder;
  static constexpr std::uint32_t kLarge = ~std::uint32_t{0};

  std::uint64_t first_reference(std::size_t object) const {
    return firsts_.empty() ? long_firsts_[object] : firsts_[object];
  }
  std::uint64_t large_size(Index object) const;

  std::vector<base::Id> ids_;
  std::vector<std::uint32_t> types_;
  std::vector<std::uint32_t> sizes_;                            // kLarge: in large_sizes_
  std::vector<std::pair<Index, std::uint64_t>> large_sizes_{};  // by object
  // One more than objects; the long ones where there are 2^32 references and more.
  std::vector<std::uint32_t> firsts_;
  std::vector<std::uint64_t> long_firsts_;
  std::vector<Index> references_;
  std::vector<WeakReference> weak_;
  std::vector<Root> roots_;
  std::vector<std::string> root_kinds_;
  std::uint64_t bytes_ = 0;
  std::uint64_t outside_ = 0;
  std::uint64_t lost_roots_ = 0;
  std::uint64_t left_out_ = 0;
};

// Takes a snapshot as the trace tells it: objects in any order, each in one part or several. Twice
// the graph's memory at most, and some 4 bytes for each 8 of the heap. One thread at a time.
class HeapGraphBuilder {
 public:
  // An object; of one that is known already, more references and bytes.
  void add(base::Id id, std::uint32_t type, std::uint64_t size,
           std::span<const event::Ref> references);
  // A reference that keeps nothing alive; `from` is kNoId for a handle of the runtime.
  void add_weak(base::Id from, base::Id target, event::RefStrength strength);
  void add_root(base::Id object, std::string_view kind, RootOwner owner = {});
  std::uint64_t objects() const { return sizes_.size(); }
  std::uint64_t roots() const { return roots_.size(); }
  // Everything that was added; the builder is empty then.
  HeapGraph finish();

 private:
  using Index = HeapGraph::Index;
  struct Part {
    Index object;
    std::uint32_t references;
  };
  struct Root {
    base::Id object;
    std::uint32_t kind;
    RootOwner owner;
  };

  Index make(base::Id id, std::uint32_t type);
  void grow(Index object, std::uint64_t size);
  void resolve(HeapGraph& graph);
  Index target(std::size_t i) const { return static_cast<Index>(targets_[i]); }
  template <class Offset>
  void count_references(std::vector<Offset>& firsts) const;
  void place_references(HeapGraph& graph) const;
  void resolve_roots(HeapGraph& graph) const;
  void resolve_weak(HeapGraph& graph) const;

  HeapGraph graph_;  // what is flat from the beginning
  ObjectTypes<Index> numbers_;
  BlockLog<base::Id> ids_;
  BlockLog<std::uint32_t> types_;
  std::vector<std::uint32_t> sizes_;
  BlockLog<Part> parts_;
  BlockLog<base::Id>
      targets_;  // once they are resolved: numbers, kNone for those that are not there
  struct Weak {
    base::Id from;
    base::Id target;
    event::RefStrength strength;
  };
  std::vector<Weak> weak_;
  std::vector<Root> roots_;
  std::map<std::string, std::uint32_t, std::less<>> root_kinds_;
  std::map<Index, std::uint64_t> large_sizes_;
};

}  // namespace polytrace::analysis
