// SPDX-License-Identifier: Apache-2.0
// Statistical samples: by method (self: it was the innermost managed frame; inclusive: it was on
// the stack), by what lies at the instruction pointer, by IL offset where the trace lets find it,
// and by thread. Samples count by weight.
#pragma once

#include <map>

#include "analysis/samples/code_map.hpp"
#include "analysis/table/words.hpp"
#include "base/seeded_hash.hpp"
#include "slice/recording_pause.hpp"

namespace polytrace::analysis {

class Samples : public Analysis {
 public:
  explicit Samples(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  struct Hits {
    std::uint64_t self = 0;
    std::uint64_t inclusive = 0;
    std::uint64_t stamp = 0;  // the sample that counted it last: once per sample
  };
  struct ThreadHits {
    std::uint64_t managed = 0;
    std::uint64_t unmanaged = 0;
  };
  struct Split {
    std::uint64_t managed = 0;
    std::uint64_t unmanaged = 0;  // with the unknown ones
    std::uint64_t unknown = 0;
  };

  void add(const event::Event& event, const event::Sample& sample, const Slice& slice);
  Table methods_table(const Names& names, const TableOptions& options) const;
  Table code_table(const Names& names, const TableOptions& options) const;
  void add_self(std::span<const base::Id> stack, const Names& names, std::uint64_t weight);
  void add_place(const event::Sample& sample, const Slice& slice, std::uint64_t weight);
  Table places_table(const Names& names, const TableOptions& options) const;
  Table threads_table(const Names& names, const TableOptions& options) const;

  Selection selection_;
  CodeMap code_;
  RecordingPause pause_;
  std::uint64_t paused_ = 0;  // weight of samples that were taken while paused
  std::uint64_t samples_ = 0;
  std::uint64_t weight_ = 0;
  std::uint64_t no_method_ = 0;  // samples without a managed frame
  std::uint64_t in_helpers_ = 0;
  std::vector<Hits> methods_;  // by method
  base::IdMap<std::uint64_t> ips_;
  base::IdMap<std::uint64_t> managed_ips_;  // of innermost frames
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> il_offsets_;  // by method, told
  // By thread index and, where the trace has no such thread, id.
  std::map<std::pair<std::uint32_t, base::Id>, ThreadHits> threads_;
  Split split_;  // by instruction pointer; after finish()
};

std::unique_ptr<Analysis> make_samples(const Selection& selection);

}  // namespace polytrace::analysis
