// SPDX-License-Identifier: Apache-2.0
// An index of a trace: made once, then asked. Any number of threads may ask one Store; what it
// answers is of the commit that it was opened with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "event/pump.hpp"
#include "store/ask/durations.hpp"
#include "store/ask/one_call.hpp"
#include "store/ask/row_sums.hpp"
#include "store/ask/zoom.hpp"
#include "store/build/pass/builder.hpp"
#include "store/read/entities.hpp"
#include "store/read/index_frames.hpp"

namespace polytrace::store {

struct Facts {
  Digest id{};
  std::string format{};  // of the source, name and version
  SourceFacts source{};
  IndexState state = IndexState::building;
  Totals totals{};
};

class Store {
 public:
  // Of a file that build_index() made, or is making: then of what was committed so far. Errors:
  // those of page 0 and of frames; index_missing when nothing was committed.
  static base::result<std::shared_ptr<const Store>> open(const std::string& path);

  Facts facts() const;
  const Entities& entities() const { return frames_->entities(); }
  const Texts& texts() const { return frames_->texts(); }
  const Paths& paths() const { return frames_->paths(); }
  const base::Notices& notices() const { return frames_->notes().notices; }

  // By path: calls, self time and its parts.
  base::result<RangeSums> calls(const Range& range) const { return range_sums(*frames_, range); }
  // Allocations, samples or throws, by thread, class and path.
  base::result<std::vector<SumEntry>> sums(SumKind kind, const Range& range) const {
    return row_sums(*frames_, kind, range);
  }
  // The stack of a thread, outermost first.
  base::result<std::vector<OpenCall>> open_calls(std::uint32_t thread, base::Time at) const {
    return store::open_calls(*frames_, thread, at);
  }
  base::result<Call> call(SliceId call) const { return find_call(*frames_, call); }
  // The first or last call of the methods that begins in the range.
  base::result<std::optional<Call>> seek(const MethodSet& methods, const Range& range,
                                         Direction direction) const {
    return store::seek(*frames_, methods, range, direction);
  }
  base::result<Durations> durations(const MethodSet& methods, const Range& range,
                                    std::size_t slowest = 0) const {
    return store::durations(*frames_, methods, range, slowest);
  }
  // Buckets are counted from the time of the first event in the source's order.
  base::result<void> zoom(const Zoom& asked, const ZoomVisitor& visit) const {
    return store::zoom(*frames_, frames_->view().totals().origin, asked, visit);
  }
  // All events in the source's order, with its notices and tally. May outlive the Store.
  std::unique_ptr<event::Reader> reader() const;

 private:
  explicit Store(std::shared_ptr<const IndexFrames> frames) : frames_(std::move(frames)) {}

  std::shared_ptr<const IndexFrames> frames_;
};

struct IndexJob {
  std::string path;      // appears, or is replaced, when the index is complete
  std::string format{};  // name and version, at most 32 bytes
  SourceFacts source{};
  Digest fingerprint{};  // of the source
  BuildOptions build{};
  event::PumpOptions pump{};
};

// Reads the whole trace. While it does, `path`.new is there, with what was committed so far; it
// stays when that is stopped. How reading went is in the index and in what is returned: a source
// that cannot be read to its end has an index of what was read. Errors: those of the file.
base::result<event::PumpOutcome> build_index(event::Reader& reader, const IndexJob& job);

}  // namespace polytrace::store
