// SPDX-License-Identifier: Apache-2.0
// An index of a trace: made once, then asked. Any number of threads may ask one Store; what it
// answers is of the commit that it was opened with.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "event/pump.hpp"
#include "store/ask/durations.hpp"
#include "store/ask/events/intervals.hpp"
#include "store/ask/events/series.hpp"
#include "store/ask/events/slice_scan.hpp"
#include "store/ask/method_durations.hpp"
#include "store/ask/one_call.hpp"
#include "store/ask/row_sums.hpp"
#include "store/ask/told_span.hpp"
#include "store/ask/whole.hpp"
#include "store/ask/zoom.hpp"
#include "store/build/pass/builder.hpp"
#include "store/read/entities.hpp"
#include "store/read/index_frames.hpp"
#include "store/source/source_identity.hpp"

namespace polytrace::store {

struct Facts {
  Digest id{};
  std::string format{};  // of the source, name and version
  SourceFacts source{};
  IndexState state = IndexState::building;
  std::uint64_t features = 0;  // of Feature
  Totals totals{};
};

class Store {
 public:
  // Of a file that build_index() made, or is making: then of what was committed so far. Errors:
  // those of page 0 and of frames; index_missing when nothing was committed.
  static base::result<std::shared_ptr<const Store>> open(const std::string& path);
  static base::result<std::shared_ptr<const Store>> open(base::Image image);
  // Of frames that are open already.
  static std::shared_ptr<const Store> of(std::shared_ptr<const IndexFrames> frames);

  Facts facts() const;
  const Entities& entities() const { return frames_->entities(); }
  const Texts& texts() const { return frames_->texts(); }
  const Paths& paths() const { return frames_->paths(); }
  const base::Notices& notices() const { return frames_->notes().notices; }

  // By path: calls, self time and its parts.
  base::result<RangeSums> calls(const Range& range) const { return range_sums(*frames_, range); }
  // Of each method's calls, whatever of them lies in the range; at once where the index keeps them:
  // of the whole trace, with nothing of it left out.
  bool keeps_durations(const Range& range, LeftOut left_out = {}) const;
  base::result<std::vector<MethodDurations>> method_durations(const Range& range,
                                                              LeftOut left_out = {}) const;
  // When the world stood still; null while that is not known.
  base::result<std::shared_ptr<const slice::Pauses>> pauses() const { return frames_->pauses(); }
  // By thread; empty before the trace was read to its end.
  const std::vector<ThreadWhole>& thread_wholes() const { return frames_->thread_wholes(); }
  // From when to when it has events, as far as that is known without looking at them.
  base::result<std::optional<TimeSpan>> told_span() const { return store::told_span(*frames_); }
  // Of the whole trace, without looking at its calls.
  base::result<Whole> whole() const { return store::whole(*frames_); }
  // How the source was read.
  const Notes& notes() const { return frames_->notes(); }
  // Whether the trace has events of that kind; of a field, such as tell at least that.
  bool has_rows(event::Kind kind) const { return !frames_->segments(kind).empty(); }
  base::result<bool> has_rows(event::Kind kind, std::string_view field, std::uint64_t least) const {
    return frames_->has_rows(kind, field, least);
  }
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
    const base::Time origin = frames_->view().totals().origin;
    if (asked.family != Family::calls) return zoom_spans(*frames_, tables_, origin, asked, visit);
    return store::zoom(*frames_, origin, asked, visit);
  }
  // Rows of a kind in columns; calls one by one in columns; what lasted a while and is no call.
  // Scans give the same page by page: RowScan(frames(), ...), SliceScan(frames(), ...).
  base::result<void> rows(event::Kind kind, const Range& range, std::vector<u16> fields,
                          const RowVisitor& visit) const {
    return scan_rows(*frames_, kind, range, std::move(fields), visit);
  }
  base::result<void> slices(const Range& range, const MethodSet* methods,
                            const SliceVisitor& visit) const {
    return scan_slices(*frames_, range, methods, visit);
  }
  base::result<void> intervals(slice::SpanKind kind, const Range& range,
                               const std::vector<u16>& fields, const IntervalVisitor& visit) const {
    return store::intervals(*frames_, kind, range, fields, visit);
  }
  // Over time: what threads did; what heap sizes and counters said.
  base::result<void> activity(const Buckets& asked, const ActivityVisitor& visit) const {
    return store::activity(*frames_, tables_, frames_->view().totals().origin, asked, visit);
  }
  base::result<std::optional<double>> values(ValueSource source, std::uint64_t counter,
                                             const Buckets& asked,
                                             const ValueVisitor& visit) const {
    const base::Time origin = frames_->view().totals().origin;
    return store::values(*frames_, origin, source, counter, asked, visit);
  }
  const IndexFrames& frames() const { return *frames_; }
  // All events in the source's order, with its notices and tally. May outlive the Store.
  std::unique_ptr<event::Reader> reader() const;

 private:
  static base::result<std::shared_ptr<const Store>> of(
      base::result<std::unique_ptr<const IndexView>> view);
  explicit Store(std::shared_ptr<const IndexFrames> frames) : frames_(std::move(frames)) {}

  std::shared_ptr<const IndexFrames> frames_;
  mutable SpanTables tables_;
};

struct IndexJob {
  std::string path;      // appears, or is replaced, when the index is complete
  std::string format{};  // name and version, at most 32 bytes
  SourceIdentity source{};
  // Asked for the hash of the whole source when it has been read. Null: nobody knows it.
  std::function<base::result<Digest>()> whole{};
  std::uint64_t live = 0;  // of one that grows: live_id()
  BuildOptions build{};
  event::PumpOptions pump{};
};

// With an id of its own.
PageHead head_of(const IndexJob& job);

// Reads the whole trace. While it does, `path`.new is there, with what was committed so far; it
// stays when that is stopped. How reading went is in the index and in what is returned: a source
// that cannot be read to its end has an index of what was read. Errors: those of the file.
base::result<event::PumpOutcome> build_index(event::Reader& reader, const IndexJob& job);

// In a file without a name, in $TMPDIR, which goes with the store: no path of `job` is used.
struct UnnamedIndex {
  std::shared_ptr<const Store> store{};  // null: it was stopped
  event::PumpOutcome outcome{};
};
base::result<UnnamedIndex> build_unnamed_index(event::Reader& reader, const IndexJob& job);

}  // namespace polytrace::store
