// SPDX-License-Identifier: Apache-2.0
// Reads TraceLog in all dialects at once. Chunks of lines are decoded on every core; what runs
// through the file (watch.hpp) travels with its chunk.
#pragma once

#include <memory>
#include <string>

#include "base/seeded_hash.hpp"
#include "event/framed_reader.hpp"
#include "format/tracelog/framing.hpp"

namespace polytrace::format::tracelog {

// The dialect that a log's first bytes show; the seed's when they show none.
Dialect dialect_of(std::string_view head);

class TraceLogReader final : public event::FramedReader<Framing> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  TraceLogReader(std::unique_ptr<base::Source> source, Dialect dialect,
                 const event::ReadOptions& options)
      : FramedReader(std::move(source), options.limits), dialect_(dialect) {}

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  void settle(event::Chunk&, event::Batch& batch) override;

 private:
  Dialect dialect_;
  base::IdMap<base::Id> classes_;  // by the runtime's own id
  bool started_ = false;
};

}  // namespace polytrace::format::tracelog
